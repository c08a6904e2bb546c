// Package child is the far side of a process executor: it reads programs from
// one pipe, runs them one at a time, and writes what they do to another
// (SPEC section 13.1).
//
// [Main] is the whole life of a child. It loads a [Runner], gives up what a
// child does not need ([Harden]), says ready, and serves run messages until
// its pipe closes; then the process ends, whatever a guest is doing.
//
// A provider's functions stay in the parent. Each is a proxy here that sends a
// host-call and waits for the host-result, so that a guest cannot tell the two
// kinds of executor apart. A refusal comes back as a [*HostError], which
// unwraps to the [*contract.Failure] and knows the number of its call: when the
// runner hands it back as the error that ended the run, the parent is told the
// number and puts its own Go error in place.
//
// # Goroutines
//
// One goroutine reads at a time. The one that reads a run message runs it, and
// leaves the reading to another one until it is done. Proxies run wherever the runner calls them;
// frames are written whole, under a lock.
package child
