package admission

import (
	"context"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// The sentinels that a refusal unwraps to; the same values as in contract.
var (
	ErrOverloaded = contract.ErrOverloaded
	ErrClosed     = contract.ErrClosed
)

// The texts of SPEC sections 3.3, 3.4, 9 and 13.3.
const (
	textClosed       = "Executor is shutting down."
	textBefore       = "Execution was cancelled before admission."
	textQueued       = "Execution was cancelled while queued."
	textNested       = "No executor slot is free for nested execution. Invoke the operation directly, after this program ends."
	textFull         = "Executor queue is full."
	textNotStarted   = "Execution was cancelled before it started."
	textRunning      = "Execution was cancelled."
	textReleased     = "Executor lease was already released."
	textReleasedLive = "Executor lease was released during execution."
	textExpiredLive  = "Executor lease expired during execution."
)

func (c *Controller) overloaded(text string) error {
	return &contract.RefusedError{
		Code: contract.CodeOverloaded, Message: text,
		Retryable: true, RetryAfter: c.opts.RetryAfter, Cause: ErrOverloaded,
	}
}

func timedOut(after time.Duration) string {
	return fmt.Sprintf("Executor admission timed out after %dms.", after.Milliseconds())
}

func closed(started bool) error {
	return &contract.RefusedError{
		Code: contract.CodeClosed, Message: textClosed, Started: started, Cause: ErrClosed,
	}
}

func cancelled(ctx context.Context, text string, started bool) error {
	return &contract.RefusedError{
		Code: contract.CodeCancelled, Message: text, Started: started, Cause: context.Cause(ctx),
	}
}

func released(text string, started bool) error {
	return &contract.RefusedError{
		Code: contract.CodeCancelled, Message: text, Started: started, Cause: contract.ErrReleased,
	}
}
