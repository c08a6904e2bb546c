package quickjs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// Each class of blocks is as large as the engine thinks, and holds what it is
// meant for.
func TestSlabBlocks(t *testing.T) {
	rt := quickjstest.New(t, quickjs.Limits{})
	classes := rt.Slabs()
	require.Len(t, classes, 31)
	size := 0
	for i, c := range classes {
		require.Equal(t, c.Block-8, rt.UsableAt(c.Block-8), "class %d: the largest block that fits", i)
		if i > 0 {
			require.Equal(t, c.Block-8, rt.UsableAt(size-7), "class %d: the smallest", i)
		}
		size = c.Block
	}
	require.Greater(t, rt.UsableAt(size-7), size, "a larger one is in no slab")
}

// What makes an image longer than it need be: slabs of the engine's own, made
// because a hint was too low. A change of what every context holds shows here; the
// numbers that were counted are those to write down.
func TestSlabsFit(t *testing.T) {
	rt, _ := ready(t, quickjs.Limits{})
	for _, c := range rt.Slabs() {
		require.LessOrEqual(t, c.Used, c.Hint+c.Spare, "blocks of %d bytes", c.Block)
		require.GreaterOrEqual(t, c.Used+24, c.Hint, "blocks of %d bytes; a sandbox uses a few more", c.Block)
		if c.Block <= 128 {
			require.Less(t, c.Used, c.Blocks, "blocks of %d bytes: none is free", c.Block)
		}
		full := (4096 - 40) / c.Block // what the engine makes at once, before a hint counts
		require.LessOrEqual(t, c.Blocks, max(c.Hint+c.Spare, full), "blocks of %d bytes: %d used", c.Block, c.Used)
	}
}

// The engine may give a slab back, ours as its own.
func TestSlabsAreTheEngines(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	for range 3 {
		require.NoError(t, rt.Rewind())
		require.Equal(t, "30000", textOf(t, c, `
			let all = [];
			for (let i = 0; i < 30000; i++) all.push({ i, f: () => i, s: 'x'.repeat(i % 600), m: new Map([[i, i]]) });
			const n = all.length;
			all = null;
			n`))
		require.NoError(t, rt.GC())
		require.NoError(t, rt.WalkHeap())
		require.Equal(t, "1 2", textOf(t, c, "[1, 2].join(' ')"))
	}
}

func TestASlabThatTheEngineDoesNotTake(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	var broken *quickjs.FaultError
	require.ErrorAs(t, rt.MakeForeignSlab(), &broken)
	require.Equal(t, "a slab for blocks of 72 bytes is not what the engine expects", broken.Reason)
	require.NoError(t, rt.Rewind())
	require.Equal(t, "2", textOf(t, c, "1 + 1"))
}
