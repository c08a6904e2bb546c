package quickjs

import (
	"fmt"
	"math/rand/v2"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// mark is what a rewind goes back to, beside the arena's image.
type mark struct {
	table    table
	natives  int
	spaces   int
	contexts int
}

// Checkpoint takes the image that Rewind goes back to. Handles made before it
// stay valid after a rewind, later ones become stale. A second call replaces
// the first. Pending jobs are part of the image; a Go function that the guest
// called cannot take one.
func (rt *Runtime) Checkpoint() error {
	if rt.calls != 0 {
		panic("quickjs: Checkpoint inside a function that the guest called")
	}
	return rt.op(func() error {
		lib.XJS_RunGC(rt.tls, rt.ptr)
		rt.provide()
		rt.arena.heap.state().peak = rt.arena.heap.state().used
		rt.arena.heap.state().allocs = 0
		rt.arena.heap.state().failAt = 0
		rt.arena.checkpoint()
		for _, c := range rt.contexts {
			c.marked = len(c.resolvers)
		}
		rt.mark = &mark{table: rt.table.clone(), natives: len(rt.natives), spaces: len(rt.spaces), contexts: len(rt.contexts)}
		return nil
	})
}

// The engine keeps blocks of one size together in slabs of 4 KiB, and gives a slab
// back when its last block is freed. A size that the image has no room for would
// cost a slab for each block of it: await makes a job of 120 bytes each time.

// mostProvided is the largest block, in bytes, that an image has a slab for in any
// case. Nearly all programs want those up to here.
const mostProvided = 120

// provide sees to it that there is a block to be had of each of those sizes, and
// one in use beside it, which is never given back.
func (rt *Runtime) provide() {
	slabs := &engineRuntime(rt.ptr).Fmalloc_ctx.Ffree_arena_list
	for size := uintptr(8); size <= mostProvided; size += 8 {
		if list := &slabs[size/8-1]; list.Fnext == uintptr(unsafe.Pointer(list)) {
			lib.Xjs_malloc_rt(rt.tls, rt.ptr, lib.Tsize_t(size))
		}
	}
}

// Rewind makes the Runtime what it was at the checkpoint, whatever happened
// since, a stop included. Every later handle is stale. Math.random starts at a
// new place, limits set since are gone, and so are a fixed clock and a
// pending Kill.
//
// It touches no engine code and takes time in proportion to the image. It must
// not be called from inside a Do. A [*FaultError] says that the arena is lost:
// all that is left is Close.
func (rt *Runtime) Rewind() error {
	rt.claimIdle("Rewind")
	defer rt.unclaim()
	switch {
	case rt.closed:
		return ErrClosed
	case rt.mark == nil:
		panic("quickjs: Rewind without a Checkpoint")
	case rt.broken != nil:
		return &FaultError{Reason: rt.broken.Error(), Cause: rt.broken}
	}
	if err := rt.arena.rewind(); err != nil {
		return rt.breaks(fmt.Errorf("the arena is half rewound: %w", err))
	}
	if rt.left {
		// The emulated C stack of a run that never returned is not trusted.
		rt.tls.Close()
		rt.tls = libc.NewTLS()
	}
	rt.table.rewind(&rt.mark.table)
	clear(rt.natives[rt.mark.natives:])
	rt.natives = rt.natives[:rt.mark.natives]
	clear(rt.spaces[rt.mark.spaces:])
	rt.spaces = rt.spaces[:rt.mark.spaces]
	for _, c := range rt.contexts[rt.mark.contexts:] {
		c.gone = true
	}
	clear(rt.contexts[rt.mark.contexts:])
	rt.contexts = rt.contexts[:rt.mark.contexts]
	for _, c := range rt.contexts {
		c.hostEval, c.date.fixed = false, false
		c.resolvers, c.settling = c.resolvers[:c.marked], 0
		engineContext(c.ptr).Frandom_state = max(rand.Uint64(), 1)
	}
	rt.text = nil // the run's, and as large as its largest
	rt.left, rt.stopped, rt.why, rt.whyError = false, false, nil, nil
	rt.watch.pending.Store(nil)
	rt.tests.arm(rt)
	rt.stats.Rewinds++
	return nil
}

// Trim gives the memory above what is in use back to the system. Call it on a
// Runtime that was just rewound and will be idle.
func (rt *Runtime) Trim() error {
	rt.claimIdle("Trim")
	defer rt.unclaim()
	if rt.closed {
		return ErrClosed
	}
	if rt.left || rt.broken != nil {
		return nil
	}
	return rt.arena.trim()
}
