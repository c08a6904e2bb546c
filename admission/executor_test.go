package admission_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
)

// bare hides every power of an executor but Execute.
type bare struct {
	execute func(context.Context, contract.Program) (contract.Outcome, error)
}

func (b bare) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	return b.execute(ctx, p)
}

func wrapFake(t testing.TB, o admission.Options) admission.Executor {
	return admission.Wrap(bare{contracttest.NewFake().Execute}, newController(t, o))
}

func TestWrapPassesTheSuite(t *testing.T) {
	tests := []struct {
		name string
		o    admission.Options
	}{
		{"one slot", admission.Options{Concurrency: 1, MaxQueueSize: 32, QueueTimeout: time.Minute}},
		{"two slots", admission.Options{Concurrency: 2, MaxQueueSize: 32, QueueTimeout: time.Minute}},
		{"bounded leases", admission.Options{Concurrency: 2, MaxQueueSize: 32, QueueTimeout: time.Minute, MaxDuration: time.Minute}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			contracttest.Run(t, func(t testing.TB) contract.Executor { return wrapFake(t, test.o) })
		})
	}
}

func TestWrapOfAFullExecutorPassesTheSuite(t *testing.T) {
	contracttest.Run(t, func(t testing.TB) contract.Executor {
		return admission.Wrap(contracttest.NewFake(), newController(t, admission.Options{
			Concurrency: 2, MaxQueueSize: 32, QueueTimeout: time.Minute,
		}))
	})
}

// waits returns an executor whose runs wait for their context to end, and hand
// its bare error back.
func waits(running chan<- struct{}) bare {
	return bare{func(ctx context.Context, _ contract.Program) (contract.Outcome, error) {
		running <- struct{}{}
		<-ctx.Done()
		return contract.Outcome{Logs: []string{"kept"}}, ctx.Err()
	}}
}

type result struct {
	out contract.Outcome
	err error
}

func execute(ctx context.Context, e interface {
	Execute(context.Context, contract.Program) (contract.Outcome, error)
}) <-chan result {
	done := make(chan result, 1)
	go func() {
		out, err := e.Execute(ctx, contract.Program{})
		done <- result{out, err}
	}()
	return done
}

// TestWrapTranslatesACarelessExecutor: one that only hands ctx.Err() back still
// gives callers the contract's errors and outcome.
func TestWrapTranslatesACarelessExecutor(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name string
		stop func(e admission.Executor, l contract.Lease, cancel context.CancelCauseFunc)
		want contract.RefusedError
		why  contract.Interrupt
		text string
	}{
		{"cancel", func(_ admission.Executor, _ contract.Lease, cancel context.CancelCauseFunc) { cancel(boom) },
			contract.RefusedError{Code: "executor_cancelled", Message: "Execution was cancelled.", Started: true, Cause: boom},
			contract.InterruptCanceled, "Execution was cancelled."},
		{"release", func(_ admission.Executor, l contract.Lease, _ context.CancelCauseFunc) { l.Release() },
			contract.RefusedError{Code: "executor_cancelled", Message: "Executor lease was released during execution.", Started: true, Cause: contract.ErrReleased},
			contract.InterruptClosed, "Executor lease was released during execution."},
		{"close", func(e admission.Executor, _ contract.Lease, _ context.CancelCauseFunc) {
			now, cancel := context.WithCancelCause(context.Background())
			cancel(boom)
			if err := e.Close(now); err != boom {
				panic(err)
			}
		},
			contract.RefusedError{Code: "executor_closed", Message: "Executor is shutting down.", Started: true, Cause: contract.ErrClosed},
			contract.InterruptClosed, "Executor is shutting down."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			running := make(chan struct{}, 1)
			e := admission.Wrap(waits(running), newController(t, admission.Options{Concurrency: 1}))
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			l, err := e.Acquire(ctx, contract.AcquireOptions{})
			require.NoError(t, err)
			defer l.Release()
			done := execute(ctx, l)
			<-running
			test.stop(e, l, cancel)
			r := <-done
			requireRefused(t, r.err, test.want)
			require.Equal(t, test.why, r.out.Interrupt)
			require.ErrorIs(t, r.out.Err, test.why)
			require.EqualError(t, r.out.Err, test.text)
			require.Equal(t, []string{"kept"}, r.out.Logs)
		})
	}
}

func TestWrapKeepsAnswersThatAreTheRunsOwn(t *testing.T) {
	broken := errors.New("broken pipe")
	refusal := &contract.RefusedError{Code: contract.CodeOverloaded, Message: "inner", Cause: contract.ErrOverloaded}
	limit := &contract.InterruptError{Interrupt: contract.InterruptWall}
	tests := []struct {
		name string
		out  contract.Outcome
		err  error
	}{
		{"a value that came before the release was seen", contract.Outcome{Value: json.RawMessage(`1`)}, nil},
		{"a limit", contract.Outcome{Err: limit, Interrupt: contract.InterruptWall}, nil},
		{"an error of its own", contract.Outcome{}, broken},
		{"a refusal of its own", contract.Outcome{}, refusal},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := admission.Wrap(bare{func(context.Context, contract.Program) (contract.Outcome, error) {
				return test.out, test.err
			}}, newController(t, admission.Options{Concurrency: 1}))
			out, err := e.Execute(t.Context(), contract.Program{})
			require.Equal(t, test.out, out)
			require.Equal(t, test.err, err)
			require.Zero(t, e.Snapshot().Active)
		})
	}
	t.Run("a value in spite of a release", func(t *testing.T) {
		var l contract.Lease
		e := admission.Wrap(bare{func(context.Context, contract.Program) (contract.Outcome, error) {
			l.Release()
			return contract.Outcome{Value: json.RawMessage(`1`)}, nil
		}}, newController(t, admission.Options{Concurrency: 1}))
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		out, err := l.Execute(t.Context(), contract.Program{})
		require.NoError(t, err)
		require.Equal(t, `1`, string(out.Value))
		require.Zero(t, e.Snapshot().Active)
	})
}

func TestSlotIsHeldUntilAReleasedRunHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopping := make(chan struct{})
		e := admission.Wrap(bare{func(ctx context.Context, _ contract.Program) (contract.Outcome, error) {
			<-ctx.Done()
			<-stopping // slow to stop
			return contract.Outcome{}, ctx.Err()
		}}, newController(t, admission.Options{Concurrency: 1}))
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		done := execute(t.Context(), l)
		synctest.Wait()
		l.Release()
		_, err = e.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
		require.ErrorIs(t, err, admission.ErrOverloaded)
		close(stopping)
		require.ErrorIs(t, (<-done).err, contract.ErrReleased)
		require.Zero(t, e.Snapshot().Active)
	})
}

func TestExpiryEndsARunWhenTheSlotIsNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running := make(chan struct{}, 2)
		e := admission.Wrap(waits(running), newController(t, admission.Options{
			Concurrency: 1, MaxQueueSize: 1, QueueTimeout: time.Hour, MaxDuration: time.Minute,
		}))
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		first := execute(t.Context(), l)
		<-running
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Empty(t, first, "nobody needs the slot")

		ctx, cancel := context.WithCancel(t.Context())
		second := execute(ctx, e)
		<-running
		requireRefused(t, (<-first).err, contract.RefusedError{
			Code: "executor_cancelled", Message: "Executor lease expired during execution.", Started: true, Cause: contract.ErrReleased,
		})
		_, err = l.Execute(t.Context(), contract.Program{})
		require.EqualError(t, err, "Executor lease was already released.")
		l.Release()
		require.Equal(t, 1, e.Snapshot().Active)
		cancel()
		require.ErrorIs(t, (<-second).err, context.Canceled)
		require.NoError(t, e.Close(t.Context()))
	})
}

func TestIdleLeaseThatExpiredRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := wrapFake(t, admission.Options{Concurrency: 1, MaxDuration: time.Second})
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		time.Sleep(time.Second)
		other, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		_, err = l.Execute(t.Context(), contract.Program{})
		require.EqualError(t, err, "Executor lease was already released.")
		l.Release()
		other.Release()
		require.NoError(t, e.Close(t.Context()))
	})
}

func TestCloseEndsIdleLeases(t *testing.T) {
	e := wrapFake(t, admission.Options{Concurrency: 1})
	l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, e.Close(ctx), context.Canceled)
	_, err = l.Execute(t.Context(), contract.Program{})
	requireRefused(t, err, shuttingDown())
	require.Zero(t, e.Snapshot().Active)
	require.NoError(t, e.Close(ctx), "the second Close finds nothing to end")
}

func TestLiveLeaseMayRunWhileCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := wrapFake(t, admission.Options{Concurrency: 1})
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		closed := make(chan error, 1)
		go func() { closed <- e.Close(t.Context()) }()
		synctest.Wait()
		_, err = l.Execute(t.Context(), contract.Program{})
		require.NoError(t, err)
		require.Empty(t, closed)
		l.Release()
		require.NoError(t, <-closed)
	})
}

// closable is an inner executor that can be closed itself.
type closable struct {
	bare
	close func(context.Context) error
}

func (c closable) Close(ctx context.Context) error { return c.close(ctx) }

func TestCloseClosesTheInnerExecutor(t *testing.T) {
	inner := errors.New("inner")
	left := errors.New("left")
	over, cancel := context.WithCancelCause(context.Background())
	cancel(left)
	for _, test := range []struct {
		name string
		ctx  context.Context
		held bool
		err  error
		want []error
	}{
		{"well", t.Context(), false, nil, nil},
		{"its error", t.Context(), false, inner, []error{inner}},
		{"cut short", over, true, nil, []error{left}},
		{"cut short, and its error", over, true, inner, []error{left, inner}},
	} {
		t.Run(test.name, func(t *testing.T) {
			closes := 0
			e := admission.Wrap(closable{close: func(context.Context) error { closes++; return test.err }},
				newController(t, admission.Options{Concurrency: 1}))
			if test.held {
				_, err := e.Acquire(t.Context(), contract.AcquireOptions{})
				require.NoError(t, err)
			}
			err := e.Close(test.ctx)
			require.Equal(t, 1, closes)
			if test.want == nil {
				require.NoError(t, err)
			}
			for _, want := range test.want {
				require.ErrorIs(t, err, want)
			}
		})
	}
}

// An inner executor that ignores its context has to be closed to let go.
func TestCloseReachesAnExecutorThatIgnoresItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		let := make(chan struct{})
		e := admission.Wrap(closable{
			bare: bare{func(context.Context, contract.Program) (contract.Outcome, error) {
				<-let
				return contract.Outcome{}, errors.New("killed")
			}},
			close: func(context.Context) error { close(let); return nil },
		}, newController(t, admission.Options{Concurrency: 1}))
		done := execute(t.Context(), e)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, e.Close(ctx), context.DeadlineExceeded)
		require.ErrorIs(t, (<-done).err, contract.ErrClosed)
	})
}

func TestPanicGivesTheSlotBack(t *testing.T) {
	e := admission.Wrap(bare{func(context.Context, contract.Program) (contract.Outcome, error) { panic("boom") }},
		newController(t, admission.Options{Concurrency: 1, MaxDuration: time.Minute}))
	for range 3 {
		require.PanicsWithValue(t, "boom", func() { _, _ = e.Execute(t.Context(), contract.Program{}) })
		require.Zero(t, e.Snapshot().Active)
	}
	require.NoError(t, e.Close(t.Context()))
}

func TestWrapNames(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 1})
	require.Equal(t, "Fake", contract.Name(admission.Wrap(contracttest.NewFake(), c)))
	require.Empty(t, contract.Name(admission.Wrap(bare{}, c)))
}

func TestWrapOfNothing(t *testing.T) {
	c := newController(t, admission.Options{Concurrency: 1})
	for _, e := range []admission.Executor{admission.Wrap(nil, c), admission.Wrap(bare{}, nil)} {
		_, err := e.Execute(t.Context(), contract.Program{})
		require.ErrorIs(t, err, contract.ErrInvalid)
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.ErrorIs(t, err, contract.ErrInvalid)
		require.Nil(t, l)
		require.Empty(t, e.Name())
		require.Zero(t, e.Snapshot().Active)
		require.NoError(t, e.Close(t.Context()))
	}
}
