package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

func TestLeases(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		o.Concurrency = 1
		e := newExecutor(t, o)
		acquire := func() contract.Lease {
			l, err := e.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
			require.NoError(t, err)
			return l
		}

		l := acquire()
		require.Zero(t, l.Waited())
		out, err := l.Execute(t.Context(), contract.Program{Source: "1"})
		require.NoError(t, err)
		require.Equal(t, "1", string(out.Value))
		_, err = l.Execute(t.Context(), contract.Program{Source: "1"})
		require.EqualError(t, err, "Executor lease may execute only once.")
		require.ErrorIs(t, err, contract.ErrLeaseUsed)
		l.Release()
		l.Release()
		require.Zero(t, e.Snapshot().Active)

		l = acquire()
		l.Release()
		_, err = l.Execute(t.Context(), contract.Program{Source: "1"})
		requireRefused(t, err, contract.CodeCancelled, "Executor lease was already released.", false)
		require.ErrorIs(t, err, contract.ErrReleased)

		l = acquire()
		m := newMeeting()
		going := begin(leased{l}, t.Context(), m.program())
		<-m.in
		l.Release()
		got := <-going
		requireRefused(t, got.err, contract.CodeCancelled, "Executor lease was released during execution.", true)
		require.ErrorIs(t, got.err, contract.ErrReleased)
		require.Equal(t, contract.InterruptClosed, got.out.Interrupt)
		require.Equal(t, "2", run(t, e, "1 + 1"), "the slot is free, and works")
	})
}

// leased is one lease as an executor.
type leased struct{ contract.Lease }

func TestLeaseThatIsHeldTooLong(t *testing.T) {
	e := newExecutor(t, executor.Options{Concurrency: 1, MaxLease: time.Millisecond})
	l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
	require.NoError(t, err)
	require.Equal(t, "2", run(t, e, "1 + 1"), "who waits gets the slot")
	_, err = l.Execute(t.Context(), contract.Program{Source: "1"})
	requireRefused(t, err, contract.CodeCancelled, "Executor lease was already released.", false)
	l.Release()
}

const noSlot = "No executor slot is free for nested execution. Invoke the operation directly, after this program ends."

// A host function that asks its own executor for another run must not wait for a
// slot that its own caller holds.
func TestNestedRuns(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		for _, o.Concurrency = range []int{1, 2} {
			t.Run(fmt.Sprintf("slots=%d", o.Concurrency), func(t *testing.T) { nestedRun(t, o) })
		}
	})
}

func nestedRun(t *testing.T, o executor.Options) {
	e := newExecutor(t, o)
	inner := contract.Program{Source: "20 + 1"}
	nested := contract.Provider{Name: "host", Functions: map[string]contract.HostFunc{
		"execute": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			out, err := e.Execute(ctx, inner)
			return out.Value, err
		},
		"acquire": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			l, err := e.Acquire(ctx, contract.AcquireOptions{})
			if err != nil {
				return nil, err
			}
			defer l.Release()
			out, err := l.Execute(ctx, inner)
			return out.Value, err
		},
	}}
	out, err := e.Execute(t.Context(), contract.Program{
		Source:    "const got = []; for (const f of ['execute', 'acquire']) { try { got.push(await host[f]()) } catch (e) { got.push(e.message) } } return got",
		Providers: []contract.Provider{nested},
	})
	require.NoError(t, err)
	require.NoError(t, out.Err)
	want := []any{noSlot, noSlot}
	if o.Concurrency == 2 {
		want = []any{21.0, 21.0}
	}
	var got []any
	require.NoError(t, json.Unmarshal(out.Value, &got))
	require.Equal(t, want, got)
	require.EqualValues(t, 2*(2-o.Concurrency), e.Snapshot().Totals.Rejected)
}

// A run of another executor is no nested run: it waits.
func TestRunOfAnotherExecutorWaits(t *testing.T) {
	outer := newExecutor(t, executor.Options{Concurrency: 1})
	other := newExecutor(t, executor.Options{Concurrency: 1})
	m := newMeeting()
	busy := begin(other, t.Context(), m.program())
	<-m.in
	waits := host("ask", func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		asked := begin(other, ctx, contract.Program{Source: "5"})
		for other.Snapshot().Queued == 0 {
			time.Sleep(time.Millisecond) // no event says that somebody queues
		}
		close(m.out)
		got := <-asked
		return got.out.Value, got.err
	})
	out, err := outer.Execute(t.Context(), contract.Program{Source: "return await host.ask()", Providers: []contract.Provider{waits}})
	require.NoError(t, err)
	require.NoError(t, out.Err)
	require.Equal(t, "5", string(out.Value))
	require.NoError(t, (<-busy).err)
}
