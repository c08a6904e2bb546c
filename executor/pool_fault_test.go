package executor_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/internal/fault"
)

var errEngine = errors.New("the engine's own failure")

// failing is a hook that makes one point fail.
func failing(point string) func(string) error {
	return func(at string) error {
		if at == point {
			return errEngine
		}
		return nil
	}
}

// A sandbox that cannot be built fails the run it was for, and holds nothing.
func TestSandboxThatCannotBeBuilt(t *testing.T) {
	notes := &notebook{}
	e := newExecutor(t, executor.Options{Concurrency: 1, Observer: notes.observer()})
	restore := fault.Set(failing(fault.Engine))
	defer restore()
	out, err := e.Execute(t.Context(), contract.Program{Name: "first", Source: "1"})
	require.ErrorIs(t, err, errEngine)
	require.ErrorContains(t, err, "bridge: building a sandbox: ")
	require.Equal(t, contract.Outcome{}, out)
	require.Equal(t, []string{"start first", "end  <nil> " + err.Error() + " in first"}, notes.take())
	l, err := e.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
	require.NoError(t, err, "the slot is free")
	_, err = l.Execute(t.Context(), contract.Program{Source: "1"})
	require.ErrorIs(t, err, errEngine)
	l.Release()
	require.Zero(t, e.Snapshot().Active)
	require.Zero(t, live(e))
	restore()
	require.Equal(t, "2", run(t, e, "1 + 1"))
}

// An executor that is closed, by somebody without patience, in the instant in which
// a run starts or has its sandbox built: the run is refused as one that was torn
// down, and nothing is left.
func TestClosedInTheInstantOfAStart(t *testing.T) {
	for _, c := range []struct {
		name      string
		isolation executor.Isolation
		building  bool
	}{
		{"before it has a sandbox", executor.InProcess, false},
		{"while its sandbox is built", executor.InProcess, true},
		{"before it has a child", executor.Process, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e *executor.Executor
				closed := make(chan error, 1)
				var began bool
				begin := func() {
					if began {
						return
					}
					began = true
					ctx, cancel := context.WithCancelCause(context.Background())
					cancel(errDeadline)
					go func() { closed <- e.Close(ctx) }()
					synctest.Wait() // until Close has closed all there is, and waits for this run
				}
				o := executor.Options{Concurrency: 1, Isolation: c.isolation}
				if c.building {
					defer fault.Set(func(string) error { begin(); return nil })()
				} else {
					o.Observer.RunStart = func(context.Context, contract.Program) context.Context { begin(); return nil }
				}
				var err error
				e, err = executor.New(o)
				require.NoError(t, err)
				out, err := e.Execute(context.Background(), contract.Program{Source: "1"})
				require.True(t, began)
				requireClosed(t, err, true)
				require.Equal(t, contract.InterruptClosed, out.Interrupt)
				require.ErrorIs(t, <-closed, errDeadline)
				if c.isolation == executor.InProcess {
					require.Zero(t, live(e))
				}
				require.Equal(t, bridge.Stats{}, e.Stats())
				requireClosed(t, second(e.Execute(context.Background(), contract.Program{Source: "1"})), false)
				require.NoError(t, e.Close(context.Background()))
			})
		})
	}
}

// Sandboxes that were built while others gave memory back may be too many, and are
// taken down; after a close nothing is put back.
func TestTrimmedSandboxesThatNobodyNeeds(t *testing.T) {
	e := newExecutor(t, executor.Options{Concurrency: 1})
	back := e.Trimming() // one is taken, as if it were giving memory back
	require.Equal(t, "2", run(t, e, "1 + 1"), "in another one")
	require.Equal(t, 2, live(e))
	back()
	require.Equal(t, 1, live(e))
	require.Equal(t, "3", run(t, e, "1 + 2"))
	require.EqualValues(t, 2, e.Stats().Runs)

	back = e.Trimming()
	require.NoError(t, e.Close(context.Background()))
	back()
	require.Zero(t, live(e))
}

// What the system does not take back is said, at Warn, and costs no run.
func TestTrimmingThatTheSystemRefuses(t *testing.T) {
	for point, says := range map[string]string{
		fault.Release: "an idle sandbox keeps its memory",
		fault.Unmap:   "a sandbox was not taken down",
	} {
		t.Run(point, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := &syncBuffer{}
				e, err := executor.New(executor.Options{Concurrency: 1, Logger: slog.New(slog.NewTextHandler(log, nil))})
				require.NoError(t, err)
				require.Equal(t, "2", run(t, e, "1 + 1"))
				func() {
					defer fault.Set(failing(point))()
					if point == fault.Unmap { // of a sandbox that is one too many
						back := e.Trimming()
						run(t, e, "1")
						back()
						return
					}
					time.Sleep(2 * executor.TrimAfter)
					synctest.Wait()
				}()
				require.Contains(t, log.String(), "level=WARN msg=\""+says+"\" error=")
				require.Contains(t, log.String(), errEngine.Error())
				require.Equal(t, "3", run(t, e, "1 + 2"))
				require.NoError(t, e.Close(context.Background()))
			})
		})
	}
}
