// Package contract holds the words that every part of guestjs shares: what a
// caller hands in, what comes back, and what an executor promises.
//
// A [Program] is guest source with the providers and limits it runs under. A
// [Provider] is a named group of host functions, one guest global. An
// [Outcome] is what a run gives back: plain data, holding no engine state, safe
// to keep and to share. An [Executor] is anything that turns the one into the
// other.
//
// # Errors
//
// Seven kinds of thing go wrong, and each has one shape:
//
//   - the guest failed: Outcome.Err holds a [*GuestError], a [*ResultError] or
//     [ErrStalled]. Execute itself returns a nil error;
//   - a limit ended the run: Outcome.Err is an [*InterruptError], and
//     errors.Is(out.Err, [InterruptCPU]) asks which;
//   - we refused: Execute returns a [*RefusedError] that unwraps to
//     [ErrOverloaded] or [ErrClosed];
//   - a lease was released before or during its run: Execute returns a
//     [*RefusedError] that unwraps to [ErrReleased];
//   - the caller left: Execute returns a [*RefusedError] that unwraps to
//     context.Cause of its context;
//   - a host function failed: the guest saw its text. When that very failure
//     ended the run, errors.Is and errors.As on Outcome.Err reach the Go error
//     the function returned;
//   - wrong use: an error that names the bad field, from the call that received
//     it, before anything runs. It unwraps to [ErrInvalid].
//
// # Executors
//
// Execute is all an Executor must have. Its other powers are the interfaces
// [Acquirer], [Closer], [Namer] and [Snapshotter], found by type assertion. Who
// is about to trust an executor with programs asks [Check] first: it refuses one
// that does not declare a [Lifecycle] of its own. [Custom] vouches for an
// executor that somebody else wrote. Package contracttest has the suite that
// every executor must pass.
//
// # Goroutines
//
// All types here are plain data. A host function runs on a goroutine of its
// own, never on the guest's, unless the provider declares it immediate.
package contract
