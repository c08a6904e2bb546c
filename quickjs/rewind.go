package quickjs

import (
	"fmt"
	"math/rand/v2"

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
// the first, unless it fails: because the system does, or it is stopped like any
// other work. Pending jobs are part of the image; a Go function that the guest
// called cannot take one.
func (rt *Runtime) Checkpoint() error {
	if rt.calls != 0 {
		panic("quickjs: Checkpoint inside a function that the guest called")
	}
	return rt.op(func() error {
		lib.XJS_RunGC(rt.tls, rt.ptr)
		rt.settleSlabs()
		rt.arena.heap.state().peak = rt.arena.heap.state().used
		rt.arena.heap.state().allocs = 0
		rt.arena.heap.state().failAt = 0
		if err := rt.arena.checkpoint(); err != nil {
			return fmt.Errorf("quickjs: giving back what is not part of an image: %w", err)
		}
		for _, c := range rt.contexts {
			c.marked = len(c.resolvers)
		}
		rt.mark = &mark{table: rt.table.clone(), natives: len(rt.natives), spaces: len(rt.spaces), contexts: len(rt.contexts)}
		return nil
	})
}

// Rewind makes the Runtime what it was at the checkpoint, whatever happened
// since, a stop included. Every later handle is stale. Math.random starts at a
// new place, limits set since are gone, and so are a fixed clock and a
// pending Kill.
//
// It touches no engine code and takes time in proportion to the image. It must
// not be called from inside a Do. A [*FaultError] says that the arena is lost:
// all that is left is Close.
func (rt *Runtime) Rewind() error { return rt.rewind(nil) }

func (rt *Runtime) rewind(to *Waypoint) error {
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
	if to == nil {
		rt.table.rewind(&rt.mark.table)
	} else {
		to.apply(rt.arena.region.mem)
		rt.table.rewind(&to.table)
	}
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
