package quickjs

import (
	"fmt"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// The side door of this package's tests.

const (
	MinBlock  = minBlock
	HeapStart = heapStart
)

// NewRuntimeStopped is NewRuntime with a stop at the n-th allocation, the first
// being number 1.
func NewRuntimeStopped(l Limits, n uint64) (*Runtime, error) {
	return newRuntime(l, testStops{allocation: n})
}

// StopAtAllocation and StopAtPoll hold for every run after the next rewind; zero
// for none.
func (rt *Runtime) StopAtAllocation(n uint64) { rt.tests.allocation = n }

func (rt *Runtime) StopAtPoll(n uint64) { rt.tests.pollNumber = n }

// Polls returns how often the engine has polled since the last rewind.
func (rt *Runtime) Polls() uint64 { return rt.tests.polls }

// ErrTestPoll is the Cause of a stop at a poll.
var ErrTestPoll = errTestPoll

// GuestText returns the size of the scratch for JSON text on its way to the guest.
func (rt *Runtime) GuestText() int { return cap(rt.text) }

// Registered returns how many Runtimes are registered.
func Registered() int {
	n := 0
	list := registry.list.Load()
	if list == nil {
		return 0 // none was ever made
	}
	for _, rt := range *list {
		if rt != nil {
			n++
		}
	}
	return n
}

// TestHeap is a heap without an engine.
type TestHeap struct{ a *arena }

// NewTestHeap maps an arena.
func NewTestHeap(size int) (TestHeap, error) {
	a, err := newArena(size)
	return TestHeap{a}, err
}

func (h TestHeap) Close() error              { return h.a.close() }
func (h TestHeap) Memory() []byte            { return h.a.region.mem }
func (h TestHeap) Malloc(n uint64) uintptr   { return h.a.heap.malloc(n) - h.a.base }
func (h TestHeap) Free(off uintptr)          { h.a.heap.free(h.a.base + off) }
func (h TestHeap) Usable(off uintptr) uint64 { return h.a.heap.usable(h.a.base + off) }
func (h TestHeap) Used() uint64              { return h.a.heap.state().used }
func (h TestHeap) SetLimit(n uint64)         { h.a.heap.state().limit = n }
func (h TestHeap) Reset()                    { clear(h.a.region.mem); h.a.heap.reset(uint64(len(h.a.region.mem))) }
func (h TestHeap) IsStop(p any) bool         { return p == any(stopMemory) }
func (h TestHeap) Resize(off uintptr, n uint64) uintptr {
	return h.a.heap.resize(h.a.base+off, n) - h.a.base
}

// Check walks all blocks and lists and returns what does not fit together.
func (h TestHeap) Check() error {
	s := h.a.heap.state()
	free := map[uint64]uint64{}
	var used, before, high uint64
	wasFree := false
	for off := uint64(heapStart); off < s.end; {
		b := h.a.heap.at(off)
		size := b.size &^ blockFree
		switch {
		case size < minBlock || off+size > s.end:
			return fmt.Errorf("block at %d has size %d", off, size)
		case b.before != before:
			return fmt.Errorf("block at %d says that the one before has %d bytes; it has %d", off, b.before, before)
		case b.size&blockFree == 0:
			used += size
			high = off + size
			wasFree = false
		case wasFree:
			return fmt.Errorf("free block at %d did not join the one before", off)
		default:
			free[off] = size
			wasFree = true
		}
		before = size
		off += size
	}
	if used != s.used || s.peak < used || s.high < high {
		return fmt.Errorf("%d bytes are in use; the books say %d, at most %d, up to %d", used, s.used, s.peak, s.high)
	}
	for fl := range s.heads {
		for sl, off := range s.heads[fl] {
			if (s.slMap[fl]>>sl&1 != 0) != (off != 0) {
				return fmt.Errorf("map of list %d,%d is wrong", fl, sl)
			}
			for prev := uint64(0); off != 0; prev, off = off, h.a.heap.at(off).next {
				if f, l := class(free[off]); int(f) != fl || int(l) != sl || h.a.heap.at(off).prev != prev {
					return fmt.Errorf("block at %d is on the wrong list", off)
				}
				delete(free, off)
			}
		}
		if (s.flMap>>fl&1 != 0) != (s.slMap[fl] != 0) {
			return fmt.Errorf("map of row %d is wrong", fl)
		}
	}
	if len(free) != 0 {
		return fmt.Errorf("%d free blocks are on no list", len(free))
	}
	return nil
}

// Blocks returns the offsets of all blocks' headers.
func (h TestHeap) Blocks() (offs []uint64) {
	s := h.a.heap.state()
	for off := uint64(heapStart); off < s.end; off += h.a.heap.at(off).size &^ blockFree {
		offs = append(offs, off)
	}
	return offs
}

// Killed returns the cause of a Kill since the last rewind.
func (rt *Runtime) Killed() error {
	if p := rt.watch.pending.Load(); p != nil {
		return *p
	}
	return nil
}

// AskToStop does the first half of a Kill, as when its goroutine loses the
// processor there.
func (rt *Runtime) AskToStop(cause error) { rt.watch.pending.Store(&cause) }

// Arena is the memory of a Runtime that nobody uses.
func (rt *Runtime) Arena() []byte { return rt.arena.region.mem }

// refusal is the request of the engine for memory that finds none, and how many
// there have been.
var refusal struct{ at, asked int }

// NewRuntimeRefused is NewRuntime with the engine's nth request for memory
// answered by a null pointer.
func NewRuntimeRefused(l Limits, n int) (*Runtime, error) {
	refusal.at, refusal.asked = n, 0
	return newRuntime(l, testStops{armed: func(rt *Runtime) {
		if rt.ptr == 0 {
			refuse((*lib.TJSMallocFunctions)(address(rt.funcs)))
		}
	}})
}

// RefuseMemory makes the engine find no memory at its nth request, from 1, until
// the next rewind. An arena never says so, but leaves the engine; what comes of
// the engine's own answer is handed on all the same.
func (rt *Runtime) RefuseMemory(n int) {
	refusal.at, refusal.asked = n, 0
	refuse(&engineRuntime(rt.ptr).Fmalloc_ctx.Fmf)
	rt.forgetFreeBlocks()
	engineRuntime(rt.ptr).Fatom_free_index = 0 // and for the next name
}

// Refused reports whether that request has come.
func Refused() bool { return refusal.asked >= refusal.at }

func refuse(f *lib.TJSMallocFunctions) {
	f.Fjs_malloc, f.Fjs_realloc = engineFunc(refusingMalloc), engineFunc(refusingRealloc)
}

func refused(state uintptr) bool {
	if rt := runtimeAt((*lib.TJSMallocState)(address(state)).Fopaque); rt.ptr != 0 {
		rt.forgetFreeBlocks()
	}
	refusal.asked++
	return refusal.asked == refusal.at
}

func refusingMalloc(tls *libc.TLS, state uintptr, size lib.Tsize_t) uintptr {
	if refused(state) {
		return 0
	}
	return arenaMalloc(tls, state, size)
}

func refusingRealloc(tls *libc.TLS, state, p uintptr, size lib.Tsize_t) uintptr {
	if size != 0 && refused(state) {
		return 0
	}
	return arenaRealloc(tls, state, p, size)
}

// forgetFreeBlocks makes the engine ask for more memory where it would use a
// small block that it has.
func (rt *Runtime) forgetFreeBlocks() {
	list := &engineRuntime(rt.ptr).Fmalloc_ctx.Ffree_arena_list
	for i := range list {
		head := uintptr(unsafe.Pointer(&list[i]))
		list[i].Fprev, list[i].Fnext = head, head
	}
}

// MakeExotic sets the flag with which the engine marks objects whose properties
// it has to be asked for. No object of a guest's has it that is not of a class
// of its own.
func (v Value) MakeExotic() { *(*uint8)(address(pointer(v.raw()) + objectFlags)) |= flagExotic }

// MakeSettlingThrow makes the engine throw where it settles a promise, until the
// next rewind; its own function for that never does.
func (rt *Runtime) MakeSettlingThrow() {
	for _, class := range []uintptr{lib.EJS_CLASS_PROMISE_RESOLVE_FUNCTION, lib.EJS_CLASS_PROMISE_REJECT_FUNCTION} {
		(*lib.TJSClass)(address(engineRuntime(rt.ptr).Fclass_array + class*sizeofClass)).Fcall = engineFunc(settleThrows)
	}
}

func settleThrows(tls *libc.TLS, ctx uintptr, f, this jsValue, argc int32, argv uintptr, flags int32) jsValue {
	return throwTypeError(tls, ctx, "not settled")
}

// SlabClass is what an engine has of blocks of one size.
type SlabClass struct {
	Block, Hint, Spare int
	Used, Blocks       int
}

// Slabs returns all classes.
func (rt *Runtime) Slabs() (classes []SlabClass) {
	for i := range slabClasses {
		c := SlabClass{Block: int(slabBlock(i)), Hint: blocksOfContext[i], Spare: spareBlocks[i]}
		for _, s := range rt.slabsOf(i) {
			c.Used += int(s.Fn_used_blocks)
			c.Blocks += int(s.Fn_blocks)
		}
		classes = append(classes, c)
	}
	return classes
}

// UsableAt returns how many bytes the engine gives where it is asked for n.
func (rt *Runtime) UsableAt(n int) (usable int) {
	rt.mustOp(func() error {
		p := lib.Xjs_malloc_rt(rt.tls, rt.ptr, lib.Tsize_t(n))
		usable = int(lib.Xjs_malloc_usable_size_rt(rt.tls, rt.ptr, p))
		lib.Xjs_free_rt(rt.tls, rt.ptr, p)
		return nil
	})
	return usable
}

// WalkHeap looks at each block of the arena, and stops the Runtime when one does
// not end where the next begins.
func (rt *Runtime) WalkHeap() error {
	return rt.op(func() error { rt.arena.heap.top(); return nil })
}

// MakeForeignSlab makes a slab that the engine does not find.
func (rt *Runtime) MakeForeignSlab() error {
	p := libc.Xcalloc(rt.tls, 1, lib.Tsize_t(unsafe.Sizeof(lib.TJSMallocContext{})))
	defer libc.Xfree(rt.tls, p)
	mc := (*lib.TJSMallocContext)(address(p))
	mc.Fmalloc_state = engineRuntime(rt.ptr).Fmalloc_ctx.Fmalloc_state
	for i := range slabClasses {
		for _, list := range []*lib.Tlist_head{&mc.Farena_list[i], &mc.Ffree_arena_list[i]} {
			list.Fprev, list.Fnext = uintptr(unsafe.Pointer(list)), uintptr(unsafe.Pointer(list))
		}
	}
	return rt.op(func() error { rt.makeSlab(mc, 7, 4); return nil })
}
