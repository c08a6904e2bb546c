package contract

import (
	"context"
	"time"
)

// Executor is anything that runs a program and gives an outcome. It may be
// used from any number of goroutines.
//
// Execute blocks until the run has ended. Its error is nil whenever the program
// ran to an end of its own or a limit ended it; then Outcome.Err says which.
// The error is a [*RefusedError] when the run was not let in or was torn down,
// and unwraps to [ErrInvalid] for a program that cannot be run as it is. The
// Outcome of a torn-down run still says what happened on the way. No effect of
// a run reaches the host after Execute has returned: a host function that is
// still open then has seen its context end, and its reply goes nowhere.
//
// A panic of a host function is raised again on the goroutine that called
// Execute. Whatever else an executor's error is, such as a child process that
// could not be started, it says so in its own documentation.
//
// What the words above mean in particular is what package contracttest checks.
type Executor interface {
	Execute(ctx context.Context, p Program) (Outcome, error)
}

// AcquireOptions say how to wait for a lease.
type AcquireOptions struct {
	// NoWait asks for an answer at once. A host function that runs a program on
	// the executor it was itself called from must say so, since waiting for its
	// own slot would never end.
	NoWait bool
}

// Lease is the right to run one program on an executor. It may be used from any
// goroutine.
type Lease interface {
	// Execute runs the program as [Executor] has it. A second run fails with
	// [ErrLeaseUsed]. On a lease that was released before, and for a run that
	// Release ends, the error is a [*RefusedError] with CodeCancelled that
	// unwraps to [ErrReleased] (SPEC section 13.3).
	Execute(ctx context.Context, p Program) (Outcome, error)
	// Release gives the slot back. It is idempotent, does not block, and ends a
	// run that is still going; the slot is free once that run has ended.
	Release()
	// Waited is how long the lease was queued for.
	Waited() time.Duration
}

// Acquirer is an Executor that can promise a slot ahead of a run.
type Acquirer interface {
	Acquire(ctx context.Context, opts AcquireOptions) (Lease, error)
}

// Closer is an Executor that can be shut down. Close refuses new runs at once,
// waits for live ones until ctx ends, then stops them, and returns when nothing
// is left. It is idempotent.
type Closer interface {
	Close(ctx context.Context) error
}

// Namer is an Executor with a name for people.
type Namer interface {
	Name() string
}

// Snapshotter is an Executor that says how its admission stands.
type Snapshotter interface {
	Snapshot() Snapshot
}
