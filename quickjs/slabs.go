package quickjs

import (
	"fmt"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// The engine keeps blocks of one size together in slabs of 4 KiB (js_malloc), and
// gives a slab back with its last block. Most of what a context needs is a few
// blocks of each of many sizes, so that nearly half of an image would be slabs
// that are empty, copied at every rewind. A Runtime therefore begins with slabs as
// long as they will be used.

const (
	slabSize   = 4096
	slabHeader = unsafe.Sizeof(lib.TJSMallocArena{})

	sizeofBlockHeader = unsafe.Sizeof(lib.TJSMallocBlockHeader{})

	// mostProvided is the largest block that an image has room for in any case.
	// Nearly all programs want those up to here.
	mostProvided = 128
	noBlock      = 0xffff // MFREE_NIL
	slabClasses  = len(lib.TJSMallocContext{}.Farena_list)
)

// slabBlock is the size of the blocks of a class, the engine's header of eight
// bytes included (js_malloc_block_sizes).
func slabBlock(class int) uintptr {
	n := uintptr(class)
	switch {
	case n <= 14:
		return 16 + 8*n
	case n <= 22:
		return 144 + 16*(n-15)
	}
	return 288 + 32*(n-23)
}

// blocksOfContext is how many blocks of each class a runtime with one context and
// what a host adds to it has in use. It is a hint: where it is too low the engine
// makes slabs of its own, where it is too high the image is longer than it need be.
// TestSlabsFit says what they would be.
var blocksOfContext = [slabClasses]int{
	1, 35, 362, 240, 18, 106, 0, 233, 0, 12, 21, 47, 17, 3, 0,
	20, 4, 1, 1, 3, 3, 5, 3, 5, 2, 5, 0, 2, 2, 1, 0,
}

// spareBlocks is how many blocks more of each class an image has room for. Where
// there is none, a program that makes and drops one block at a time costs a slab
// for each: await makes a job of 120 bytes. Objects are most of what programs make,
// and few want many of the larger blocks.
var spareBlocks = [slabClasses]int{
	16, 16, 32, 32, 16, 16, 16, 48, 16, 16, 16, 16, 16, 16, 8,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
}

// makeSlabs makes room for what a context needs, beside what the engine has made
// room for already.
func (rt *Runtime) makeSlabs() {
	mc := &engineRuntime(rt.ptr).Fmalloc_ctx
	for class := range slabClasses {
		want := blocksOfContext[class] + spareBlocks[class]
		for _, s := range rt.slabsOf(class) {
			want -= int(s.Fn_blocks)
		}
		most := int((slabSize - slabHeader) / slabBlock(class))
		for left := (want + most - 1) / most; left > 0; left-- {
			n := want / left // so that none is of very few
			rt.makeSlab(mc, class, n)
			want -= n
		}
	}
}

// makeSlab adds a slab of n blocks, as js_malloc_new_arena does. With an engine that
// does it in another way, it is an engine fault.
func (rt *Runtime) makeSlab(mc *lib.TJSMallocContext, class, n int) {
	block := slabBlock(class)
	p := arenaMalloc(rt.tls, uintptr(unsafe.Pointer(&mc.Fmalloc_state)), lib.Tsize_t(slabHeader+uintptr(n)*block))
	s := (*lib.TJSMallocArena)(address(p))
	*s = lib.TJSMallocArena{Fblock_size_idx: uint8(class), Fn_blocks: uint16(n)}
	for i := range n {
		b := (*lib.TJSMallocBlockHeader)(address(p + slabHeader + uintptr(i)*block))
		next := i + 1
		if next == n {
			next = noBlock
		}
		*(*uint16)(unsafe.Pointer(b)) = uint16(next)
		b.Fblock_size_idx = uint8(class)
	}
	addFirst(&mc.Farena_list[class], &s.Flink)
	addFirst(&mc.Ffree_arena_list[class], &s.Ffree_link)

	// The engine has to find it as it would its own. The block that shows that
	// keeps the slab until Checkpoint: the engine gives an empty one back.
	want := block - sizeofBlockHeader
	b := lib.Xjs_malloc_rt(rt.tls, rt.ptr, lib.Tsize_t(want))
	if b != p+slabHeader+sizeofBlockHeader || lib.Xjs_malloc_usable_size_rt(rt.tls, rt.ptr, b) != lib.Tsize_t(want) {
		panic(&FaultError{Reason: fmt.Sprintf("a slab for blocks of %d bytes is not what the engine expects", block)})
	}
	rt.slabs = append(rt.slabs, p)
}

// settleSlabs is for Checkpoint: from here on what is in use keeps a slab. One that
// nothing uses is kept as it is; each run would have to make it anew.
func (rt *Runtime) settleSlabs() {
	for _, p := range rt.slabs {
		if (*lib.TJSMallocArena)(address(p)).Fn_used_blocks > 1 {
			lib.Xjs_free_rt(rt.tls, rt.ptr, p+slabHeader+sizeofBlockHeader)
		}
	}
	rt.slabs = nil
	mc := &engineRuntime(rt.ptr).Fmalloc_ctx
	for class := 0; slabBlock(class) <= mostProvided; class++ {
		if list := &mc.Ffree_arena_list[class]; list.Fnext == uintptr(unsafe.Pointer(list)) {
			lib.Xjs_malloc_rt(rt.tls, rt.ptr, lib.Tsize_t(slabBlock(class)-sizeofBlockHeader))
		}
	}
}

// addFirst puts a link at the head of one of the engine's lists.
func addFirst(list, link *lib.Tlist_head) {
	head, at := uintptr(unsafe.Pointer(list)), uintptr(unsafe.Pointer(link))
	next := (*lib.Tlist_head)(address(list.Fnext))
	*link = lib.Tlist_head{Fprev: head, Fnext: list.Fnext}
	next.Fprev, list.Fnext = at, at
}

// slabsOf returns the slabs of a class, full ones included.
func (rt *Runtime) slabsOf(class int) (slabs []*lib.TJSMallocArena) {
	list := &engineRuntime(rt.ptr).Fmalloc_ctx.Farena_list[class]
	for p := list.Fnext; p != uintptr(unsafe.Pointer(list)); p = (*lib.Tlist_head)(address(p)).Fnext {
		slabs = append(slabs, (*lib.TJSMallocArena)(address(p-unsafe.Offsetof(lib.TJSMallocArena{}.Flink))))
	}
	return slabs
}
