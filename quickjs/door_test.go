package quickjs_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// slow is one builtin that never polls and takes far longer than any budget
// here.
const slow = "new Array(1e9).includes(5)"

func run(c *quickjs.Context, src string) func() error {
	return func() error {
		v, err := c.Eval(src, quickjs.EvalOptions{})
		if err == nil {
			v.Free()
		}
		return err
	}
}

func TestHowARunEnds(t *testing.T) {
	soon := func() quickjs.Budget { return quickjs.Budget{Wall: time.Now().Add(20 * time.Millisecond)} }
	cpu := func() quickjs.Budget { return quickjs.Budget{CPU: 20 * time.Millisecond, Limited: true} }
	none := func() quickjs.Budget { return quickjs.Budget{} }
	for _, tt := range []struct {
		name   string
		src    string
		budget func() quickjs.Budget
		want   error
	}{
		{"loop, wall", "for (;;);", soon, quickjs.ErrWall},
		{"loop, processor", "for (;;);", cpu, quickjs.ErrCPU},
		{"builtin, wall", slow, soon, quickjs.ErrWall},
		{"builtin, processor", slow, cpu, quickjs.ErrCPU},
		{"loop that catches all", "for (;;) { try { for (;;); } catch {} finally { continue } }", cpu, quickjs.ErrCPU},
		{"promise that catches all", "(async () => { for (;;) { try { await new Promise(() => { for (;;); }) } catch {} } })()", cpu, quickjs.ErrCPU},
		{"memory", "const a = []; for (;;) a.push(new Uint8Array(1e6))", none, quickjs.ErrOutOfMemory},
		{"memory in one piece", "new Uint8Array(1e9)", none, quickjs.ErrOutOfMemory},
		{"regular expression", "/(a*)*b/.exec('a'.repeat(5000))", cpu, quickjs.ErrCPU},
		{"spent processor", "1", func() quickjs.Budget { return quickjs.Budget{Limited: true} }, quickjs.ErrCPU},
		{"passed wall", "1", func() quickjs.Budget { return quickjs.Budget{Wall: time.Now().Add(-1)} }, quickjs.ErrWall},
		{"far wall", "1", func() quickjs.Budget { return quickjs.Budget{Wall: time.Now().Add(290 * 365 * 24 * time.Hour)} }, nil},
		{"endless processor", "1", func() quickjs.Budget { return quickjs.Budget{CPU: 1<<63 - 1, Limited: true} }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			start := time.Now()
			spent, err := rt.Do(tt.budget(), run(c, tt.src))
			took := time.Since(start)
			require.ErrorIs(t, err, tt.want)
			// That it ends; internal/conform holds how late against a bound, and
			// knows a busy machine when it sees one.
			require.Less(t, took, 20*time.Second)
			require.LessOrEqual(t, spent.Over, took)
			if tt.want == nil {
				return
			}
			var in *quickjs.InterruptError
			require.Equal(t, tt.want != quickjs.ErrOutOfMemory, errors.As(err, &in))
			// Nothing more runs on this state, and the reason is remembered.
			_, err = rt.Do(quickjs.Budget{}, run(c, "1"))
			require.ErrorIs(t, err, quickjs.ErrLeft)
			require.ErrorIs(t, err, tt.want)
			_, err = c.Eval("1", quickjs.EvalOptions{})
			require.ErrorIs(t, err, quickjs.ErrLeft)
			nextRun(t, rt, c)
			require.Zero(t, rt.Stats().Faults)
		})
	}
}

func TestInterruptFunc(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	cause := errors.New("no more")
	calls := 0
	rt.SetInterrupt(func() error {
		if calls++; calls == 3 {
			return cause
		}
		return nil
	})
	_, err := rt.Do(quickjs.Budget{}, run(c, "for (;;) { try { throw 1 } catch {} }"))
	require.ErrorIs(t, err, cause)
	require.Equal(t, 3, calls)
	require.EqualError(t, err, "quickjs: interrupted: no more")
	require.Equal(t, uint64(1), rt.Stats().Interrupts)
}

func TestKill(t *testing.T) {
	cause := errors.New("cancelled")
	for _, tt := range []struct {
		name string
		do   func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error
	}{
		{"before", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			rt.Kill(cause)
			rt.Kill(errors.New("a later cause"))
			_, err := rt.Do(quickjs.Budget{}, func() error { t.Error("ran"); return nil })
			return err
		}},
		{"inside a builtin", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			time.AfterFunc(5*time.Millisecond, func() { rt.Kill(cause) })
			_, err := rt.Do(quickjs.Budget{}, run(c, slow))
			return err
		}},
		{"inside a loop", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			time.AfterFunc(5*time.Millisecond, func() { rt.Kill(cause) })
			_, err := rt.Do(quickjs.Budget{}, run(c, "for (;;);"))
			return err
		}},
		{"inside a Go function", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			f, err := c.Function("f", 0, func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
				rt.Kill(cause)
				v, err := c.String("never")
				t.Error("the engine was entered")
				return v, err
			})
			require.NoError(t, err)
			_, err = rt.Do(quickjs.Budget{}, func() error {
				_, err := f.Call(c.Undefined())
				return err
			})
			return err
		}},
		{"inside Do, outside the engine", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			_, err := rt.Do(quickjs.Budget{}, func() error {
				rt.Kill(cause)
				_, err := c.Eval("1", quickjs.EvalOptions{})
				t.Error("the engine was entered")
				return err
			})
			return err
		}},
		{"while bytes are lent", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			v, err := c.ArrayBuffer(make([]byte, 100))
			require.NoError(t, err)
			_, err = rt.Do(quickjs.Budget{}, func() error {
				return v.WithBytes(func(b []byte) {
					rt.Kill(cause)
					b[50] = 1
					t.Error("the bytes were touched")
				})
			})
			return err
		}},
		{"after", func(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context) error {
			_, err := rt.Do(quickjs.Budget{}, run(c, "1"))
			require.NoError(t, err)
			rt.Kill(cause)
			_, err = c.Eval("1", quickjs.EvalOptions{})
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			err := tt.do(t, rt, c)
			require.ErrorIs(t, err, cause)
			require.NotContains(t, err.Error(), "later")
			nextRun(t, rt, c)
			require.Zero(t, rt.Stats().Faults)
		})
	}
}

// Work that was complete when the stop came is not lost; but no more may follow.
func TestACompleteResultIsKept(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	cause := errors.New("too late")
	got := ""
	spent, err := rt.Do(quickjs.Budget{}, func() error {
		v, err := c.Eval("'complete'", quickjs.EvalOptions{})
		if err != nil {
			return err
		}
		got, _ = v.Text()
		rt.Kill(cause)
		return nil
	})
	require.NoError(t, err)
	require.Zero(t, spent.Over)
	require.Equal(t, "complete", got)
	require.Equal(t, uint64(1), rt.Stats().Kills)
	_, err = c.Eval("1", quickjs.EvalOptions{})
	require.ErrorIs(t, err, quickjs.ErrLeft)
	require.ErrorIs(t, err, cause)
	nextRun(t, rt, c)
}

// Whoever recovers a stop on its way does not make the run complete.
func TestARecoveredStopIsStillAStop(t *testing.T) {
	swallow := func(f func()) { defer func() { _ = recover() }(); f() }
	for _, tt := range []struct {
		name string
		do   func(rt *quickjs.Runtime, c *quickjs.Context) error
	}{
		{"in the work", func(rt *quickjs.Runtime, c *quickjs.Context) error {
			swallow(func() { _ = run(c, "new Uint8Array(1e9)")() })
			return nil
		}},
		{"in a Go function", func(rt *quickjs.Runtime, c *quickjs.Context) error {
			f, err := c.Function("f", 0, func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
				swallow(func() { _ = run(c, "new Uint8Array(1e9)")() })
				return quickjs.Value{}, nil
			})
			if err != nil {
				return err
			}
			_, err = f.Call(c.Undefined())
			return err
		}},
		{"with handles freed on the way", func(rt *quickjs.Runtime, c *quickjs.Context) error {
			v, err := c.Object()
			if err != nil {
				return err
			}
			defer v.Free()
			defer func() { _ = v.Kind() }()
			return run(c, "new Uint8Array(1e9)")()
		}},
		{"with the engine used on the way", func(rt *quickjs.Runtime, c *quickjs.Context) error {
			defer func() { _, _ = c.Object() }()
			return run(c, "new Uint8Array(1e9)")()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			_, err := rt.Do(quickjs.Budget{}, func() error { return tt.do(rt, c) })
			require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
			require.Equal(t, uint64(1), rt.Stats().MemoryStops)
			nextRun(t, rt, c)
		})
	}
}

func TestAPanicReachesTheCaller(t *testing.T) {
	type own struct{ n int }
	var none *own
	for _, tt := range []struct {
		name  string
		value any
		f     func()
	}{
		{"value", own{7}, func() { panic(own{7}) }},
		{"error", quickjs.ErrOutOfMemory, func() { panic(quickjs.ErrOutOfMemory) }},
		{"nil pointer", "invalid memory address", func() { none.n++ }},
	} {
		for _, where := range []string{"Go function", "nested Go function", "work", "InterruptFunc", "RejectionFunc"} {
			t.Run(tt.name+" in "+where, func(t *testing.T) {
				rt, c := ready(t, quickjs.Limits{})
				call := func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
					tt.f()
					return quickjs.Value{}, nil
				}
				p := attempt(func() {
					_, _ = rt.Do(quickjs.Budget{}, func() error {
						g := c.Global()
						defer g.Free()
						src := "for (;;);"
						switch where {
						case "work":
							tt.f()
						case "InterruptFunc":
							rt.SetInterrupt(func() error { tt.f(); return nil })
						case "RejectionFunc":
							rt.SetRejectionTracker(func(quickjs.Value, quickjs.Value, bool) { tt.f() })
							src = "Promise.reject(1); for (;;);"
						default:
							f, err := c.Function("f", 0, call)
							require.NoError(t, err)
							require.NoError(t, g.Set("f", f))
							src = "for (;;) { try { f() } catch {} finally { continue } }"
							if where == "nested Go function" {
								outer, err := c.Function("g", 0, func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
									return c.Eval("f()", quickjs.EvalOptions{})
								})
								require.NoError(t, err)
								require.NoError(t, g.Set("g", outer))
								src = "for (;;) { try { g() } catch {} finally { continue } }"
							}
						}
						return run(c, src)()
					})
				})
				require.NotNil(t, p)
				if e, ok := p.(runtime.Error); ok {
					require.ErrorContains(t, e, tt.value.(string))
				} else {
					require.Equal(t, tt.value, p)
				}
				rt.SetInterrupt(nil)
				rt.SetRejectionTracker(nil)
				nextRun(t, rt, c)
			})
		}
	}
}

func TestGoexitInAGoFunction(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	var wg sync.WaitGroup
	deferred := false
	wg.Go(func() {
		defer func() { deferred = true }()
		f, err := c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
			runtime.Goexit()
			return quickjs.Value{}, nil
		})
		if !assertNil(t, err) {
			return
		}
		_, _ = f.Call(c.Undefined())
		t.Error("Goexit was stopped")
	})
	wg.Wait()
	require.True(t, deferred)
	_, err := c.Eval("1", quickjs.EvalOptions{})
	require.ErrorIs(t, err, quickjs.ErrLeft)
	nextRun(t, rt, c)
}

// The watchdog acts inside the door only: whoever was never inside past a
// deadline never finds the arena closed, however close the deadline was.
// Access is revoked close to the moment when work ends by itself: each run is
// either complete or stopped, and the arena is open after both.
// A run without a deadline leaves no timer behind that could end a later one.
func TestANestedDoIsPartOfTheOuterOne(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	_, err := rt.Do(quickjs.Budget{}, func() error {
		spent, err := rt.Do(quickjs.Budget{Limited: true}, run(c, "1"))
		require.Zero(t, spent)
		return err
	})
	require.NoError(t, err)
}

// A stop below many nested calls leaves them in about the time in which they
// would return. When each recovered the stop and raised it again, a thousand took
// longer than everything before: their time grew with the square of their number.
func TestLeavingNestedCallsTakesNoLongerThanReturning(t *testing.T) {
	const depth, rounds = 1200, 5
	rt, c := ready(t, quickjs.Limits{})
	var nest quickjs.Value
	nest, err := c.Function("nest", 2, func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		n, _ := args[0].Float()
		if n == 0 {
			return args[1].Call(c.Undefined())
		}
		return nest.Call(c.Undefined(), c.Int(int32(n-1)), args[1])
	})
	require.NoError(t, err)
	returns, stops := mustEval(t, c, "() => 1"), mustEval(t, c, "() => new ArrayBuffer(1e9)")
	require.NoError(t, rt.Checkpoint())
	// The least of some rounds is free of what else the processor was asked to do.
	least := func(bottom quickjs.Value, want error) time.Duration {
		took := time.Hour
		for range rounds {
			require.NoError(t, rt.Rewind())
			spent, err := rt.Do(quickjs.Budget{Limited: true, CPU: time.Minute}, func() error {
				v, err := nest.Call(c.Undefined(), c.Int(depth), bottom)
				if err == nil {
					v.Free()
				}
				return err
			})
			require.ErrorIs(t, err, want)
			took = min(took, spent.CPU)
		}
		return took
	}
	require.Less(t, least(stops, quickjs.ErrOutOfMemory), 10*least(returns, nil))
}

func TestAnErrorOfTheWorkPasses(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	want := errors.New("own")
	_, err := rt.Do(quickjs.Budget{}, func() error { return want })
	require.Equal(t, want, err)
	nextRun(t, rt, c)
}
