package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// TestHammer is meant for -race: callers that come at once, leave at random
// moments, hold leases, release them during a run, and ask for more from inside.
// Each gets exactly one answer, of a kind that fits, and its own.
func TestHammer(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		leases := int64(2000)
		if o.Isolation == executor.Process {
			leases = 300
		}
		o.Concurrency, o.MaxQueueSize, o.QueueTimeout = 3, 8, 20*time.Millisecond
		var started, ended, tooMany atomic.Int64
		o.Observer = executor.Observer{
			RunStart: func(context.Context, contract.Program) context.Context {
				if started.Add(1)-ended.Load() > int64(o.Concurrency) {
					tooMany.Add(1)
				}
				return nil
			},
			RunEnd: func(context.Context, contract.Outcome, error) { ended.Add(1) },
		}
		e := newExecutor(t, o)
		h := &hammer{e: e}
		var wg sync.WaitGroup
		for g := range 12 {
			wg.Go(func() {
				random := rand.New(rand.NewPCG(7, uint64(g)))
				for h.admitted.Load() < leases {
					if err := h.operate(random); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		// A host function that asks for more may outlive the run that called it.
		require.EventuallyWithT(t, func(t *assert.CollectT) {
			totals := e.Snapshot().Totals
			assert.Equal(t, started.Load(), ended.Load())
			assert.EqualValues(t, h.admitted.Load(), totals.Admitted)
			assert.EqualValues(t, h.refused.Load(), totals.Rejected+totals.Cancelled)
		}, 20*time.Second, time.Millisecond)
		require.Zero(t, tooMany.Load(), "more runs at once than slots")
		require.Greater(t, h.answered.Load(), leases/10)
		if o.Isolation == executor.InProcess {
			require.LessOrEqual(t, live(e), o.Concurrency)
		}
	})
}

type hammer struct {
	e                           *executor.Executor
	admitted, refused, answered atomic.Int64
}

func (h *hammer) operate(random *rand.Rand) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if random.IntN(4) == 0 {
		timer := time.AfterFunc(time.Duration(random.IntN(2000))*time.Microsecond, cancel)
		defer timer.Stop()
	}
	l, err := h.e.Acquire(ctx, contract.AcquireOptions{NoWait: random.IntN(8) == 0})
	if err != nil {
		h.refused.Add(1)
		return h.refusal(ctx, err)
	}
	h.admitted.Add(1)
	defer l.Release()
	release := random.IntN(4) == 0
	if release {
		timer := time.AfterFunc(time.Duration(random.IntN(1000))*time.Microsecond, l.Release)
		defer timer.Stop()
	}
	n := random.IntN(1 << 20)
	out, err := l.Execute(ctx, h.program(random, n))
	switch {
	case errors.Is(err, contract.ErrReleased) && release, errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case out.Err == nil && string(out.Value) == fmt.Sprint(n):
		h.answered.Add(1)
		return nil
	case errors.Is(out.Err, contract.InterruptCPU) || errors.Is(out.Err, contract.InterruptWall):
		return nil
	}
	return fmt.Errorf("asked for %d, got %s, %w", n, out.Value, out.Err)
}

// refusal is nil for one that had to be expected: there was no room, or the caller
// has left.
func (h *hammer) refusal(ctx context.Context, err error) error {
	var refused *contract.RefusedError
	if errors.As(err, &refused) && (errors.Is(err, contract.ErrOverloaded) || ctx.Err() != nil && refused.Code == contract.CodeCancelled) {
		return nil
	}
	return err
}

// program is one whose answer is n, or one that a budget ends.
func (h *hammer) program(random *rand.Rand, n int) contract.Program {
	source := []string{
		"n", "n", "return await host.echo(n)", "return (await Promise.all([host.echo(0), host.echo(n)]))[1]",
		"return await host.inner(n)", "globalThis.n2 = n; Array.prototype.map = null; return n",
	}[random.IntN(6)]
	if random.IntN(100) == 0 {
		source = "for (;;);"
	}
	return contract.Program{
		Source: source, Globals: map[string]json.RawMessage{"n": json.RawMessage(fmt.Sprint(n))},
		Limits: contract.Limits{CPU: 5 * time.Millisecond},
		Providers: []contract.Provider{{Name: "host", Functions: map[string]contract.HostFunc{
			"echo": contract.Func(func(_ context.Context, n int) (int, error) { return n, nil }),
			"inner": contract.Func(func(ctx context.Context, n int) (int, error) {
				l, err := h.e.Acquire(ctx, contract.AcquireOptions{})
				if err != nil {
					h.refused.Add(1)
					return n, h.refusal(ctx, err)
				}
				h.admitted.Add(1)
				defer l.Release()
				_, err = l.Execute(ctx, contract.Program{Source: "1"})
				if ctx.Err() != nil {
					err = nil
				}
				return n, err
			}),
		}}},
	}
}
