package quickjs

import "slices"

// table holds the references that Go code owns. A handle is an index and the
// generation the slot had when it was filled: comparable, without allocation,
// and a stale one is found out.
type table struct {
	slots []slot
	free  int32  // first free slot, or -1; the others follow in slot.next
	gen   uint32 // the last generation given out
	live  int
}

type slot struct {
	value    jsValue
	gen      uint32 // of the handle that fills it; 0 for none
	next     int32
	used     bool
	borrowed bool // the reference belongs to somebody else
}

// The first slots hold the values that need no reference, once and for all.
const (
	slotUndefined = iota
	slotNull
	slotTrue
	slotFalse
	slotConstants
)

func (t *table) init() {
	t.slots = append(t.slots[:0],
		slot{value: jsUndefined, used: true}, slot{value: jsNull, used: true},
		slot{value: jsBool(true), used: true}, slot{value: jsBool(false), used: true})
	t.free = -1
}

// keep takes over a reference.
func (t *table) keep(v jsValue, borrowed bool) (i, gen uint32) {
	if t.free >= 0 {
		i = uint32(t.free)
		t.free = t.slots[i].next
	} else {
		i = uint32(len(t.slots))
		t.slots = append(t.slots, slot{})
	}
	t.gen++
	s := &t.slots[i]
	*s = slot{value: v, gen: t.gen, used: true, borrowed: borrowed}
	t.live++
	return i, s.gen
}

// release empties a slot and returns what it held.
func (t *table) release(i uint32) (v jsValue, borrowed bool) {
	s := &t.slots[i]
	v, borrowed = s.value, s.borrowed
	*s = slot{value: jsUndefined, next: t.free}
	t.free = int32(i)
	t.live--
	return v, borrowed
}

func (t *table) clone() table {
	c := *t
	c.slots = slices.Clone(t.slots)
	return c
}

// rewind goes back to m. Generations never repeat, so every handle made since is
// stale; those made before are what they were.
func (t *table) rewind(m *table) {
	n := len(m.slots)
	if cap(t.slots) < n || cap(t.slots) > keepSlots && cap(t.slots) > 2*n {
		t.slots = make([]slot, n) // a run that kept very many must not cost memory forever
	}
	t.slots = t.slots[:n]
	copy(t.slots, m.slots)
	t.free, t.live = m.free, m.live
}

const keepSlots = 4096
