package quickjs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

func TestRewind(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	early := mustEval(t, c, "globalThis.kept = { n: 1 }; kept")
	require.NoError(t, rt.Checkpoint())
	var random []string
	for range 3 {
		require.NoError(t, rt.Rewind())
		require.Equal(t, "1 2,3 undefined", textOf(t, c, "kept.n++ + ' ' + [1, 2].map(x => x + 1) + ' ' + globalThis.later"))
		n, err := early.Get("n")
		require.NoError(t, err)
		got, _ := n.Int64()
		require.Equal(t, int64(2), got)
		random = append(random, textOf(t, c, "Math.random()"))
		mustEval(t, c, `Array.prototype.map = null; Object.prototype.then = 1; globalThis.later = 1; delete globalThis.Map;
			Promise.resolve().then(() => { later = 2 }); var big = new Uint8Array(3e6).fill(7); Object.freeze(globalThis); undefined`)
		require.True(t, rt.JobPending())
	}
	require.NoError(t, rt.Rewind())
	require.False(t, rt.JobPending())
	require.NotEqual(t, random[0], random[1])
	require.NotEqual(t, random[1], random[2])
	for range 2 {
		c.SeedRandom(7)
		random = append(random, textOf(t, c, "Math.random()"))
	}
	require.Equal(t, random[3], random[4])
	require.True(t, early.IsValid())
	early.Free()
	require.NoError(t, rt.Rewind())
	require.True(t, early.IsValid(), "a rewind brings a handle back that the checkpoint has")
	require.Equal(t, uint64(5), rt.Stats().Rewinds)
}

func TestRewindLeavesNothing(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{Memory: 16 << 20})
	for _, n := range []int{1000, 100_000, 8 << 20} {
		mustEval(t, c, fmt.Sprintf("var secret = new Uint8Array(%d).fill(0xA7); undefined", n))
		require.NoError(t, rt.Rewind())
		require.NotContains(t, string(rt.Arena()), strings.Repeat("\xA7", 64))
	}
	require.NoError(t, rt.Trim())
	require.Equal(t, "2", textOf(t, c, "1 + 1"))
	mustEval(t, c, "globalThis.live = 'x'.repeat(1e6); undefined")
	require.NoError(t, rt.Trim())
	require.Equal(t, "1000000 x", textOf(t, c, "live.length + ' ' + live[999999]"), "what is in use stays")
}

func TestMemory(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{Memory: 8 << 20})
	before := rt.Memory()
	require.Equal(t, before.Used, before.Peak)
	require.Less(t, before.Used, int64(600<<10))
	mustEval(t, c, "new Uint8Array(4e6).length; undefined")
	require.NoError(t, rt.GC())
	after := rt.Memory()
	require.Greater(t, after.Peak, int64(4e6))
	require.Less(t, after.Used, before.Used+100_000)
	require.NotZero(t, after.Allocations)
	rt.SetMemoryLimit(2 << 20)
	_, err := c.Eval("new Uint8Array(4e6)", quickjs.EvalOptions{})
	require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
	require.NoError(t, rt.Rewind())
	mustEval(t, c, "new Uint8Array(4e6); undefined")
	rt.SetMemoryLimit(1 << 20)
	rt.SetMemoryLimit(0)
	mustEval(t, c, "new Uint8Array(4e5); undefined")
}

// Garbage in cycles is found before it fills a memory that is small, and one that is
// made small later.
func TestCyclesAreFoundInTime(t *testing.T) {
	for _, memory := range []int64{1 << 20, 2 << 20, 64 << 20} {
		for _, later := range []int64{0, 1 << 20} {
			rt, c := ready(t, quickjs.Limits{Memory: memory})
			if later != 0 {
				rt.SetMemoryLimit(later)
			}
			require.Equal(t, "100000", textOf(t, c, "let n = 0; for (; n < 1e5; n++) { const o = {}; o.self = o } n"))
			if later == 0 {
				later = memory
			}
			require.Less(t, rt.Memory().Peak, min(later*3/4, 3<<20), "%d, then %d", memory, later)
		}
	}
}

func TestStackAndSourceLimits(t *testing.T) {
	rt := quickjstest.New(t, quickjs.Limits{Source: 200})
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	const recurse = "var n = 0; (function f() { n++; f() })"
	depth := func() int64 {
		v := mustEval(t, c, recurse)
		defer v.Free()
		_, err := v.Call(c.Undefined())
		require.EqualError(t, err, "quickjs: InternalError: stack overflow")
		freeException(t, err)
		n := mustEval(t, c, "n")
		defer n.Free()
		i, _ := n.Int64()
		return i
	}
	all := depth()
	rt.SetStackLimit(256 << 10)
	quarter := depth()
	require.InDelta(t, all/4, quarter, float64(all)/40)
	for _, src := range []string{"eval('1' + ' '.repeat(300))", "Function(' '.repeat(300))"} {
		require.Equal(t, "RangeError: source text is too long", textOf(t, c, "try { "+src+" } catch (e) { String(e) }"))
	}
	_, err = c.Eval(strings.Repeat(" ", 201), quickjs.EvalOptions{})
	require.EqualError(t, err, "quickjs: RangeError: source text is too long")
	freeException(t, err)
}
