package quickjs_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/quickjs"
)

// attempt runs f and returns what it panicked with.
func attempt(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

// TestHeapAgainstModel does random things to a heap and keeps its own record of
// which bytes belong to whom.
func TestHeapAgainstModel(t *testing.T) {
	h, err := quickjs.NewTestHeap(1 << 20)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	type owned struct {
		off  uintptr
		size uint64
		fill byte
	}
	// Sizes as the engine asks for them: mostly small, some large, some at the
	// border between two classes.
	sizes := rapid.OneOf(
		rapid.Uint64Range(0, 300),
		rapid.Uint64Range(0, 70_000),
		rapid.Custom(func(t *rapid.T) uint64 {
			return uint64(1)<<rapid.IntRange(4, 19).Draw(t, "power") + rapid.Uint64Range(0, 33).Draw(t, "more") - 16
		}),
	)
	rapid.Check(t, func(t *rapid.T) {
		h.Reset()
		if rapid.Bool().Draw(t, "limited") {
			h.SetLimit(rapid.Uint64Range(1<<12, 1<<20).Draw(t, "limit"))
		}
		var live []owned
		fill := byte(0)
		put := func(o owned) {
			mem := h.Memory()[o.off:][:o.size]
			for i := range mem {
				mem[i] = o.fill
			}
		}
		holds := func(o owned, n uint64) {
			if got := bytes.Count(h.Memory()[o.off:][:n], []byte{o.fill}); got != int(n) {
				t.Fatalf("block of %d bytes at %d lost its content", n, o.off)
			}
		}
		pick := func() int { return rapid.IntRange(0, len(live)-1).Draw(t, "which") }
		steps := rapid.IntRange(1, 120).Draw(t, "steps")
		for range steps {
			switch op := rapid.IntRange(0, 3).Draw(t, "op"); {
			case op < 2 || len(live) == 0:
				o := owned{size: sizes.Draw(t, "size")}
				fill++
				o.fill = fill
				if p := attempt(func() { o.off = h.Malloc(o.size) }); p != nil {
					if !h.IsStop(p) {
						t.Fatalf("malloc: %v", p)
					}
					continue
				}
				if o.off%16 != 0 || h.Usable(o.off) < o.size {
					t.Fatalf("block at %d holds %d bytes of %d", o.off, h.Usable(o.off), o.size)
				}
				put(o)
				live = append(live, o)
			case op == 2:
				i := pick()
				holds(live[i], live[i].size)
				h.Free(live[i].off)
				live[i] = live[len(live)-1]
				live = live[:len(live)-1]
			default:
				o := &live[pick()]
				n := sizes.Draw(t, "size")
				off := o.off
				if p := attempt(func() { off = h.Resize(o.off, n) }); p != nil {
					if !h.IsStop(p) {
						t.Fatalf("resize: %v", p)
					}
					continue // the block must be what it was
				}
				o.off = off
				holds(*o, min(o.size, n))
				o.size = n
				put(*o)
			}
			if err := h.Check(); err != nil {
				t.Fatal(err)
			}
		}
		for _, o := range live { // an overlap would show here
			holds(o, o.size)
			h.Free(o.off)
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		if h.Used() != 0 || len(h.Blocks()) != 1 {
			t.Fatalf("%d bytes in %d blocks at the end", h.Used(), len(h.Blocks()))
		}
	})
}

// TestHeapUsesAllOfTheArena fills an arena with blocks of one size.
func TestHeapUsesAllOfTheArena(t *testing.T) {
	h, err := quickjs.NewTestHeap(1 << 20)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	for _, size := range []uint64{1, 16, 17, 100, 4096, 100_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			h.Reset()
			for n := uint64(0); ; n++ {
				if p := attempt(func() { h.Malloc(size) }); p != nil {
					require.True(t, h.IsStop(p))
					break
				}
				require.Less(t, n*size, uint64(1<<20))
			}
			require.Greater(t, h.Used()+size+64+quickjs.HeapStart, uint64(1<<20), "no room for one more")
		})
	}
}

// TestHeapDamage turns bits of the heap's own records around and goes on using
// it. Nothing but a FaultError may come of that: no other panic, and no access
// outside the arena, which the guard pages would turn into a crash.
func TestHeapDamage(t *testing.T) {
	h, err := quickjs.NewTestHeap(1 << 20)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	rounds := 2_000
	if full() {
		rounds = 100_000
	}
	faults := 0
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		h.Reset()
		var live []uintptr
		step := func() {
			switch n := r.Uint64N(20_000); {
			case len(live) == 0 || r.IntN(3) == 0:
				live = append(live, h.Malloc(n>>r.IntN(10)))
			case r.IntN(2) == 0:
				i := r.IntN(len(live))
				h.Free(live[i])
				live = append(live[:i], live[i+1:]...)
			default:
				i := r.IntN(len(live))
				live[i] = h.Resize(live[i], n)
			}
		}
		for range 60 {
			step()
		}
		var at uint64
		if blocks := h.Blocks(); r.IntN(2) == 0 {
			at = blocks[r.IntN(len(blocks))] + r.Uint64N(quickjs.MinBlock)
		} else {
			at = r.Uint64N(quickjs.HeapStart)
		}
		h.Memory()[at] ^= 1 << r.IntN(8)
		for range 200 {
			p := attempt(step)
			if p == nil || h.IsStop(p) {
				continue
			}
			require.IsType(t, &quickjs.FaultError{}, p, "seed %d, byte %d: %v", seed, at, p)
			faults++
			break
		}
	}
	require.NotZero(t, faults, "damage is noticed at times")
}

func FuzzHeap(f *testing.F) {
	f.Add([]byte("\x01\x20\x01\x40\x00\x00\x02\xff"))
	f.Add(bytes.Repeat([]byte("\x03\x10\x81\x22\x40\x07"), 50))
	f.Fuzz(func(t *testing.T, tape []byte) {
		h, err := quickjs.NewTestHeap(1 << 16)
		require.NoError(t, err)
		defer func() { require.NoError(t, h.Close()) }()
		var live []uintptr
		for len(tape) >= 2 && len(live) < 1000 {
			op, arg := tape[0], uint64(tape[1])
			tape = tape[2:]
			p := attempt(func() {
				switch {
				case op%3 == 0 && len(live) > 0:
					i := int(arg) % len(live)
					h.Free(live[i])
					live = append(live[:i], live[i+1:]...)
				case op%3 == 1 && len(live) > 0:
					i := int(op>>2) % len(live)
					live[i] = h.Resize(live[i], arg<<(op>>5))
				default:
					live = append(live, h.Malloc(arg<<(op>>5)))
				}
			})
			require.True(t, p == nil || h.IsStop(p), "%v", p)
			require.NoError(t, h.Check())
		}
	})
}
