package quickjs

import (
	"bytes"
	"slices"
)

// Waypoint is a state a little past the checkpoint to which [Runtime.RewindTo]
// goes back: what differs from the image, and the handles of that moment. It
// belongs to one Runtime and one checkpoint, never changes, and keeps nothing of the
// arena alive.
type Waypoint struct {
	mark  *mark
	table table
	parts []part
	data  []byte // of all parts, one after the other
}

// part is a piece of the arena that is not as the image has it.
type part struct{ at, n int }

// partLine is the unit in which a state is compared with the image, a line of the
// processor's cache; partGap is how many that are alike do not end a part.
const (
	partLine = 64
	partGap  = 1
)

// Waypoint takes down where the Runtime stands. Since its last rewind it may have
// compiled, read and run code, and have made handles. It panics if there are
// contexts, functions or namespaces of the host or a fixed clock that are new, or
// more promises were settled within each other than ever before: a Waypoint knows
// nothing of those. It calls no engine function and takes time in proportion to the
// memory in use; inside a Do it is part of that, and may be stopped with it.
func (rt *Runtime) Waypoint() (w *Waypoint, err error) {
	if rt.mark == nil {
		panic("quickjs: Waypoint without a Checkpoint")
	}
	if !rt.closed && !rt.left && !rt.mark.holds(rt) {
		panic("quickjs: Waypoint behind a change that the engine's memory does not show")
	}
	err = rt.op(func() error {
		w = &Waypoint{mark: rt.mark, table: rt.table.clone()}
		w.compare(rt.arena)
		w.parts, w.data = slices.Clip(w.parts), slices.Clip(w.data)
		return nil
	})
	return w, err
}

// holds reports whether all that a rewind brings back beside the arena and the
// handles is as it was.
func (m *mark) holds(rt *Runtime) bool {
	for _, c := range rt.contexts {
		if c.hostEval || c.date.fixed || len(c.resolvers) != c.marked || c.settling != 0 {
			return false
		}
	}
	return rt.calls == 0 && len(rt.natives) == m.natives && len(rt.spaces) == m.spaces && len(rt.contexts) == m.contexts
}

// compare takes down the parts in which the arena is not as its image, or above
// that as a rewind leaves it.
func (w *Waypoint) compare(a *arena) {
	var nothing [partLine]byte
	end := int(min(a.heap.state().high+minBlock, uint64(len(a.region.mem))))
	for at, to := 0, 0; at < end; at = to {
		was := nothing[:]
		if at < len(a.image) {
			was = a.image[at:min(at+partLine, len(a.image))]
		}
		to = min(at+len(was), end)
		if !bytes.Equal(a.region.mem[at:to], was[:to-at]) {
			w.add(a.region.mem, at, to)
		}
	}
}

// add makes [from, to) a part, or some more of the last one.
func (w *Waypoint) add(mem []byte, from, to int) {
	if i := len(w.parts) - 1; i >= 0 {
		if end := w.parts[i].at + w.parts[i].n; from-end <= partGap*partLine {
			w.data = append(w.data, mem[end:to]...)
			w.parts[i].n = to - w.parts[i].at
			return
		}
	}
	w.data = append(w.data, mem[from:to]...)
	w.parts = append(w.parts, part{from, to - from})
}

// Size is how much memory the Waypoint takes, in bytes.
func (w *Waypoint) Size() int { return len(w.data) + 16*len(w.parts) + 32*len(w.table.slots) }

// RewindTo is Rewind, but to a Waypoint: handles that it has are valid again, later
// ones stale. It takes little more time than Rewind. It panics if the Waypoint is of
// another Runtime or of an earlier checkpoint.
func (rt *Runtime) RewindTo(w *Waypoint) error {
	if w.mark != rt.mark {
		panic("quickjs: RewindTo a Waypoint of another Runtime or checkpoint")
	}
	return rt.rewind(w)
}

// apply brings what differs into an arena that is as its image.
func (w *Waypoint) apply(mem []byte) {
	from := 0
	for _, p := range w.parts {
		copy(mem[p.at:p.at+p.n], w.data[from:from+p.n])
		from += p.n
	}
}
