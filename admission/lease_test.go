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

func TestReleaseIsIdempotent(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 2})
	a, b := mustAcquire(t, c), mustAcquire(t, c)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(a.Release)
	}
	wg.Wait()
	require.Equal(t, 1, c.Snapshot().Active)
	require.Zero(t, a.Waited())
	b.Release()
}

func TestDone(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 1})
	early := mustAcquire(t, c)
	over := early.Done()
	select {
	case <-over:
		t.Fatal("a lease that lives is done")
	default:
	}
	early.Release()
	<-over
	require.False(t, early.Expired())

	late := mustAcquire(t, c)
	late.Release()
	<-late.Done() // asked for only after the end
}

func TestLeaseExpiresForAWaiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1, MaxDuration: 50 * ms})
		a := mustAcquire(t, c)
		time.Sleep(10 * ms)
		b := queued(t.Context(), c)
		time.Sleep(40*ms - 1)
		synctest.Wait()
		require.False(t, b.settled())
		require.False(t, a.Expired())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.True(t, b.settled())
		require.Equal(t, 40*ms, b.lease.Waited())
		require.True(t, a.Expired())
		<-a.Done()

		a.Release() // harmless: the slot is b's
		require.Equal(t, 1, c.Snapshot().Active)
		b.lease.Release()
		c.Close()
	})
}

func TestExpiredLeaseIsDroppedByTheNextCallerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxDuration: 50 * ms})
		a := mustAcquire(t, c)
		time.Sleep(time.Hour)
		require.Equal(t, 1, c.Snapshot().Active, "a snapshot drops nothing")
		require.False(t, a.Expired())
		b := mustAcquire(t, c)
		require.True(t, a.Expired())
		require.Equal(t, contract.Totals{Admitted: 2}, c.Snapshot().Totals)
		b.Release()
	})
}

func TestNobodyWaitsAnyMoreSoNothingExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 1, MaxDuration: 50 * ms})
		a := mustAcquire(t, c)
		ctx, cancel := context.WithCancel(t.Context())
		b := queued(ctx, c)
		cancel()
		<-b.done
		time.Sleep(60 * ms)
		synctest.Wait()
		require.False(t, a.Expired())
		require.Equal(t, 1, c.Snapshot().Active)
		a.Release()
	})
}

func TestHandedOverLeaseLivesItsFullDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxQueueSize: 2, MaxDuration: 30 * ms})
		mustAcquire(t, c)
		b, d := queued(t.Context(), c), queued(t.Context(), c)
		start := time.Now()
		<-b.done
		require.Equal(t, 30*ms, time.Since(start))
		<-d.done
		require.Equal(t, 60*ms, time.Since(start))
		require.True(t, b.lease.Expired())
		d.lease.Release()
		c.Close()
	})
}

func TestExpiryWinsOverTimeoutAtOneInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{
			Concurrency: 1, MaxQueueSize: 1, QueueTimeout: 50 * ms, MaxDuration: 50 * ms,
		})
		mustAcquire(t, c)
		b := queued(t.Context(), c)
		<-b.done
		require.NoError(t, b.err)
		b.lease.Release()
		c.Close()
	})
}

func TestExpiryEndsADrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 2, MaxDuration: 50 * ms})
		mustAcquire(t, c)
		time.Sleep(20 * ms)
		mustAcquire(t, c)
		c.Close()
		start := time.Now()
		require.NoError(t, c.Drain(t.Context()))
		require.Equal(t, 50*ms, time.Since(start))
		require.Equal(t, contract.Totals{Admitted: 2}, c.Snapshot().Totals)
	})
}

func TestCloseDuringADrainKeepsTheExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, admission.Options{Concurrency: 1, MaxDuration: 50 * ms})
		mustAcquire(t, c)
		drained := make(chan error, 1)
		go func() { drained <- c.Drain(t.Context()) }()
		synctest.Wait()
		c.Close()
		require.NoError(t, <-drained)
	})
}
