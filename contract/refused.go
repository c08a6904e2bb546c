package contract

import (
	"errors"
	"time"
)

// Sentinels for the two reasons an executor refuses a run. Errors that carry
// more unwrap to them.
var (
	// ErrOverloaded: no slot was free in time. Try again after a while.
	ErrOverloaded = errors.New("contract: executor overloaded")
	// ErrClosed: the executor is shutting down or was closed.
	ErrClosed = errors.New("contract: executor closed")
)

// Errors of a [Lease]. They are compared with errors.Is.
var (
	// ErrReleased is what the error of a run unwraps to when its lease was
	// released, or had expired, before or during the run.
	ErrReleased = errors.New("contract: lease released")
	// ErrLeaseUsed is the error of a second run on one lease. It unwraps to
	// ErrInvalid.
	ErrLeaseUsed error = leaseUsed{}
)

type leaseUsed struct{}

func (leaseUsed) Error() string { return "Executor lease may execute only once." }
func (leaseUsed) Unwrap() error { return ErrInvalid }

// Codes of a RefusedError, as SPEC section 3 has them.
const (
	CodeOverloaded = "executor_overloaded"
	CodeClosed     = "executor_closed"
	CodeCancelled  = "executor_cancelled"
)

// RefusedError is the error of a run that was not let in, or was torn down by
// somebody other than its program (SPEC section 3.6). It unwraps to
// ErrOverloaded, ErrClosed, ErrReleased or the cause of the caller's context.
type RefusedError struct {
	// Code is one of the codes above.
	Code string
	// Message is the text for people, exact.
	Message string
	// Retryable reports whether trying again can help; only when overloaded.
	Retryable bool
	// RetryAfter is how long to wait before that; zero when not said.
	RetryAfter time.Duration
	// Started reports whether the program had begun to run.
	Started bool
	// Cause is the sentinel or the cause of the context's end.
	Cause error
}

// Error returns the message.
func (e *RefusedError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *RefusedError) Unwrap() error { return e.Cause }
