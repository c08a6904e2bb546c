package quickjs

import (
	"fmt"
	"os"
	"slices"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// arena is the memory of one Runtime: a region, the heap in it, and the image
// that a rewind copies back.
type arena struct {
	region *region
	base   uintptr
	heap   heap
	image  []byte // the first bytes at the checkpoint; nil before it
}

// Above the image, a remainder of at most this size is wiped by writing zeros;
// a larger one is given back to the system.
const wipeSize = 256 << 10

func newArena(size int) (*arena, error) {
	page := os.Getpagesize()
	r, err := newRegion((size + page - 1) / page * page)
	if err != nil {
		return nil, err
	}
	a := &arena{region: r, base: r.base()}
	a.heap = heap(a.base)
	a.heap.reset(uint64(len(r.mem)))
	return a, nil
}

// checkpoint takes the image. What lay above the highest block that is in use now
// is not part of it.
func (a *arena) checkpoint() error {
	s, size, top := a.heap.state(), uint64(len(a.region.mem)), a.heap.top()
	// The free block above the highest one has its header and links there.
	n := min(top+minBlock, size)
	if err := a.wipe(int(n), int(min(s.high+minBlock, size))); err != nil {
		return err
	}
	s.high = top
	a.image = slices.Clone(a.region.mem[:n]) // whole or, when access is taken away meanwhile, not at all
	return nil
}

// rewind makes the arena what it was at the checkpoint. Nothing of what came
// later can be read afterwards.
func (a *arena) rewind() error {
	high := a.heap.state().high
	size := uint64(len(a.region.mem))
	if high < heapStart || high > size {
		high = size // damaged: wipe everything
	}
	// The block after the highest one may have left its header and links.
	if err := a.wipe(len(a.image), int(min(high+minBlock, size))); err != nil {
		return err
	}
	copyImage(a.region.mem, a.image)
	return nil
}

// trim gives back every page above the highest block. A free block may begin
// there, with its header and links.
func (a *arena) trim() error {
	from := pageUp(int(min(a.heap.state().high+minBlock, uint64(len(a.region.mem)))))
	return a.region.release(from, len(a.region.mem))
}

func (a *arena) wipe(from, to int) error {
	if to-from <= wipeSize {
		if from < to {
			clear(a.region.mem[from:to])
		}
		return nil
	}
	up, down := pageUp(from), to/os.Getpagesize()*os.Getpagesize()
	clear(a.region.mem[from:up])
	clear(a.region.mem[down:to])
	return a.region.release(up, down)
}

func pageUp(n int) int {
	page := os.Getpagesize()
	return (n + page - 1) / page * page
}

// freed tells the system about a large block that was just freed. Its header
// and links may be in use by the heap; all behind them is not.
func (a *arena) freed(p uintptr, n uint64) {
	from := pageUp(int(p-a.base) + minBlock)
	to := (int(p-a.base) + int(n)) / os.Getpagesize() * os.Getpagesize()
	if from < to {
		// A refusal costs memory, not correctness: the block is free either way.
		_ = a.region.release(from, to)
	}
}

// The four functions below are what the engine calls to get and give memory.
// The state they are handed lies in the arena or on the emulated C stack; its
// opaque word is the arena's address.

func arenaMalloc(_ *libc.TLS, state uintptr, size lib.Tsize_t) uintptr {
	s := (*lib.TJSMallocState)(address(state))
	h := heap(s.Fopaque)
	p := h.malloc(uint64(size))
	s.Fmalloc_count++
	s.Fmalloc_size = lib.Tsize_t(h.state().used) // what triggers the engine's cycle collector
	return p
}

func arenaFree(_ *libc.TLS, state, p uintptr) {
	if p == 0 {
		return
	}
	s := (*lib.TJSMallocState)(address(state))
	h := heap(s.Fopaque)
	n := h.usable(p)
	h.free(p)
	s.Fmalloc_count--
	s.Fmalloc_size = lib.Tsize_t(h.state().used)
	if n >= releaseSize {
		runtimeAt(uintptr(h)).arena.freed(p, n)
	}
}

func arenaRealloc(tls *libc.TLS, state, p uintptr, size lib.Tsize_t) uintptr {
	if p == 0 {
		if size == 0 {
			return 0
		}
		return arenaMalloc(tls, state, size)
	}
	if size == 0 {
		arenaFree(tls, state, p)
		return 0
	}
	s := (*lib.TJSMallocState)(address(state))
	h := heap(s.Fopaque)
	q := h.resize(p, uint64(size))
	s.Fmalloc_size = lib.Tsize_t(h.state().used)
	return q
}

func arenaUsable(_ *libc.TLS, p uintptr) lib.Tsize_t {
	if p == 0 {
		return 0
	}
	return lib.Tsize_t((*block)(address(p-blockHeader)).size&^blockFree - blockHeader)
}

func (a *arena) close() error {
	if err := a.region.unmap(); err != nil {
		return fmt.Errorf("quickjs: unmapping an arena: %w", err)
	}
	return nil
}
