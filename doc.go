// Package guestjs is the root of a library that runs JavaScript nobody vouches
// for inside a Go process, and comes back with a plain answer. The package itself
// is empty; this is a map of the others.
//
// # Model
//
// The host is the Go process; the guest is a program and the engine state it
// lives in. A program is handed in as text with its providers, named groups of
// host functions that it sees as globals, and its limits. It runs in a sandbox,
// a reusable place that is rewound to the same bytes before every run. What comes
// back is an outcome: the value as JSON, or a typed reason why there is none; and
// the logs, the host calls made, and what it all took. An outcome is plain data
// that holds nothing of the engine.
//
// A limit does not ask a guest to stop: it leaves the engine where it stands and
// rewinds the sandbox. So no catch, finally or promise of the guest's ever sees a
// limit, and nothing it can do outlives one.
//
// # Packages
//
//   - executor is where a server begins: a bounded number of programs at once, the
//     rest in a queue, in this process or in children of it.
//   - bridge is one sandbox: one program, one run.
//   - contract has the words: Program, Provider, HostFunc, Failure, Limits,
//     Outcome, Executor; and the errors.
//   - admission decides who may run now, in front of any executor.
//   - result cuts what is shown of a long value.
//   - quickjs is the engine as Go, for other uses than running programs.
//
// Command cmd/guestjs runs a program from a shell. Directory examples has programs
// to read. README.md has the limits and their defaults; SECURITY.md says what is
// promised and what is not.
//
// # Ownership and goroutines
//
// Whoever makes an executor, a sandbox or a runtime closes it; nothing else has to
// be released, and nothing waits for the garbage collector. An executor may be used
// from any goroutine, a sandbox runs one program at a time, and a runtime belongs
// to one goroutine at a time. Host functions run on goroutines of their own, with
// a context that ends with the run.
package guestjs
