package quickjs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

func TestMisusePanics(t *testing.T) {
	const stale = "quickjs: use of a stale Value: it was freed, or its Runtime was rewound or closed"
	cases := []struct {
		name, message string
		do            func(rt *quickjs.Runtime, c *quickjs.Context)
	}{
		{"freed", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			v, _ := c.Object()
			v.Free()
			_ = v.Kind()
		}},
		{"freed, slot in use again", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			v, _ := c.Object()
			v.Free()
			_, _ = c.Object()
			_, _ = v.Get("x")
		}},
		{"rewound", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			v, _ := c.Object()
			_ = rt.Rewind()
			_ = v.IsArray()
		}},
		{"closed", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			v, _ := c.Object()
			_ = rt.Close()
			_ = v.Dup()
		}},
		{"borrowed argument kept", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			var kept quickjs.Value
			f, _ := c.Function("f", 1, func(_ *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
				kept = args[0]
				return quickjs.Value{}, nil
			})
			o, _ := c.Object()
			_, _ = f.Call(c.Undefined(), o)
			_ = kept.Kind()
		}},
		{"zero Value", "quickjs: use of the zero Value; it belongs to no Context", func(*quickjs.Runtime, *quickjs.Context) {
			_ = quickjs.Value{}.Kind()
		}},
		{"foreign Runtime", "quickjs: use of a Value of another Runtime", func(rt *quickjs.Runtime, c *quickjs.Context) {
			other, _ := quickjs.NewRuntime(quickjs.Limits{})
			defer func() { _ = other.Close() }()
			oc, _ := other.NewContext(quickjs.ContextOptions{})
			v, _ := oc.Object()
			_ = c.Global().Set("x", v)
		}},
		{"foreign argument", "quickjs: use of a Value of another Runtime", func(rt *quickjs.Runtime, c *quickjs.Context) {
			other, _ := quickjs.NewRuntime(quickjs.Limits{})
			defer func() { _ = other.Close() }()
			oc, _ := other.NewContext(quickjs.ContextOptions{})
			f, _ := c.Eval("(function () {})", quickjs.EvalOptions{})
			_, _ = f.Call(c.Undefined(), oc.Undefined())
		}},
		{"stale argument", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			f, _ := c.Eval("(function () {})", quickjs.EvalOptions{})
			v, _ := c.Object()
			v.Free()
			_, _ = f.New(v)
		}},
		{"stale result of a function", stale, func(rt *quickjs.Runtime, c *quickjs.Context) {
			f, _ := c.Function("f", 0, func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
				v, err := c.Object()
				v.Free()
				return v, err
			})
			_, _ = f.Call(c.Undefined())
		}},
		{"second goroutine while the guest runs", "quickjs: Runtime used while the engine runs: by a second goroutine, or by a function that must not use it", func(rt *quickjs.Runtime, c *quickjs.Context) {
			var p any
			rt.SetInterrupt(func() error {
				done := make(chan any)
				go func() {
					done <- attempt(func() { _, _ = c.Object() })
				}()
				p = <-done
				return errors.New("enough")
			})
			_, _ = c.Eval("for (;;);", quickjs.EvalOptions{})
			panic(p)
		}},
		{"use by an InterruptFunc", "quickjs: Runtime used while the engine runs: by a second goroutine, or by a function that must not use it", func(rt *quickjs.Runtime, c *quickjs.Context) {
			rt.SetInterrupt(func() error { _ = c.Global(); return nil })
			_, _ = c.Eval("for (;;);", quickjs.EvalOptions{})
		}},
		{"use with bytes lent", "quickjs: Runtime used while the engine runs: by a second goroutine, or by a function that must not use it", func(rt *quickjs.Runtime, c *quickjs.Context) {
			v, _ := c.ArrayBuffer([]byte("x"))
			_ = v.WithBytes(func([]byte) { _ = rt.GC() })
		}},
		{"Rewind inside Do", "quickjs: Rewind while work on the Runtime is under way", func(rt *quickjs.Runtime, c *quickjs.Context) {
			_, _ = rt.Do(quickjs.Budget{}, rt.Rewind)
		}},
		{"Close inside Do", "quickjs: Close while work on the Runtime is under way", func(rt *quickjs.Runtime, c *quickjs.Context) {
			_, _ = rt.Do(quickjs.Budget{}, rt.Close)
		}},
		{"Trim inside Do", "quickjs: Trim while work on the Runtime is under way", func(rt *quickjs.Runtime, c *quickjs.Context) {
			_, _ = rt.Do(quickjs.Budget{}, rt.Trim)
		}},
		{"Checkpoint inside a call", "quickjs: Checkpoint inside a function that the guest called", func(rt *quickjs.Runtime, c *quickjs.Context) {
			f, _ := c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
				return quickjs.Value{}, rt.Checkpoint()
			})
			_, _ = f.Call(c.Undefined())
		}},
		{"Rewind without a Checkpoint", "quickjs: Rewind without a Checkpoint", func(*quickjs.Runtime, *quickjs.Context) {
			rt, _ := quickjs.NewRuntime(quickjs.Limits{})
			defer func() { _ = rt.Close() }()
			_ = rt.Rewind()
		}},
		{"Kill without a cause", "quickjs: Kill without a cause", func(rt *quickjs.Runtime, _ *quickjs.Context) { rt.Kill(nil) }},
		{"realm that a rewind took", "quickjs: use of a Context that was made after the checkpoint its Runtime was rewound to", func(rt *quickjs.Runtime, c *quickjs.Context) {
			later, _ := rt.NewContext(quickjs.ContextOptions{})
			_ = rt.Rewind()
			_, _ = later.Eval("1", quickjs.EvalOptions{})
		}},
		{"unknown symbol", "quickjs: there is no well-known symbol iterrator", func(_ *quickjs.Runtime, c *quickjs.Context) { c.Symbol("iterrator") }},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			require.PanicsWithValue(t, tt.message, func() { tt.do(rt, c) })
			if strings.HasPrefix(tt.name, "closed") {
				return
			}
			rt.SetInterrupt(nil)
			nextRun(t, rt, c)
		})
	}
}

// A freed or borrowed handle may be freed as often as one likes.
func TestFreeIsIdempotent(t *testing.T) {
	c := quickjstest.Context(t)
	f, err := c.Function("f", 1, func(c *quickjs.Context, this quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		args[0].Free()
		args[0].Free()
		this.Free()
		other, err := c.Object() // would take a slot that was given back too early
		require.NotEqual(t, other, args[0])
		other.Free()
		return args[0], err
	})
	require.NoError(t, err)
	o, err := c.Object()
	require.NoError(t, err)
	for range 3 {
		r, err := f.Call(o, o)
		require.NoError(t, err)
		require.True(t, r.StrictEqual(o))
		r.Free()
		r.Free()
	}
	o.Free()
	f.Free()
	quickjs.Value{}.Free()
	c.Undefined().Free()
}

func TestUseAfterClose(t *testing.T) {
	rt, err := quickjs.NewRuntime(quickjs.Limits{})
	require.NoError(t, err)
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	registered := quickjs.Registered()
	require.NoError(t, rt.Close())
	require.NoError(t, rt.Close())
	require.Equal(t, registered-1, quickjs.Registered())
	_, err = rt.Do(quickjs.Budget{}, func() error { t.Error("ran"); return nil })
	require.ErrorIs(t, err, quickjs.ErrClosed)
	_, err = c.Eval("1", quickjs.EvalOptions{})
	require.ErrorIs(t, err, quickjs.ErrClosed)
	require.ErrorIs(t, rt.Rewind(), quickjs.ErrClosed)
	require.ErrorIs(t, rt.Trim(), quickjs.ErrClosed)
	require.ErrorIs(t, rt.Checkpoint(), quickjs.ErrClosed)
	require.Zero(t, rt.Memory())
	require.False(t, rt.JobPending())
	rt.Kill(errors.New("late"))
	c.Number(1).Free()
}

func TestLimitsAreChecked(t *testing.T) {
	for _, tt := range []struct {
		name string
		l    quickjs.Limits
		want string
	}{
		{"memory too small", quickjs.Limits{Memory: 1000}, "quickjs: Limits.Memory is 1000 bytes; at least 1048576 are needed"},
		{"memory negative", quickjs.Limits{Memory: -1}, "quickjs: Limits.Memory is -1 bytes; at least 1048576 are needed"},
		{"memory too large", quickjs.Limits{Memory: 1 << 50}, "quickjs: Limits.Memory is 1125899906842624 bytes; at most 1099511627776 are possible"},
		{"stack too small", quickjs.Limits{Stack: 5}, "quickjs: Limits.Stack is 5 bytes; it must be between 65536 and 8388608"},
		{"stack too large", quickjs.Limits{Stack: 9 << 20}, "quickjs: Limits.Stack is 9437184 bytes; it must be between 65536 and 8388608"},
		{"source negative", quickjs.Limits{Source: -1}, "quickjs: Limits.Source is negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := quickjs.NewRuntime(tt.l)
			require.EqualError(t, err, tt.want)
		})
	}
}
