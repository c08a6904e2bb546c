package executor

import (
	"context"
	"errors"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// ErrNoChildMain is what the error of a run unwraps to when the binary that was
// started as a child never called [ChildMain].
var ErrNoChildMain = errors.New("executor: a child process was started from a binary whose main does not call executor.ChildMain; make that its first statement")

// ProcessError says that a child process failed a run, or could not be started.
// As Outcome.Err of a run it unwraps to a [*contract.InterruptError]:
// InterruptWall for a child that was ended because it outlived its wall budget,
// InterruptFault for one that ended by itself or broke the protocol. What was too
// large to be sent has no interrupt.
type ProcessError struct {
	// Text is the text of SPEC section 13, exact.
	Text string
	// Interrupt is the kind of stop, or nil.
	Interrupt *contract.InterruptError
	// Cause is what was known beyond the text, or nil.
	Cause error
}

// Error returns the text.
func (e *ProcessError) Error() string { return e.Text }

// Unwrap returns the interrupt and the cause.
func (e *ProcessError) Unwrap() []error {
	var list []error
	if e.Interrupt != nil {
		list = append(list, e.Interrupt)
	}
	if e.Cause != nil {
		list = append(list, e.Cause)
	}
	return list
}

func tooLargeToSend(err error) error {
	var bound *wire.BoundError
	if !errors.As(err, &bound) {
		return nil
	}
	return &ProcessError{Text: bound.Message, Cause: err}
}

func interrupted(text string, kind contract.Interrupt, budget int64, elapsed time.Duration, cause error) *ProcessError {
	return &ProcessError{
		Text:      text,
		Interrupt: &contract.InterruptError{Interrupt: kind, Budget: budget, Elapsed: elapsed, Cause: cause},
		Cause:     cause,
	}
}

// cancelled is the refusal of a caller that left.
func cancelled(ctx context.Context, text string, started bool) error {
	return &contract.RefusedError{
		Code: contract.CodeCancelled, Message: text, Started: started, Cause: context.Cause(ctx),
	}
}

func closedError(started bool) error {
	return &contract.RefusedError{
		Code: contract.CodeClosed, Message: "Executor is shutting down.", Started: started, Cause: contract.ErrClosed,
	}
}
