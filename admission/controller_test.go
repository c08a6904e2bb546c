package admission_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

const ms = time.Millisecond

func TestQueueIsFirstInFirstOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 3})
		first := mustAcquire(t, c)
		var line []*caller
		for range 3 {
			line = append(line, queued(t.Context(), c))
		}
		time.Sleep(10 * ms)
		first.Release()
		for i, w := range line {
			synctest.Wait()
			require.True(t, w.settled(), "caller %d", i)
			require.NoError(t, w.err)
			require.Equal(t, time.Duration(10+5*i)*ms, w.lease.Waited())
			for _, later := range line[i+1:] {
				require.False(t, later.settled())
			}
			time.Sleep(5 * ms)
			w.lease.Release()
		}
		s := c.Snapshot()
		require.Equal(t, contract.Totals{Admitted: 4, Queued: 3}, s.Totals)
		require.Equal(t, contract.QueueWait{Count: 3, Total: 45 * ms, Max: 20 * ms}, s.QueueWait)
		require.Zero(t, s.Active)
	})
}

func TestNewcomerCannotOvertake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1})
		first := mustAcquire(t, c)
		w := queued(t.Context(), c)
		first.Release()
		// The waiter's goroutine has not run yet, and the slot is already its own.
		_, err := c.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
		require.ErrorIs(t, err, admission.ErrOverloaded)
		<-w.done
		require.NoError(t, w.err)
		w.lease.Release()
	})
}

func TestRefusals(t *testing.T) {
	boom := errors.New("boom")
	const retry = 750 * ms
	base := admission.Options{Concurrency: 1, MaxQueueSize: 1, QueueTimeout: 25 * ms, RetryAfter: retry}
	tests := []struct {
		name   string
		act    func(t *testing.T, c *admission.Controller) error
		want   contract.RefusedError
		totals contract.Totals
	}{
		{"queue full", func(t *testing.T, c *admission.Controller) error {
			queued(t.Context(), c)
			_, err := c.Acquire(t.Context(), contract.AcquireOptions{})
			return err
		}, overloaded("Executor queue is full.", retry), contract.Totals{Admitted: 1, Queued: 1, Rejected: 1}},

		{"nested, queue free", func(t *testing.T, c *admission.Controller) error {
			_, err := c.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
			return err
		}, overloaded("No executor slot is free for nested execution. Invoke the operation directly, after this program ends.", retry), contract.Totals{Admitted: 1, Rejected: 1}},

		{"nested, queue full", func(t *testing.T, c *admission.Controller) error {
			queued(t.Context(), c)
			_, err := c.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
			return err
		}, overloaded("No executor slot is free for nested execution. Invoke the operation directly, after this program ends.", retry), contract.Totals{Admitted: 1, Queued: 1, Rejected: 1}},

		{"queue timeout", func(t *testing.T, c *admission.Controller) error {
			w := queued(t.Context(), c)
			time.Sleep(24 * ms)
			synctest.Wait()
			require.False(t, w.settled())
			time.Sleep(1 * ms)
			synctest.Wait()
			require.True(t, w.settled())
			return w.err
		}, overloaded("Executor admission timed out after 25ms.", retry), contract.Totals{Admitted: 1, Queued: 1, Rejected: 1}},

		{"cancelled before", func(t *testing.T, c *admission.Controller) error {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(boom)
			_, err := c.Acquire(ctx, contract.AcquireOptions{})
			return err
		}, cancelledBy("Execution was cancelled before admission.", boom), contract.Totals{Admitted: 1, Cancelled: 1}},

		{"cancelled while queued", func(t *testing.T, c *admission.Controller) error {
			ctx, cancel := context.WithCancelCause(t.Context())
			w := queued(ctx, c)
			cancel(boom)
			<-w.done
			return w.err
		}, cancelledBy("Execution was cancelled while queued.", boom), contract.Totals{Admitted: 1, Queued: 1, Cancelled: 1}},

		{"deadline while queued", func(t *testing.T, c *admission.Controller) error {
			ctx, cancel := context.WithTimeout(t.Context(), 10*ms)
			defer cancel()
			_, err := c.Acquire(ctx, contract.AcquireOptions{})
			return err
		}, cancelledBy("Execution was cancelled while queued.", context.DeadlineExceeded), contract.Totals{Admitted: 1, Queued: 1, Cancelled: 1}},

		{"closed", func(t *testing.T, c *admission.Controller) error {
			c.Close()
			_, err := c.Acquire(t.Context(), contract.AcquireOptions{})
			return err
		}, shuttingDown(), contract.Totals{Admitted: 1, Closed: 1}},

		{"closed while queued", func(t *testing.T, c *admission.Controller) error {
			w := queued(t.Context(), c)
			c.Close()
			c.Close()
			<-w.done
			return w.err
		}, shuttingDown(), contract.Totals{Admitted: 1, Queued: 1, Closed: 1}},

		{"closed goes before cancelled", func(t *testing.T, c *admission.Controller) error {
			c.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(boom)
			_, err := c.Acquire(ctx, contract.AcquireOptions{NoWait: true})
			return err
		}, shuttingDown(), contract.Totals{Admitted: 1, Closed: 1}},

		{"cancelled goes before nested", func(t *testing.T, c *admission.Controller) error {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(boom)
			_, err := c.Acquire(ctx, contract.AcquireOptions{NoWait: true})
			return err
		}, cancelledBy("Execution was cancelled before admission.", boom), contract.Totals{Admitted: 1, Cancelled: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newController(t, base)
				held := mustAcquire(t, c)
				requireRefused(t, test.act(t, c), test.want)
				require.Equal(t, test.totals, c.Snapshot().Totals)
				held.Release()
				synctest.Wait()
				c.Close()
			})
		})
	}
}

func TestCancelledBeforeEvenWhenASlotIsFree(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := c.Acquire(ctx, contract.AcquireOptions{})
	requireRefused(t, err, cancelledBy("Execution was cancelled before admission.", context.Canceled))
	require.Zero(t, c.Snapshot().Active)
}

func TestCancelAfterAdmissionChangesNothing(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 1})
	ctx, cancel := context.WithCancel(t.Context())
	lease, err := c.Acquire(ctx, contract.AcquireOptions{})
	require.NoError(t, err)
	cancel()
	require.Equal(t, 1, c.Snapshot().Active)
	require.Equal(t, contract.Totals{Admitted: 1}, c.Snapshot().Totals)
	lease.Release()
}

func TestCloseLetsLiveLeasesDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 2, MaxQueueSize: 1})
		a, b := mustAcquire(t, c), mustAcquire(t, c)
		c.Close()
		drained := make(chan error, 1)
		go func() { drained <- c.Drain(t.Context()) }()
		synctest.Wait()
		a.Release()
		synctest.Wait()
		require.Empty(t, drained)
		require.Equal(t, 1, c.Snapshot().Active)
		b.Release()
		require.NoError(t, <-drained)
		require.True(t, c.Snapshot().Closed)
		require.NoError(t, c.Drain(t.Context()))
	})
}

func TestDrainGivesUpWithItsContext(t *testing.T) {
	boom := errors.New("boom")
	c := newController(t, admission.Options{Concurrency: 1})
	lease := mustAcquire(t, c)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(boom)
	require.Equal(t, boom, c.Drain(ctx))
	lease.Release()
	require.NoError(t, c.Drain(t.Context()))
}

func TestSlotThatChangesHandsIsNotDrained(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1})
		a := mustAcquire(t, c)
		b := queued(t.Context(), c)
		drained := make(chan error, 1)
		go func() { drained <- c.Drain(t.Context()) }()
		synctest.Wait()
		a.Release()
		synctest.Wait()
		require.Empty(t, drained)
		b.lease.Release()
		require.NoError(t, <-drained)
		c.Close()
	})
}
