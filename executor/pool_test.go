package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// newExecutor makes an executor, and at the end of the test checks that closing it
// leaves nothing.
func newExecutor(t *testing.T, o executor.Options) *executor.Executor {
	t.Helper()
	e, err := executor.New(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Close(context.Background()))
		s := e.Snapshot()
		require.Zero(t, s.Active)
		require.Zero(t, s.Queued)
		goleak.VerifyNone(t)
	})
	return e
}

// host is a provider of the name host with one function.
func host(name string, f contract.HostFunc) contract.Provider {
	return contract.Provider{Name: "host", Functions: map[string]contract.HostFunc{name: f}}
}

// meeting is a host function that a test waits in.
type meeting struct{ in, out chan struct{} }

func newMeeting() *meeting { return &meeting{make(chan struct{}), make(chan struct{})} }

func (m *meeting) provider() contract.Provider {
	return host("meet", func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		m.in <- struct{}{}
		select {
		case <-m.out:
			return json.RawMessage(`"met"`), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
}

func (m *meeting) program() contract.Program {
	return contract.Program{Source: "return await host.meet()", Providers: []contract.Provider{m.provider()}}
}

type answered struct {
	out contract.Outcome
	err error
}

// begin starts a run of p.
func begin(e contract.Executor, ctx context.Context, p contract.Program) <-chan answered {
	done := make(chan answered, 1)
	go func() {
		out, err := e.Execute(ctx, p)
		done <- answered{out, err}
	}()
	return done
}

func run(t *testing.T, e contract.Executor, source string) string {
	t.Helper()
	out, err := e.Execute(context.Background(), contract.Program{Source: source})
	require.NoError(t, err)
	require.NoError(t, out.Err)
	return string(out.Value)
}

func TestSandboxesAreBuiltWhenNeededAndReused(t *testing.T) {
	e := newExecutor(t, executor.Options{Concurrency: 3})
	require.Zero(t, live(e))
	for range 5 {
		require.Equal(t, "2", run(t, e, "1 + 1"))
		require.Equal(t, 1, live(e))
	}
	require.EqualValues(t, 5, e.Stats().Runs)

	m := newMeeting()
	first, second := begin(e, t.Context(), m.program()), begin(e, t.Context(), m.program())
	<-m.in
	<-m.in
	require.Equal(t, 2, live(e))
	close(m.out)
	require.Equal(t, `"met"`, string((<-first).out.Value))
	require.Equal(t, `"met"`, string((<-second).out.Value))
	require.Equal(t, 2, live(e))
	require.Equal(t, `"undefined"`, run(t, e, "globalThis.left = typeof left"))
	require.Equal(t, `"undefined"`, run(t, e, "typeof left"), "nothing is left of a run")
	require.EqualValues(t, 9, e.Stats().Runs)
	require.NoError(t, e.Close(context.Background()))
	require.Zero(t, live(e))
	require.EqualValues(t, 9, e.Stats().Runs, "the counts stay")
}

func live(e *executor.Executor) int {
	n, _, _ := e.Places()
	return n
}

func TestIdleSandboxesGiveTheirMemoryBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := executor.New(executor.Options{Concurrency: 2})
		require.NoError(t, err)
		dirty := func() int {
			_, _, n := e.Places()
			return n
		}
		run(t, e, "new Array(1e5).fill(1).length")
		require.Equal(t, 1, dirty())
		time.Sleep(executor.TrimAfter - time.Millisecond)
		synctest.Wait()
		require.Equal(t, 1, dirty(), "it may be needed soon")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		require.Zero(t, dirty())
		require.Equal(t, 1, live(e), "the sandbox itself is kept")

		// Two, idle since different moments.
		m := newMeeting()
		first := begin(e, t.Context(), m.program())
		<-m.in
		run(t, e, "1")
		time.Sleep(executor.TrimAfter / 2)
		close(m.out)
		<-first
		synctest.Wait()
		require.Equal(t, 2, dirty())
		time.Sleep(2 * executor.TrimAfter)
		synctest.Wait()
		require.Zero(t, dirty())
		require.Equal(t, 2, live(e))
		require.Equal(t, "3", run(t, e, "1 + 2"))
		require.NoError(t, e.Close(context.Background()))
	})
}

func TestTrimmingNeverLeavesMoreSandboxesThanSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := executor.New(executor.Options{Concurrency: 2})
		require.NoError(t, err)
		for range 50 {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { _, _ = e.Execute(context.Background(), contract.Program{Source: "1"}) })
			}
			wg.Wait()
			time.Sleep(executor.TrimAfter) // and the next runs come while it trims
		}
		time.Sleep(2 * executor.TrimAfter)
		synctest.Wait()
		n, idle, dirty := e.Places()
		require.LessOrEqual(t, n, 2)
		require.Equal(t, n, idle)
		require.Zero(t, dirty)
		require.NoError(t, e.Close(context.Background()))
	})
}

// isolations runs a test with sandboxes in this process, and with children where
// the tests have them.
func isolations(t *testing.T, test func(t *testing.T, o executor.Options)) {
	t.Run("in process", func(t *testing.T) { test(t, executor.Options{}) })
	if childrenInTests {
		t.Run("process", func(t *testing.T) { test(t, executor.Options{Isolation: executor.Process}) })
	}
}

func TestCloseLetsRunsFinish(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		o.Concurrency = 1
		e := newExecutor(t, o)
		m := newMeeting()
		going := begin(e, t.Context(), m.program())
		<-m.in
		queued := begin(e, t.Context(), contract.Program{Source: "1"})
		closed := make(chan error, 1)
		go func() { closed <- e.Close(context.Background()) }()
		requireClosed(t, (<-queued).err, false) // so Close has begun
		_, err := e.Execute(t.Context(), contract.Program{Source: "1"})
		requireClosed(t, err, false)
		select {
		case <-closed:
			t.Fatal("Close did not wait for the run")
		default:
		}
		close(m.out)
		got := <-going
		require.NoError(t, got.err)
		require.Equal(t, `"met"`, string(got.out.Value))
		require.NoError(t, <-closed)
		require.NoError(t, e.Close(context.Background()), "it is idempotent")
	})
}

var errDeadline = errors.New("the caller's patience is over")

func TestCloseStopsWhatIsLeft(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		o.Concurrency = 2
		e := newExecutor(t, o)
		m := newMeeting()
		waits := begin(e, t.Context(), m.program())
		<-m.in
		begun := make(chan struct{})
		spins := begin(e, t.Context(), contract.Program{
			Source: "console.log('begun'); for (;;);", OnLog: func(string) { close(begun) },
			Limits: contract.Limits{CPU: contract.Unlimited, Wall: contract.Unlimited},
		})
		<-begun
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errDeadline)
		require.ErrorIs(t, e.Close(ctx), errDeadline)
		for _, going := range []<-chan answered{waits, spins} {
			got := <-going
			requireClosed(t, got.err, true)
			require.Equal(t, contract.InterruptClosed, got.out.Interrupt)
		}
		requireClosed(t, second(e.Execute(t.Context(), contract.Program{Source: "1"})), false)
	})
}

func second(_ contract.Outcome, err error) error { return err }

func requireClosed(t *testing.T, err error, started bool) {
	t.Helper()
	requireRefused(t, err, contract.CodeClosed, "Executor is shutting down.", started)
	require.ErrorIs(t, err, contract.ErrClosed)
}

func requireRefused(t *testing.T, err error, code, text string, started bool) {
	t.Helper()
	var refused *contract.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, text, refused.Message)
	require.Equal(t, code, refused.Code)
	require.Equal(t, started, refused.Started)
}
