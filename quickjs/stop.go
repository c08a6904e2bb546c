package quickjs

import (
	"errors"
	"fmt"
)

// Errors of a Do or an operation that ended by leaving the engine. The state is
// not usable afterwards: Rewind or Close the Runtime.
var (
	// ErrOutOfMemory: the arena was full, or its limit was reached.
	ErrOutOfMemory = errors.New("quickjs: out of memory")
	// ErrWall is the Cause of an InterruptError when Budget.Wall has passed.
	ErrWall = errors.New("quickjs: wall deadline passed")
	// ErrCPU is the Cause of an InterruptError when Budget.CPU was used up.
	ErrCPU = errors.New("quickjs: processor budget used up")
	// ErrLeft is returned for work on a Runtime whose last work was stopped. The
	// error that is returned also unwraps to what stopped it.
	ErrLeft = errors.New("quickjs: the runtime was stopped; rewind or close it")
	// ErrTooLarge is returned for a text that is longer than the caller takes.
	ErrTooLarge = errors.New("quickjs: text too large")
	// ErrClosed is returned for work on a closed Runtime.
	ErrClosed = errors.New("quickjs: runtime closed")
)

// InterruptError says that the guest was stopped before it was done. The guest
// did not notice: no handler of its own ran.
type InterruptError struct {
	// Cause is ErrWall, ErrCPU, what the InterruptFunc returned or what was
	// given to Kill.
	Cause error
	// Killed reports whether access to the arena had to be revoked, because the
	// guest was inside a builtin that never polls.
	Killed bool
}

// Error implements error.
func (e *InterruptError) Error() string { return "quickjs: interrupted: " + e.Cause.Error() }

// Unwrap returns the cause.
func (e *InterruptError) Unwrap() error { return e.Cause }

// FaultError says that the engine itself failed: it touched memory it does not
// own, or its data were damaged. The arena should be closed and built anew.
type FaultError struct {
	// Reason is what was seen.
	Reason string
	// Cause is the system's error when that was what failed, else nil.
	Cause error
}

// Error implements error.
func (e *FaultError) Error() string { return "quickjs: engine fault: " + e.Reason }

// Unwrap returns the cause.
func (e *FaultError) Unwrap() error { return e.Cause }

// breaks says that the arena can never be used again, and why: to this work and
// to all later.
func (rt *Runtime) breaks(why error) error {
	rt.broken = why
	rt.leave(nil)
	rt.stats.Faults++
	rt.whyError = &FaultError{Reason: why.Error(), Cause: why}
	return rt.whyError
}

// leftError refines ErrLeft by why the state was left.
type leftError struct{ why error }

func (e *leftError) Error() string { return ErrLeft.Error() + " (" + e.why.Error() + ")" }

func (e *leftError) Unwrap() []error { return []error{ErrLeft, e.why} }

// The values that travel as panics from a callback through the engine to the
// door. Operations take note of them on the way and let them pass.
type (
	memoryStop    struct{}
	interruptStop struct{ cause error }
	// hostPanic carries a panic of a Go function that the guest called.
	hostPanic struct{ value any }
	// leftPanic ends an operation on a state that was left in the same Do: some
	// Go code recovered the stop itself.
	leftPanic struct{}
)

var stopMemory = memoryStop{}

func damaged(what string) *FaultError {
	return &FaultError{Reason: fmt.Sprintf("heap damaged: %s", what)}
}
