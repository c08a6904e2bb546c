package admission_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

func newController(t testing.TB, o admission.Options) *admission.Controller {
	t.Helper()
	if o.QueueTimeout == 0 {
		o.QueueTimeout = time.Second
	}
	c, err := admission.New(o)
	require.NoError(t, err)
	return c
}

// caller is one call of Acquire on a goroutine of its own.
type caller struct {
	done  chan struct{}
	lease *admission.Lease
	err   error
}

func acquire(ctx context.Context, c *admission.Controller) *caller {
	w := &caller{done: make(chan struct{})}
	go func() {
		defer close(w.done)
		w.lease, w.err = c.Acquire(ctx, contract.AcquireOptions{})
	}()
	return w
}

// queued starts a caller in a bubble and waits until it blocks or has returned.
func queued(ctx context.Context, c *admission.Controller) *caller {
	w := acquire(ctx, c)
	synctest.Wait()
	return w
}

func (w *caller) settled() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func mustAcquire(t testing.TB, c *admission.Controller) *admission.Lease {
	t.Helper()
	lease, err := c.Acquire(context.Background(), contract.AcquireOptions{NoWait: true})
	require.NoError(t, err)
	return lease
}

func requireRefused(t testing.TB, err error, want contract.RefusedError) {
	t.Helper()
	var got *contract.RefusedError
	require.ErrorAs(t, err, &got)
	require.Equal(t, want, *got)
	require.ErrorIs(t, err, want.Cause)
}

func overloaded(message string, after time.Duration) contract.RefusedError {
	return contract.RefusedError{
		Code: "executor_overloaded", Message: message, Retryable: true, RetryAfter: after, Cause: admission.ErrOverloaded,
	}
}

func shuttingDown() contract.RefusedError {
	return contract.RefusedError{Code: "executor_closed", Message: "Executor is shutting down.", Cause: admission.ErrClosed}
}

func cancelledBy(message string, cause error) contract.RefusedError {
	return contract.RefusedError{Code: "executor_cancelled", Message: message, Cause: cause}
}
