package contract

import (
	"errors"
	"fmt"
	"time"
)

// Interrupt says which limit ended a run. The host records it, first cause
// wins; nothing a guest can throw produces one. It is an error so that
// errors.Is(out.Err, InterruptCPU) works.
type Interrupt uint8

// The causes, in the order in which one hides another.
const (
	// InterruptNone: no limit ended the run.
	InterruptNone Interrupt = iota
	// InterruptMemory: the guest's heap was full.
	InterruptMemory
	// InterruptCPU: the processor budget was spent.
	InterruptCPU
	// InterruptWall: the wall budget was spent.
	InterruptWall
	// InterruptCanceled: the caller's context ended.
	InterruptCanceled
	// InterruptClosed: the sandbox or executor was closed, or the lease released.
	InterruptClosed
	// InterruptFault: the engine itself failed; the sandbox was rebuilt.
	InterruptFault
)

var interruptNames = [...]string{"none", "memory", "cpu", "wall", "canceled", "closed", "fault"}

// String returns the cause in one word, as Outcome writes it.
func (i Interrupt) String() string {
	if int(i) < len(interruptNames) {
		return interruptNames[i]
	}
	return fmt.Sprintf("interrupt(%d)", uint8(i))
}

// Error implements error.
func (i Interrupt) Error() string { return "contract: interrupted: " + i.String() }

// InterruptError is the Outcome.Err of a run that a limit ended. It unwraps to
// its Interrupt and to its Cause.
type InterruptError struct {
	// Interrupt is the limit.
	Interrupt Interrupt
	// Budget is the limit's size: nanoseconds of a time limit, bytes of memory.
	Budget int64
	// Elapsed is the wall time from the start of the run to its end.
	Elapsed time.Duration
	// Cause is context.Cause of the caller's context when that ended the run,
	// ErrReleased when the lease was released, or what is known of a fault.
	Cause error
}

// Error returns the text of SPEC section 9 or 13.3.
func (e *InterruptError) Error() string {
	switch e.Interrupt {
	case InterruptMemory:
		return fmt.Sprintf("Execution exceeded the %d-byte guest memory limit.", e.Budget)
	case InterruptCPU:
		return fmt.Sprintf("Execution exceeded the %dms guest CPU budget.", time.Duration(e.Budget).Milliseconds())
	case InterruptWall:
		return fmt.Sprintf("Execution timed out after %dms.", time.Duration(e.Budget).Milliseconds())
	case InterruptCanceled:
		return "Execution was cancelled."
	case InterruptClosed:
		if errors.Is(e.Cause, ErrReleased) {
			return "Executor lease was released during execution."
		}
		return "Executor is shutting down."
	}
	if e.Cause != nil {
		return "Execution ended by an engine fault: " + e.Cause.Error()
	}
	return "Execution ended by an engine fault."
}

// Unwrap returns the interrupt and, if there is one, the cause.
func (e *InterruptError) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Interrupt}
	}
	return []error{e.Interrupt, e.Cause}
}
