package admission_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

// TestHammer is meant for -race: 64 goroutines make 100,000 calls, some of them
// cancelled at a random moment, some told not to wait, some too late.
func TestHammer(t *testing.T) {
	const goroutines, operations, concurrency = 64, 100_000, 5
	for _, duration := range []time.Duration{0, 50 * time.Microsecond} {
		name := "leases until release"
		if duration > 0 {
			name = "leases expire"
		}
		t.Run(name, func(t *testing.T) {
			c := newController(t, admission.Options{
				Concurrency: concurrency, MaxQueueSize: 40, QueueTimeout: 2 * ms, MaxDuration: duration,
			})
			var left atomic.Int64
			left.Store(operations)
			var active, most atomic.Int64
			var admitted, rejected, cancelled atomic.Uint64
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					random := rand.New(rand.NewPCG(1, uint64(g)))
					for left.Add(-1) >= 0 {
						ctx, cancel := context.WithCancel(context.Background())
						switch random.IntN(8) {
						case 0:
							cancel()
						case 1, 2:
							wg.Go(cancel)
						}
						lease, err := c.Acquire(ctx, contract.AcquireOptions{NoWait: random.IntN(8) == 0})
						switch {
						case err == nil:
							admitted.Add(1)
							if now := active.Add(1); now > most.Load() {
								most.Store(now)
							}
							for range random.IntN(20) {
								runtime.Gosched()
							}
							active.Add(-1)
							lease.Release()
							if random.IntN(4) == 0 {
								lease.Release()
							}
						case errors.Is(err, admission.ErrOverloaded):
							rejected.Add(1)
						case errors.Is(err, context.Canceled):
							cancelled.Add(1)
						default:
							t.Errorf("neither admitted, rejected nor cancelled: %v", err)
						}
						cancel()
					}
				})
			}
			wg.Wait()

			if duration == 0 { // an expired lease is still held by its caller
				require.LessOrEqual(t, most.Load(), int64(concurrency))
			}
			s := c.Snapshot()
			require.Zero(t, s.Active)
			require.Zero(t, s.Queued)
			require.Equal(t, admitted.Load(), s.Totals.Admitted)
			require.Equal(t, rejected.Load(), s.Totals.Rejected)
			require.Equal(t, cancelled.Load(), s.Totals.Cancelled)
			require.EqualValues(t, operations, s.Totals.Admitted+s.Totals.Rejected+s.Totals.Cancelled)
			require.LessOrEqual(t, s.QueueWait.Count, s.Totals.Queued)
			require.Positive(t, s.QueueWait.Count)
			require.Positive(t, rejected.Load())
			require.Positive(t, cancelled.Load())
			c.Close()
		})
	}
}

// TestHammerWrap lets runs, leases, cancellations, releases and one Close meet.
func TestHammerWrap(t *testing.T) {
	const goroutines, concurrency = 32, 3
	for range 20 {
		var inside, most atomic.Int64
		e := admission.Wrap(bare{func(ctx context.Context, _ contract.Program) (contract.Outcome, error) {
			if now := inside.Add(1); now > most.Load() {
				most.Store(now)
			}
			defer inside.Add(-1)
			for range 10 {
				if ctx.Err() != nil {
					return contract.Outcome{}, ctx.Err()
				}
				runtime.Gosched()
			}
			return contract.Outcome{}, nil
		}}, newController(t, admission.Options{Concurrency: concurrency, MaxQueueSize: 20}))
		var ran, refused atomic.Uint64
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				for i := range 200 {
					ctx, cancel := context.WithCancel(context.Background())
					if (g+i)%5 == 0 {
						wg.Go(cancel)
					}
					l, err := e.Acquire(ctx, contract.AcquireOptions{NoWait: (g+i)%7 == 0})
					if err == nil {
						if (g+i)%3 == 0 {
							wg.Go(l.Release)
						}
						_, err = l.Execute(ctx, contract.Program{})
						l.Release()
					}
					var why *contract.RefusedError
					switch {
					case err == nil:
						ran.Add(1)
					case errors.As(err, &why):
						refused.Add(1)
					default:
						t.Errorf("not a refusal: %v", err)
					}
					cancel()
				}
			})
		}
		for ran.Load()+refused.Load() < goroutines*100 {
			runtime.Gosched()
		}
		ctx, cancel := context.WithTimeout(t.Context(), ms)
		_ = e.Close(ctx) // nil or the deadline's error: either may be
		cancel()
		require.Zero(t, inside.Load(), "Close returned and a run was going on")
		require.Zero(t, e.Snapshot().Active)
		wg.Wait()
		require.LessOrEqual(t, most.Load(), int64(concurrency))
		require.EqualValues(t, goroutines*200, ran.Load()+refused.Load())
		require.Positive(t, ran.Load())
		s := e.Snapshot()
		require.EqualValues(t, goroutines*200, s.Totals.Admitted+s.Totals.Rejected+s.Totals.Cancelled+s.Totals.Closed)
	}
}
