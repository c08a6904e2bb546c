package quickjs

import "math/bits"

// The heap hands out the arena's memory to the engine: a two-level segregated
// fit (Masmano et al., "TLSF: a new dynamic memory allocator for real-time
// systems", 2004). Malloc and free take constant time, a freed block joins its
// neighbours at once, and the smallest class that fits is used first, so that
// low addresses are reused before the untouched rest of the region.
//
// All of its state lies at the start of the arena itself, so that a rewind
// restores it with everything else. Sizes and offsets read from there are
// checked before use: whatever goes wrong in the engine, the heap never hands
// out an address outside the region.

const (
	heapAlign   = 16
	blockHeader = 16 // size and flags; size of the block before
	minBlock    = 32 // header and, when free, two links

	slBits  = 4 // sixteen classes between two powers of two
	slCount = 1 << slBits
	flShift = slBits + 4 // sizes below 256 bytes share the first row
	flCount = 40

	blockFree = 1 // flag in the size word

	// A freed block of this size goes back to the system at once; smaller ones
	// are worth keeping.
	releaseSize = 1 << 20
)

// heapState is the layout of the arena's first bytes.
type heapState struct {
	used   uint64 // bytes in blocks handed out, headers included
	peak   uint64 // the most used has been since it was last reset
	high   uint64 // end of the highest block ever handed out
	limit  uint64 // used may not pass it
	end    uint64 // size of the region
	seal   uint64 // its complement, since all bounds hang on it
	allocs uint64 // allocations so far
	failAt uint64 // allocation at which to stop; 0 for none (tests)
	flMap  uint64
	slMap  [flCount]uint32
	heads  [flCount][slCount]uint64
	owner  uint64 // number in the registry
}

// block is a block's header; the links are there only while it is free.
type block struct {
	size       uint64 // with flags
	before     uint64 // size of the block before, 0 for the first
	next, prev uint64 // offsets, 0 for none
}

// heap addresses the state at base.
type heap uintptr

func (h heap) state() *heapState { return (*heapState)(address(uintptr(h))) }

func (h heap) at(off uint64) *block { return (*block)(address(uintptr(h) + uintptr(off))) }

// heapStart is where blocks begin.
const heapStart = (uint64(sizeofHeapState) + heapAlign - 1) &^ (heapAlign - 1)

// reset makes the whole region, of size bytes, one free block.
func (h heap) reset(size uint64) {
	s := h.state()
	*s = heapState{end: size, seal: ^size, limit: size, high: heapStart}
	h.at(heapStart).before = 0
	h.insert(heapStart, size-heapStart)
}

// class returns the row and column of the list for blocks of at least size.
func class(size uint64) (fl, sl uint) {
	if size < 1<<flShift {
		return 0, uint(size >> (flShift - slBits))
	}
	top := uint(bits.Len64(size)) - 1
	return top - flShift + 1, uint(size>>(top-slBits)) & (slCount - 1)
}

// malloc returns a block of at least n bytes, aligned to 16. It never returns
// null: the engine does not survive that everywhere. A full arena stops the run.
func (h heap) malloc(n uint64) uintptr {
	s := h.state()
	s.allocs++
	if s.allocs == s.failAt {
		panic(stopMemory)
	}
	if n > s.end {
		panic(stopMemory)
	}
	size := max((n+blockHeader+heapAlign-1)&^(heapAlign-1), minBlock)
	if s.used+size > s.limit {
		panic(stopMemory)
	}
	off := h.find(size)
	b := h.at(off)
	have := h.remove(off, b)
	if have < size {
		panic(damaged("class"))
	}
	if have-size >= minBlock {
		h.split(off, b, have, size)
	} else {
		size = have
		b.size = size
	}
	s.used += size
	s.peak = max(s.peak, s.used)
	s.high = max(s.high, off+size)
	return uintptr(h) + uintptr(off) + blockHeader
}

// How many blocks of the one class that may or may not fit are looked at: first,
// so that a hole that a block left is filled by the next of its size, and at
// last, so that the end of an arena is not lost to rounding.
const (
	fitFirst = 8
	fitLast  = 64
)

// find returns a free block of at least size. But for the class of the size
// itself, it takes the first list all of whose blocks fit.
func (h heap) find(size uint64) uint64 {
	s := h.state()
	if off := h.fit(size, fitFirst); off != 0 {
		return off
	}
	rounded := size
	if size >= 1<<flShift {
		rounded += 1<<(uint(bits.Len64(size))-1-slBits) - 1
	}
	fl, sl := class(rounded)
	if fl >= flCount {
		panic(stopMemory)
	}
	row := s.slMap[fl] & (^uint32(0) << sl)
	if row == 0 {
		rows := s.flMap & (^uint64(0) << (fl + 1))
		if rows == 0 {
			if off := h.fit(size, fitLast); off != 0 {
				return off
			}
			panic(stopMemory)
		}
		fl = uint(bits.TrailingZeros64(rows))
		if fl >= flCount {
			panic(damaged("row map"))
		}
		row = s.slMap[fl]
	}
	off := s.heads[fl][uint(bits.TrailingZeros32(row))&(slCount-1)]
	if h.at(h.checked(off)).size < size {
		panic(damaged("class"))
	}
	return off
}

// fit searches the first n blocks of the class of size itself; it returns 0 when
// none of them is large enough.
func (h heap) fit(size uint64, n int) uint64 {
	fl, sl := class(size)
	off := h.state().heads[fl][sl]
	for range n {
		if off == 0 {
			break
		}
		b := h.at(h.checked(off))
		if b.size&^blockFree >= size {
			return off
		}
		off = b.next
	}
	return 0
}

// split cuts a block in use of have bytes to size and frees the rest.
func (h heap) split(off uint64, b *block, have, size uint64) {
	b.size = size
	rest := off + size
	h.at(rest).before = size
	h.insertJoined(rest, have-size)
}

// free gives a block back. Double frees and foreign addresses stop the run as
// engine faults.
func (h heap) free(p uintptr) {
	off := h.offset(p)
	b := h.at(off)
	size := h.inUse(off, b)
	h.state().used -= size
	if b.before != 0 {
		prev := h.checked(off - b.before)
		if pb := h.at(prev); pb.size&blockFree != 0 {
			if h.remove(prev, pb) != b.before {
				panic(damaged("size of the block before"))
			}
			off, size = prev, size+b.before
		}
	}
	h.insertJoined(off, size)
}

// inUse returns the size of a block that must not be free.
func (h heap) inUse(off uint64, b *block) uint64 {
	if b.size&blockFree != 0 {
		panic(damaged("a block is given back that is not in use"))
	}
	return h.sized(off, b.size)
}

// sized returns the size if a block at off can have it.
func (h heap) sized(off, size uint64) uint64 {
	if size < minBlock || size%heapAlign != 0 || size > h.state().end-off {
		panic(damaged("block size"))
	}
	return size
}

// insertJoined puts [off, off+size) on a list, together with the free block
// after it, and tells the block after that.
func (h heap) insertJoined(off, size uint64) {
	s := h.state()
	if next := off + size; next < s.end {
		if nb := h.at(h.checked(next)); nb.size&blockFree != 0 {
			size += h.remove(next, nb)
		}
	}
	h.insert(off, size)
}

func (h heap) insert(off, size uint64) {
	s := h.state()
	if next := off + size; next < s.end {
		h.at(next).before = size
	}
	fl, sl := class(size)
	b, head := h.at(off), s.heads[fl][sl]
	b.size, b.next, b.prev = size|blockFree, head, 0
	if head != 0 {
		h.at(h.checked(head)).prev = off
	}
	s.heads[fl][sl] = off
	s.slMap[fl] |= 1 << sl
	s.flMap |= 1 << fl
}

// remove takes a free block off its list, marks it as in use and returns its
// size.
func (h heap) remove(off uint64, b *block) uint64 {
	s := h.state()
	if b.size&blockFree == 0 {
		panic(damaged("free list"))
	}
	size := h.sized(off, b.size&^blockFree)
	fl, sl := class(size)
	if b.next != 0 {
		h.at(h.checked(b.next)).prev = b.prev
	}
	if b.prev != 0 {
		h.at(h.checked(b.prev)).next = b.next
	} else if s.heads[fl][sl] = b.next; b.next == 0 {
		if s.slMap[fl] &^= 1 << sl; s.slMap[fl] == 0 {
			s.flMap &^= 1 << fl
		}
	}
	b.size = size
	return size
}

// resize changes a block's size, in place when it can.
func (h heap) resize(p uintptr, n uint64) uintptr {
	s := h.state()
	off := h.offset(p)
	b := h.at(off)
	have := h.inUse(off, b)
	if n > s.end {
		panic(stopMemory)
	}
	size := max((n+blockHeader+heapAlign-1)&^(heapAlign-1), minBlock)
	if size <= have {
		if have-size >= max(minBlock, have/4) {
			s.used -= have - size
			h.split(off, b, have, size)
		}
		return p
	}
	if next := off + have; next < s.end {
		if nb := h.at(h.checked(next)); nb.size&blockFree != 0 && have+nb.size&^blockFree >= size {
			s.allocs++
			if s.allocs == s.failAt || s.used+size-have > s.limit {
				panic(stopMemory)
			}
			joined := have + h.remove(next, nb)
			if joined-size >= minBlock {
				h.split(off, b, joined, size)
			} else {
				size = joined
				b.size = size
				if after := off + size; after < s.end {
					h.at(after).before = size
				}
			}
			s.used += size - have
			s.peak = max(s.peak, s.used)
			s.high = max(s.high, off+size)
			return p
		}
	}
	q := h.malloc(n)
	copyMemory(q, p, uintptr(min(have-blockHeader, n)))
	h.free(p)
	return q
}

// usable returns how many bytes the block at p holds.
func (h heap) usable(p uintptr) uint64 {
	off := h.offset(p)
	return h.inUse(off, h.at(off)) - blockHeader
}

// top returns the end of the highest block in use.
func (h heap) top() uint64 {
	s, top := h.state(), heapStart
	for off := heapStart; off < s.end; {
		b := h.at(h.checked(off))
		size := h.sized(off, b.size&^blockFree)
		if off += size; b.size&blockFree == 0 {
			top = off
		}
	}
	return top
}

// offset turns an address the engine gave back into a block's offset.
func (h heap) offset(p uintptr) uint64 { return h.checked(uint64(p - blockHeader - uintptr(h))) }

// checked returns off if a block can lie there.
func (h heap) checked(off uint64) uint64 {
	s := h.state()
	if s.seal != ^s.end || off < heapStart || off > s.end-minBlock || off%heapAlign != 0 {
		panic(damaged("block offset"))
	}
	return off
}
