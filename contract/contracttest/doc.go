// Package contracttest is the suite that every contract.Executor must pass.
//
//	func TestExecutor(t *testing.T) {
//		contracttest.Run(t, func(t testing.TB) contract.Executor { return newExecutor(t) })
//	}
//
// Each [Check] has a name, gets executors of its own, and states one thing that
// callers rely on. Checks about an optional power (contract.Acquirer, Closer,
// Snapshotter, Namer) are skipped for an executor without it. The programs are
// plain JavaScript, so any executor with an engine can run them, one in another
// process too. They take some milliseconds each; nothing sleeps, but time limits
// of a run are real.
//
// Who decorates executors and has no engine at hand can start from [NewFake].
package contracttest
