package admission_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

// These tests let two of the parties that may settle a waiter act at once, as
// the comment in golang.org/x/sync/semaphore asks. The loops are there because
// a select with two ready cases picks one at random.
const crossings = 200

func TestCancelBeforeGrantLeavesTheSlotFree(t *testing.T) {
	for range crossings {
		synctest.Test(t, func(t *testing.T) {
			c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 2})
			held := mustAcquire(t, c)
			ctx, cancel := context.WithCancel(t.Context())
			w, next := queued(ctx, c), queued(t.Context(), c)
			cancel()
			held.Release() // before the waiter's goroutine can have noticed
			<-w.done
			requireRefused(t, w.err, cancelledBy("Execution was cancelled while queued.", context.Canceled))
			<-next.done
			require.NoError(t, next.err, "the slot went to the one behind")
			next.lease.Release()
			s := c.Snapshot()
			require.Zero(t, s.Active)
			require.Equal(t, contract.Totals{Admitted: 2, Queued: 2, Cancelled: 1}, s.Totals)
			c.Close()
		})
	}
}

func TestGrantBeforeCancelIsReturned(t *testing.T) {
	for range crossings {
		synctest.Test(t, func(t *testing.T) {
			c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1})
			held := mustAcquire(t, c)
			ctx, cancel := context.WithCancel(t.Context())
			w := queued(ctx, c)
			held.Release()
			cancel()
			<-w.done
			require.NoError(t, w.err)
			require.Equal(t, 1, c.Snapshot().Active)
			w.lease.Release()
			require.Equal(t, contract.Totals{Admitted: 2, Queued: 1}, c.Snapshot().Totals)
			c.Close()
		})
	}
}

func TestGrantAndCancelFromTwoGoroutines(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1, QueueTimeout: time.Minute})
	var wins [2]int
	for range 5000 {
		held := mustAcquire(t, c)
		ctx, cancel := context.WithCancel(context.Background())
		w := acquire(ctx, c)
		for c.Snapshot().Queued == 0 {
		}
		var wg sync.WaitGroup
		wg.Go(held.Release)
		wg.Go(cancel)
		wg.Wait()
		<-w.done
		if w.err == nil {
			wins[0]++
			w.lease.Release()
		} else {
			wins[1]++
			require.ErrorIs(t, w.err, context.Canceled)
		}
		s := c.Snapshot()
		require.Zero(t, s.Active)
		require.Zero(t, s.Queued)
	}
	s := c.Snapshot()
	require.EqualValues(t, 5000+wins[0], s.Totals.Admitted)
	require.EqualValues(t, wins[1], s.Totals.Cancelled)
}

func TestCancelBeforeCloseIsACancel(t *testing.T) {
	for range crossings {
		synctest.Test(t, func(t *testing.T) {
			c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1})
			held := mustAcquire(t, c)
			ctx, cancel := context.WithCancel(t.Context())
			w := queued(ctx, c)
			cancel()
			c.Close()
			<-w.done
			require.ErrorIs(t, w.err, context.Canceled)
			require.Equal(t, contract.Totals{Admitted: 1, Queued: 1, Cancelled: 1}, c.Snapshot().Totals)
			held.Release()
		})
	}
}

func TestCloseBeforeCancelIsAClose(t *testing.T) {
	for range crossings {
		synctest.Test(t, func(t *testing.T) {
			c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1})
			held := mustAcquire(t, c)
			ctx, cancel := context.WithCancel(t.Context())
			w := queued(ctx, c)
			c.Close()
			cancel()
			<-w.done
			requireRefused(t, w.err, shuttingDown())
			held.Release()
		})
	}
}

// Whatever comes first at the instant of the timeout, the waiter is settled once
// and the slot is somebody's.
func TestReleaseAtTheInstantOfTheTimeout(t *testing.T) {
	for range crossings {
		synctest.Test(t, func(t *testing.T) {
			c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1, QueueTimeout: 10 * ms})
			held := mustAcquire(t, c)
			w := queued(t.Context(), c)
			time.Sleep(10 * ms) // the alarm rings at this very instant
			held.Release()
			<-w.done
			s := c.Snapshot()
			if w.err == nil {
				require.Equal(t, contract.Totals{Admitted: 2, Queued: 1}, s.Totals)
				w.lease.Release()
			} else {
				require.ErrorIs(t, w.err, admission.ErrOverloaded)
				require.Equal(t, contract.Totals{Admitted: 1, Queued: 1, Rejected: 1}, s.Totals)
			}
			require.Zero(t, c.Snapshot().Active)
			c.Close()
		})
	}
}

func TestCancelOfManyOnOneContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 100})
		held := mustAcquire(t, c)
		ctx, cancel := context.WithCancel(t.Context())
		var leaving []*caller
		for range 99 {
			leaving = append(leaving, queued(ctx, c))
		}
		stays := queued(t.Context(), c)
		cancel()
		held.Release()
		for _, w := range leaving {
			<-w.done
			require.ErrorIs(t, w.err, context.Canceled)
		}
		<-stays.done
		require.NoError(t, stays.err)
		stays.lease.Release()
		require.Equal(t, contract.Totals{Admitted: 2, Queued: 100, Cancelled: 99}, c.Snapshot().Totals)
		c.Close()
	})
}
