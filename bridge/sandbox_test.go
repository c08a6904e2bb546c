package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

var errCause = errors.New("the caller's reason")

// signal is a provider whose functions tell the test where a program is.
func signal(f func()) []contract.Provider {
	p := providers()
	p[0].Immediate["signal"] = func(context.Context, json.RawMessage) (json.RawMessage, error) { f(); return nil, nil }
	return p
}

func requireRefused(t *testing.T, err error, code, message string, started bool) {
	t.Helper()
	var refused *contract.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, contract.RefusedError{Code: code, Message: message, Started: started, Cause: refused.Cause}, *refused)
}

// The places in a program at which somebody else may end it.
var stopPlaces = map[string]string{
	"in a loop":                      "t.signal(); await null; await null; for (;;);",
	"in a function that never polls": "t.signal(); await null; await null; for (;;) new Array(1e7).includes(5)",
	"while it waits for a function":  "t.signal(); await t.hang()",
	"between many calls":             "t.signal(); for (;;) await t.echo(1)",
	"between immediate calls":        "t.signal(); for (;;) await t.now(1)",
	"in a queue of calls":            "t.signal(); for (let i = 0; i < 200; i++) t.hang(i); await t.hang()",
	"while it is read out":           "await t.signal(); return { toJSON() { for (;;); } }",
}

func TestCancellation(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for name, source := range stopPlaces {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			out, err := box.Run(ctx, contract.Program{
				Source:    "console.log('kept')\ntry {" + source + "} catch (e) { console.log('caught') }",
				Providers: signal(func() { go cancel(errCause) }),
				Limits:    contract.Limits{HostCalls: 1 << 40},
			})
			requireRefused(t, err, contract.CodeCancelled, "Execution was cancelled.", true)
			require.ErrorIs(t, err, errCause)
			require.ErrorIs(t, out.Err, contract.InterruptCanceled)
			require.ErrorIs(t, out.Err, errCause)
			require.Equal(t, contract.InterruptCanceled, out.Interrupt)
			require.Equal(t, []string{"kept"}, out.Logs)
			require.Nil(t, out.Value)
			require.Nil(t, out.Failure)
			require.NotEmpty(t, out.Calls)
			require.Equal(t, "5", string(run(t, box, "await t.echo(5)").Value))
		})
	}
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errCause)
		runs := box.Stats().Runs
		out, err := box.Run(ctx, contract.Program{Source: "1"})
		requireRefused(t, err, contract.CodeCancelled, "Execution was cancelled before it started.", false)
		require.ErrorIs(t, err, errCause)
		require.Equal(t, contract.Outcome{}, out)
		require.Equal(t, runs, box.Stats().Runs)
	})
	t.Run("deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		out, err := box.Run(ctx, contract.Program{Source: "for (;;);"})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.False(t, out.TimedOut())
	})
	t.Run("after", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		out, err := box.Run(ctx, contract.Program{Source: "1"})
		require.NoError(t, err)
		cancel(errCause)
		require.Equal(t, "1", string(out.Value))
		require.Equal(t, "2", string(run(t, box, "2").Value))
	})
}

func TestCloseDuringARun(t *testing.T) {
	for name, source := range stopPlaces {
		t.Run(name, func(t *testing.T) {
			box, err := bridge.NewSandbox(bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
			require.NoError(t, err)
			closed := make(chan error, 3)
			out, err := box.Run(t.Context(), contract.Program{
				Source: "console.log('kept')\ntry {" + source + "} catch (e) { console.log('caught') }",
				Providers: signal(func() {
					for range 3 {
						go func() { closed <- box.Close() }()
					}
				}),
				Limits: contract.Limits{HostCalls: 1 << 40},
			})
			requireRefused(t, err, contract.CodeClosed, "Executor is shutting down.", true)
			require.ErrorIs(t, err, contract.ErrClosed)
			require.ErrorIs(t, out.Err, contract.InterruptClosed)
			require.Equal(t, []string{"kept"}, out.Logs)
			for range 3 {
				require.NoError(t, <-closed)
			}
			_, err = box.Run(t.Context(), contract.Program{Source: "1"})
			requireRefused(t, err, contract.CodeClosed, "Executor is shutting down.", false)
			require.ErrorIs(t, box.Check(t.Context(), contract.Program{Source: "1"}), contract.ErrClosed)
			require.NoError(t, box.Trim())
			require.EqualValues(t, 1, box.Stats().Runs)
			require.NoError(t, box.Close())
		})
	}
}

// The context of a host function ends with the run, and what the function
// returns after that goes nowhere.
func TestHostContextEndsWithTheRun(t *testing.T) {
	box := newBox(t)
	type key struct{}
	ended := make(chan error, 1)
	p := []contract.Provider{{Name: "t", Functions: map[string]contract.HostFunc{
		"late": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			if ctx.Value(key{}) != "the caller's" {
				ended <- errors.New("not the caller's context")
				return nil, nil
			}
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return json.RawMessage(`"late"`), nil
		},
	}}}
	ctx := context.WithValue(t.Context(), key{}, "the caller's")
	for source, interrupt := range map[string]contract.Interrupt{
		"t.late(); 5":                    contract.InterruptNone,
		"t.late(); throw 5":              contract.InterruptNone,
		"t.late(); for (;;);":            contract.InterruptCPU,
		"await t.late()":                 contract.InterruptWall,
		"t.late(); 'x'.repeat(2 ** 31)":  contract.InterruptNone,
		"t.late(); new ArrayBuffer(1e9)": contract.InterruptMemory,
	} {
		// Only the limit that is meant is small: the others have to hold on a busy
		// machine too.
		limits := contract.Limits{CPU: 10 * time.Second}
		switch interrupt {
		case contract.InterruptCPU:
			limits.CPU = 100 * time.Millisecond
		case contract.InterruptWall:
			limits.Wall = 300 * time.Millisecond
		}
		out, err := box.Run(ctx, contract.Program{Source: source, Providers: p, Limits: limits})
		require.NoError(t, err)
		require.Equal(t, interrupt, out.Interrupt, source)
		require.Len(t, out.Calls, 1)
		require.Equal(t, contract.CallInFlight, out.Calls[0].State)
		before := fmt.Sprint(out)
		require.ErrorContains(t, <-ended, "the run has ended")
		next := run(t, box, "await t.now(1); await t.echo(2)")
		require.Equal(t, "2", string(next.Value))
		require.Len(t, next.Calls, 2)
		require.Equal(t, before, fmt.Sprint(out))
	}
}

func TestPanics(t *testing.T) {
	boom := func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("boom") }
	exit := func(context.Context, json.RawMessage) (json.RawMessage, error) { runtime.Goexit(); return nil, nil }
	box := newBox(t)
	tests := []struct {
		name, source string
		program      contract.Program
		want         any
	}{
		{"function", "await t.boom()", contract.Program{}, "boom"},
		{"caught in the guest", "try { await t.boom() } catch (e) { console.log('caught') } for (;;);", contract.Program{}, "boom"},
		{"not awaited", "t.boom(); await t.hang()", contract.Program{}, "boom"},
		{"immediate function", "await t.boomNow()", contract.Program{}, "boom"},
		{"immediate function in a queue", "t.now(1); t.boomNow(); t.never(); await t.now(2)", contract.Program{}, "boom"},
		{"Goexit in a function", "await t.exit()", contract.Program{}, "bridge: a host function called runtime.Goexit"},
		{"OnLog", "t.hang(); console.log(1)", contract.Program{OnLog: func(string) { panic("boom") }}, "boom"},
		{"OnLog while it is read out", "return { toJSON() { console.log(1) } }", contract.Program{OnLog: func(string) { panic("boom") }}, "boom"},
		{"OnCall", "t.hang(); await t.now(1)", contract.Program{OnCall: func(contract.Call) { panic("boom") }}, "boom"},
		{"OnCall for an unknown function", "t.hang(); t.missing()", contract.Program{OnCall: func(contract.Call) { panic("boom") }}, "boom"},
		{"OnCall at the end", "t.hang(); 1", contract.Program{OnCall: func(contract.Call) { panic("boom") }}, "boom"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := test.program
			p.Source, p.Providers = test.source, providers()
			p.Providers[0].Functions["boom"], p.Providers[0].Immediate["boomNow"] = boom, boom
			p.Providers[0].Functions["exit"] = exit
			p.Providers[0].Immediate["never"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
				t.Error("it ran after a panic")
				return nil, nil
			}
			// A context that can end, and does after the panic.
			ctx, cancel := context.WithCancel(t.Context())
			require.PanicsWithValue(t, test.want, func() { _, _ = box.Run(ctx, p) })
			cancel()
			require.Equal(t, "5", string(run(t, box, "await t.echo(5)").Value))
		})
	}
	t.Run("Goexit on the driving goroutine", func(t *testing.T) {
		for _, p := range []contract.Program{
			{Source: "await t.exit()"},
			{Source: "t.hang(); console.log(1)", OnLog: func(string) { runtime.Goexit() }},
			{Source: "t.hang(); 1", OnCall: func(contract.Call) { runtime.Goexit() }},
		} {
			p.Providers = providers()
			p.Providers[0].Immediate["exit"] = exit
			returned := true
			var wg sync.WaitGroup
			wg.Go(func() {
				_, _ = box.Run(t.Context(), p)
				returned = false
			})
			wg.Wait()
			require.True(t, returned)
			require.Equal(t, "5", string(run(t, box, "await t.echo(5)").Value))
		}
	})
}

// A sandbox that is busy says so instead of mixing two programs.
// A host function that answers because the run was called off came second.
func TestAnswersAfterTheEndAreDropped(t *testing.T) {
	box := newBox(t)
	for range 200 {
		ctx, cancel := context.WithCancelCause(t.Context())
		p := providers()
		p[0].Functions["leave"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
			cancel(errCause)
			return nil, errors.New("left")
		}
		out, err := box.Run(ctx, contract.Program{Source: "await t.leave()", Providers: p})
		require.ErrorIs(t, err, errCause)
		require.Equal(t, contract.InterruptCanceled, out.Interrupt)
	}
}

// While Close holds the sandbox it is closed, and not busy with another program.
func TestWhileClosing(t *testing.T) {
	box := newBox(t)
	var closing sync.WaitGroup
	var ran, checked error
	p := providers()
	p[0].Immediate["close"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		closing.Go(func() { _ = box.Close() })
		// Close has begun when one of these says so; it cannot end before the run.
		for start := time.Now(); !errors.Is(ran, contract.ErrClosed) && time.Since(start) < 10*time.Second; runtime.Gosched() {
			_, ran = box.Run(context.Background(), contract.Program{Source: "1"})
		}
		checked = box.Check(context.Background(), contract.Program{Source: "1"})
		return nil, nil
	}
	_, err := box.Run(t.Context(), contract.Program{Source: "t.close()", Providers: p})
	require.ErrorIs(t, err, contract.ErrClosed)
	requireRefused(t, ran, contract.CodeClosed, "Executor is shutting down.", false)
	requireRefused(t, checked, contract.CodeClosed, "Executor is shutting down.", false)
	closing.Wait()
}

func TestOneRunAtATime(t *testing.T) {
	box := newBox(t)
	var inner error
	var checked error
	p := providers()
	p[0].Immediate["again"] = func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		_, inner = box.Run(ctx, contract.Program{Source: "1"})
		checked = box.Check(ctx, contract.Program{Source: "1"})
		return json.RawMessage("1"), nil
	}
	out, err := box.Run(t.Context(), contract.Program{Source: "await t.again()", Providers: p})
	require.NoError(t, err)
	require.Equal(t, "1", string(out.Value))
	require.ErrorIs(t, inner, contract.ErrInvalid)
	require.ErrorContains(t, inner, "the sandbox is running another program; use one sandbox per program at a time")
	require.Equal(t, inner, checked)

	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 50 {
				out, err := box.Run(context.Background(), contract.Program{Source: fmt.Sprint(i)})
				switch {
				case err == nil && string(out.Value) != fmt.Sprint(i):
					t.Errorf("run %d gave %s", i, out.Value)
				case err != nil && !errors.Is(err, contract.ErrInvalid):
					t.Error(err)
				}
				_ = box.Stats()
			}
		})
	}
	wg.Wait()
}

// Nothing of a run is there in the next one.
func TestRunsAreStrangers(t *testing.T) {
	box := newBox(t)
	for _, source := range []string{
		"globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = null; t = null; console.log = null",
		"delete globalThis.Promise; delete Error.prototype.stack; JSON.stringify = null",
		"t.hang(); Promise.reject(1); void new Promise(() => {})",
		"class Left {}; var left2 = 1; let left3; for (;;);",
		"for (let i = 0; i < 1e4; i++) Promise.resolve().then(() => left)",
		"Object.freeze(Object.prototype); Object.freeze(globalThis); throw 1",
		"const a = []; for (;;) a.push('left'.repeat(1e5) + a.length)",
		"export default 1",
		"let left = 5; Date.now = () => 1; Math.random = () => 1; Symbol.for('left')",
	} {
		_ = run(t, box, source)
		out := run(t, box, `[typeof left, typeof left2, ({}).left, [1].map(x => x).length, typeof t, typeof Promise, 'stack' in Error.prototype,
			JSON.stringify(1), Object.isFrozen(globalThis), Date.now() > 1e12, Math.random() < 1, new Error('x').stack.length > 0, await t.echo(1)]`)
		require.NoError(t, out.Err, source)
		require.Equal(t, `["undefined","undefined",null,1,"object","function",true,"1",false,true,true,true,1]`, string(out.Value), source)
		require.Empty(t, out.Unhandled)
		require.Len(t, out.Calls, 1)
	}
}

func TestListeners(t *testing.T) {
	box := newBox(t)
	var logs []string
	var calls []contract.Call
	out, err := box.Run(t.Context(), contract.Program{
		Source:    "console.log('a'); t.hang(); console.log('b', 1); await t.now(1); await t.missing().catch(() => {}); await t.fail().catch(() => {}); 1",
		Providers: providers(),
		OnLog:     func(s string) { logs = append(logs, s) },
		OnCall:    func(c contract.Call) { calls = append(calls, c) },
	})
	require.NoError(t, err)
	require.Equal(t, out.Logs, logs)
	require.Len(t, calls, 4)
	require.ElementsMatch(t, out.Calls, calls)
	require.Equal(t, contract.CallInFlight, calls[3].State)
	require.Equal(t, "t.hang", calls[3].Name)
	require.Positive(t, calls[3].Duration)
	require.Zero(t, calls[1].Duration)
}

func TestCheckRunsNothing(t *testing.T) {
	box := newBox(t)
	p := contract.Program{Source: "console.log(1); t.now(1)", Providers: providers(), OnLog: func(string) { t.Error("it ran") }}
	require.NoError(t, box.Check(t.Context(), p))
	p.Source = "import x from 'y'; export default x"
	var thrown *contract.GuestError
	require.ErrorAs(t, box.Check(t.Context(), p), &thrown)
	require.Equal(t, "SyntaxError", thrown.Name)
	require.Contains(t, thrown.Hint, "`import` does not work here")
	require.Zero(t, box.Stats().Runs)

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errCause)
	require.ErrorIs(t, box.Check(ctx, p), errCause)
}

// After a fault the arena is built anew; the counters go on.
func TestRebuildAfterAFault(t *testing.T) {
	box := newBox(t)
	require.Equal(t, "1", string(run(t, box, "1").Value))
	_ = run(t, box, "new ArrayBuffer(1e9)")
	out, err := box.RunFaulty(t.Context())
	require.NoError(t, err)
	require.ErrorIs(t, out.Err, contract.InterruptFault)
	require.EqualError(t, out.Err, "Execution ended by an engine fault: quickjs: engine fault: a test said so")
	require.Equal(t, contract.InterruptFault, out.Interrupt)
	require.EqualValues(t, 1, box.Stats().MemoryStops)
	require.Equal(t, "5", string(run(t, box, "await t.echo(5)").Value))
	require.EqualValues(t, 1, box.Stats().Rebuilt)
	require.EqualValues(t, 1, box.Stats().MemoryStops)
	require.EqualValues(t, 3, box.Stats().Runs)

	_, err = box.RunFaulty(t.Context())
	require.NoError(t, err)
	require.NoError(t, box.Trim())
	require.NoError(t, box.Close())
	_, err = box.RunFaulty(t.Context())
	require.ErrorIs(t, err, contract.ErrClosed)
}

func TestTrimGivesMemoryBack(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	base := resident(t)
	const source = "const keep = []; for (let i = 0; i < 20; i++) keep.push('x'.repeat(1e6) + i); t.now(1); keep.length"
	for range 2 {
		require.Equal(t, "20", string(run(t, box, source).Value))
		require.NoError(t, box.Trim())
		require.NoError(t, box.Trim())
		if base > 0 && !raceEnabled {
			require.Less(t, resident(t)-base, 8<<20)
		}
	}
}

// Whoever ends a run, it ends once and says so.
func TestStopsRace(t *testing.T) {
	for range 30 {
		box, err := bridge.NewSandbox(bridge.Options{Limits: contract.Limits{Memory: 2 << 20}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		var wg sync.WaitGroup
		out, err := box.Run(ctx, contract.Program{
			Source: "t.signal(); for (let i = 0; i < 5; i++) await t.echo(i); const a = []; for (;;) a.push('x'.repeat(1e3) + a.length)",
			Providers: signal(func() {
				wg.Go(func() { cancel(errCause) })
				wg.Go(func() { _ = box.Close() })
			}),
			Limits: contract.Limits{CPU: time.Millisecond, Wall: 2 * time.Millisecond},
		})
		wg.Wait()
		require.NotEqual(t, contract.InterruptNone, out.Interrupt)
		require.ErrorIs(t, out.Err, out.Interrupt)
		switch out.Interrupt {
		case contract.InterruptCanceled:
			require.ErrorIs(t, err, errCause)
		case contract.InterruptClosed:
			require.ErrorIs(t, err, contract.ErrClosed)
		default:
			require.NoError(t, err)
		}
		require.NoError(t, box.Close())
	}
}
