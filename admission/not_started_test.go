package admission_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

// A run whose context is over before it begins is refused, and leaves the lease
// for another.
func TestARunOnALeaseThatIsCancelledBeforeItStarts(t *testing.T) {
	e := wrapFake(t, admission.Options{Concurrency: 1})
	l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
	require.NoError(t, err)
	defer l.Release()
	over, cancel := context.WithCancelCause(t.Context())
	boom := errors.New("boom")
	cancel(boom)
	out, err := l.Execute(over, contract.Program{Source: "1"})
	requireRefused(t, err, contract.RefusedError{
		Code: "executor_cancelled", Message: "Execution was cancelled before it started.", Cause: boom,
	})
	require.Zero(t, out)
	_, err = l.Execute(t.Context(), contract.Program{Source: "1"})
	require.NoError(t, err)
}

// Why a lease ended is the cause of its run's context, for the executor inside
// to see.
func TestTheRunSeesWhyItsLeaseEnded(t *testing.T) {
	var cause error
	running := make(chan struct{}, 1)
	e := admission.Wrap(bare{func(ctx context.Context, _ contract.Program) (contract.Outcome, error) {
		running <- struct{}{}
		<-ctx.Done()
		cause = context.Cause(ctx)
		// It says itself how it ended: by something that came first.
		return contract.Outcome{Err: errors.New("thrown")}, ctx.Err()
	}}, newController(t, admission.Options{Concurrency: 1}))
	l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
	require.NoError(t, err)
	done := execute(t.Context(), l)
	<-running
	l.Release()
	r := <-done
	require.EqualError(t, cause, "admission: lease released")
	require.EqualError(t, r.out.Err, "thrown")
	require.ErrorIs(t, r.err, contract.ErrReleased)
}
