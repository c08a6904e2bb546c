package quickjs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// kept is code as a host keeps it.
func kept(t testing.TB, c *quickjs.Context, src string) []byte {
	t.Helper()
	code, err := c.Compile(src, quickjs.EvalOptions{Name: "kept.js"})
	require.NoError(t, err)
	defer code.Free()
	data, err := c.WriteCode(code)
	require.NoError(t, err)
	return data
}

// A rewind to a waypoint brings back every byte, whatever came in between, and
// whether or not the code reaches above the image.
func TestWaypointIsEveryByte(t *testing.T) {
	for name, src := range map[string]string{
		"short": "answer = (globalThis.answer ?? 40) + 2",
		"long":  "answer = (globalThis.answer ?? 40) + 2;" + strings.Repeat("(function (a, b) { return a.some + b.other['text'] })({}, {other: 7});", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{Memory: 4 << 20})
			data := kept(t, c, src)
			require.NoError(t, rt.Rewind())
			code, err := c.ReadCode(data)
			require.NoError(t, err)
			w, err := rt.Waypoint()
			require.NoError(t, err)
			require.Greater(t, w.Size(), len(data)/2)
			c.SeedRandom(1) // the one thing that each rewind makes anew
			want := append([]byte(nil), rt.Arena()...)
			for _, between := range []string{
				"", "1", "var secret = new Uint8Array(1e6).fill(0xA7); undefined", "const g = globalThis; for (const k of Object.getOwnPropertyNames(g)) delete g[k]",
				"Promise.resolve().then(() => 1); Object.prototype.answer = 1; undefined", "[...'x'.repeat(3000)].map((s, i) => ({ [s + i]: i })).length",
			} {
				if between != "" {
					_, err := c.Eval(between, quickjs.EvalOptions{})
					require.NoError(t, err)
				}
				require.NoError(t, rt.RewindTo(w))
				c.SeedRandom(1)
				require.True(t, string(want) == string(rt.Arena()), "after %q", between)
				require.Equal(t, 1, rt.Handles())
				v, err := c.Run(code)
				require.NoError(t, err)
				n, ok := v.Int64()
				require.True(t, ok || name == "long")
				require.True(t, n == 42 || name == "long")
				require.Equal(t, "42", textOf(t, c, "String(answer)"))
			}
			require.NoError(t, rt.Rewind())
			require.False(t, code.IsValid())
			require.Equal(t, "undefined", textOf(t, c, "typeof answer"))
			require.NoError(t, rt.RewindTo(w))
			require.True(t, code.IsValid())
			code.Free()
			require.NoError(t, rt.RewindTo(w))
			require.True(t, code.IsValid(), "a rewind brings a handle back that the waypoint has")
			require.NoError(t, rt.GC())
			require.NoError(t, rt.WalkHeap())
		})
	}
}

// After a stop, a waypoint is as good as the checkpoint.
func TestWaypointAfterAStop(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{Memory: 4 << 20})
	data := kept(t, c, "6 * 7")
	require.NoError(t, rt.Rewind())
	code, err := c.ReadCode(data)
	require.NoError(t, err)
	w, err := rt.Waypoint()
	require.NoError(t, err)
	for range 3 {
		_, err = c.Eval("const all = []; for (;;) all.push('x'.repeat(1000) + all.length)", quickjs.EvalOptions{})
		require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
		_, err = rt.Waypoint()
		require.ErrorIs(t, err, quickjs.ErrLeft)
		require.NoError(t, rt.RewindTo(w))
		v, err := c.Run(code)
		require.NoError(t, err)
		n, _ := v.Int64()
		require.Equal(t, int64(42), n)
	}
}

func TestWaypointMisuse(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	other, _ := ready(t, quickjs.Limits{})
	w, err := rt.Waypoint()
	require.NoError(t, err)
	require.Panics(t, func() { _ = other.RewindTo(w) })
	for name, change := range map[string]func() error{
		"a function": func() error {
			_, err := c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) { return c.Null(), nil })
			return err
		},
		"a clock":   func() error { c.SetClock(0); return nil },
		"a context": func() error { _, err := rt.NewContext(quickjs.ContextOptions{}); return err },
	} {
		require.NoError(t, change())
		require.Panics(t, func() { _, _ = rt.Waypoint() }, name)
		require.NoError(t, rt.Rewind())
		_, err := rt.Waypoint()
		require.NoError(t, err, name)
	}
	require.NoError(t, rt.Checkpoint())
	require.Panics(t, func() { _ = rt.RewindTo(w) }, "of an earlier checkpoint")
	fresh, err := quickjs.NewRuntime(quickjs.Limits{})
	require.NoError(t, err)
	defer func() { require.NoError(t, fresh.Close()) }()
	require.Panics(t, func() { _, _ = fresh.Waypoint() }, "no checkpoint")
	require.NoError(t, other.Close())
	w, err = other.Waypoint()
	require.ErrorIs(t, err, quickjs.ErrClosed)
	require.Nil(t, w)
}

// The table of handles may have become smaller than a waypoint's.
func TestWaypointOfManyHandles(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	require.NoError(t, rt.Rewind())
	var v quickjs.Value
	for i := range 10 {
		v = c.Int(int32(i))
	}
	w, err := rt.Waypoint()
	require.NoError(t, err)
	require.NoError(t, rt.Rewind())
	for i := range 6000 {
		c.Int(int32(i))
	}
	require.NoError(t, rt.Rewind())
	require.NoError(t, rt.RewindTo(w))
	n, ok := v.Int64()
	require.True(t, ok)
	require.Equal(t, int64(9), n)
	require.Equal(t, 10, rt.Handles())
}

// Code that was read bounds the depth of calls when it is run.
func TestReadCodeBoundsWhenItRuns(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	data := kept(t, c, "(function () { return Math.max("+strings.Repeat("0, ", 4000)+"0) })()")
	require.NoError(t, rt.Rewind())
	before := rt.StackLimit()
	require.InDelta(t, 1<<20, before, 300)
	code, err := c.ReadCode(data)
	require.NoError(t, err)
	require.Equal(t, before, rt.StackLimit())
	v, err := c.Run(code)
	require.NoError(t, err)
	require.Less(t, rt.StackLimit(), before/2)
	v.Free()
	code.Free()
	require.NoError(t, rt.Rewind())
	require.Equal(t, before, rt.StackLimit())
}
