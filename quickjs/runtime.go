package quickjs

import (
	"fmt"
	"sync/atomic"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Runtime is one engine heap and everything in it. It belongs to one goroutine
// at a time; only Kill may be called from others. Close it when done: nothing
// waits for the garbage collector.
type Runtime struct {
	limits    Limits
	arena     *arena
	id        uint32
	tls       *libc.TLS
	ptr       uintptr // JSRuntime
	funcs     uintptr // struct JSMallocFunctions, in C memory
	callBound uintptr // the engine's call of bound functions
	copied    int64   // bytes of arguments that calls of bound functions under way have copied
	hand      uintptr // scratch in C memory for what is passed by address

	slabs     []uintptr // made before a context was; until Checkpoint
	contexts  []*Context
	table     table
	natives   []Func
	spaces    []space // behind namespaces
	args      []Value // of the Go functions that the guest has called, as a stack
	text      []byte  // scratch for JSON text on its way to the guest
	interrupt InterruptFunc
	rejection RejectionFunc
	loader    ModuleLoader

	watch    watchdog
	busy     atomic.Bool  // claimed by an outermost Do
	depth    atomic.Int32 // not 0 between enter and leave
	inEngine atomic.Int32 // not 0 while engine code is on the stack above host code
	calls    int          // Go functions that the guest has called and that have not returned
	left     bool         // no engine call until rewound
	stopped  bool         // left by a panic or runtime.Goexit out of an operation
	why      any          // the first reason it was left
	whyError error        // what Do made of it
	broken   error        // the arena can not be used again: it stays closed, or is half rewound
	closed   bool

	mark  *mark // what a rewind goes back to
	stats Stats
	tests testStops
}

// Stats count what ended work on a Runtime since it was made. A rewind does not
// reset them.
type Stats struct {
	// Rewinds is how often the Runtime was rewound.
	Rewinds uint64
	// MemoryStops, Interrupts and Faults count stops by cause; Kills counts how
	// often access to the arena was revoked.
	MemoryStops, Interrupts, Kills, Faults uint64
}

// Stats returns the counters. It must not be called while the Runtime is used.
func (rt *Runtime) Stats() Stats { return rt.stats }

// Scratch in C memory: two values, a length, a descriptor, and a small text.
const (
	handValues = 0                 // room for 4 values
	handLen    = handValues + 4*16 // size_t, uintptr
	handDesc   = handLen + 16      // JSPropertyDescriptor
	handText   = handDesc + 64     // short texts
	handSize   = handText + 1024
)

// NewRuntime makes an empty heap of the given size (JS_NewRuntime2).
func NewRuntime(l Limits) (*Runtime, error) { return newRuntime(l, testStops{}) }

func newRuntime(l Limits, tests testStops) (*Runtime, error) {
	l, err := l.withDefaults()
	if err != nil {
		return nil, err
	}
	a, err := newArena(int(l.Memory))
	if err != nil {
		return nil, err
	}
	rt := &Runtime{limits: l, arena: a, tls: libc.NewTLS(), tests: tests}
	rt.watch.rt = rt
	rt.table.init()
	rt.funcs = libc.Xcalloc(rt.tls, 1, 64)
	rt.hand = libc.Xcalloc(rt.tls, 1, handSize)
	*(*lib.TJSMallocFunctions)(address(rt.funcs)) = lib.TJSMallocFunctions{
		Fjs_malloc:             engineFunc(arenaMalloc),
		Fjs_free:               engineFunc(arenaFree),
		Fjs_realloc:            engineFunc(arenaRealloc),
		Fjs_malloc_usable_size: engineFunc(arenaUsable),
	}
	rt.id = register(rt)
	a.heap.state().owner = uint64(rt.id)
	rt.tests.arm(rt)
	err = rt.op(func() error {
		rt.ptr = lib.XJS_NewRuntime2(rt.tls, rt.funcs, a.base)
		if rt.ptr == 0 {
			return ErrOutOfMemory
		}
		lib.XJS_SetRuntimeOpaque(rt.tls, rt.ptr, a.base)
		lib.XJS_SetInterruptHandler(rt.tls, rt.ptr, engineFunc(pollInterrupt), a.base)
		lib.XJS_SetHostPromiseRejectionTracker(rt.tls, rt.ptr, engineFunc(trackRejection), a.base)
		rt.makeSlabs()
		rt.hideStack()
		rt.hookBound()
		lib.XJS_SetModuleLoaderFunc(rt.tls, rt.ptr, 0, engineFunc(loadModule), a.base)
		engineRuntime(rt.ptr).Fstack_size = slots(l.Stack)
		engineRuntime(rt.ptr).Fmalloc_gc_threshold = firstCollection(l.Memory)
		return rt.addNamespaces()
	})
	if err != nil {
		_ = rt.Close()
		return nil, fmt.Errorf("quickjs: making a runtime: %w", err)
	}
	return rt, nil
}

// SetInterrupt sets what is asked while guest code runs; nil for nothing.
func (rt *Runtime) SetInterrupt(f InterruptFunc) { rt.interrupt = f }

// SetRejectionTracker sets who learns of unhandled rejections; nil for nobody.
func (rt *Runtime) SetRejectionTracker(f RejectionFunc) { rt.rejection = f }

// SetMemoryLimit lowers the limit below the arena's size until the next rewind
// or call; zero sets it back to the whole arena. Memory already in use stays.
func (rt *Runtime) SetMemoryLimit(bytes int64) {
	rt.whenUsable(func() {
		s := rt.arena.heap.state()
		if bytes <= 0 || uint64(bytes) > s.end {
			bytes = int64(s.end)
		}
		s.limit = uint64(bytes)
		engineRuntime(rt.ptr).Fmalloc_gc_threshold = firstCollection(bytes)
	})
}

// SetStackLimit sets the stack in bytes until the next rewind; at most what the
// Runtime was made with.
func (rt *Runtime) SetStackLimit(bytes int64) {
	rt.whenUsable(func() {
		bytes = min(max(bytes, minStack), rt.limits.Stack)
		r := engineRuntime(rt.ptr)
		r.Fstack_size = min(r.Fstack_size, slots(bytes))
	})
}

// StackLimit returns the stack in force, in bytes. It is less than what was set
// when code has been compiled or run whose frames are so large that calls of it
// would take more C stack than Limits.Stack stands for. It is 0 on a state that was
// left.
func (rt *Runtime) StackLimit() (bytes int64) {
	rt.whenUsable(func() {
		bytes = int64(engineRuntime(rt.ptr).Fstack_size) * defaultStack / lib.MaxStackSlots
	})
	return bytes
}

// whenUsable runs f, which touches the arena but no engine code, unless there
// is nothing to touch.
func (rt *Runtime) whenUsable(f func()) {
	_ = rt.surely(func() error { f(); return nil })
}

// Memory says how much of the arena is in use.
type Memory struct {
	// Used and Peak are bytes handed out, the heap's own headers included; Peak
	// is the most since the checkpoint that the last rewind went back to.
	Used, Peak int64
	// Allocations counts them since that checkpoint.
	Allocations uint64
	// Image is how many bytes a rewind copies; 0 before a checkpoint.
	Image int64
}

// Memory returns the current figures. On a state that was left it still works.
func (rt *Runtime) Memory() Memory {
	if rt.closed || rt.broken != nil {
		return Memory{}
	}
	s := rt.arena.heap.state()
	return Memory{Used: int64(s.used), Peak: int64(s.peak), Allocations: s.allocs, Image: int64(len(rt.arena.image))}
}

// Handles returns how many handles are live: made, and neither freed nor taken
// by a rewind. The constants do not count.
func (rt *Runtime) Handles() int { return rt.table.live }

// GC collects cycles now (JS_RunGC). It may run finalization callbacks later,
// as jobs.
func (rt *Runtime) GC() error {
	return rt.op(func() error {
		lib.XJS_RunGC(rt.tls, rt.ptr)
		return nil
	})
}

// RunJobs runs pending promise jobs, at most max of them or all when max is
// zero or less, and returns how many ran. It runs guest code. A job that throws
// ends it with an [*Exception] (JS_ExecutePendingJob).
func (rt *Runtime) RunJobs(max int) (n int, err error) {
	err = rt.op(func() error {
		for max <= 0 || n < max {
			switch r := lib.XJS_ExecutePendingJob(rt.tls, rt.ptr, rt.hand+handLen); {
			case r == 0:
				return nil
			case r < 0:
				n++
				return rt.contextAt(loadWord(rt.hand + handLen)).takeException()
			}
			n++
		}
		return nil
	})
	return n, err
}

// JobPending reports whether a promise job waits (JS_IsJobPending).
func (rt *Runtime) JobPending() bool {
	pending := false
	rt.whenUsable(func() { pending = lib.XJS_IsJobPending(rt.tls, rt.ptr) != 0 })
	return pending
}

// Kill stops the guest for the given cause: at once when it runs, else when it
// next would. It may be called from any goroutine, does not wait, and returns
// before the guest has left. The first cause stands until the next Rewind.
func (rt *Runtime) Kill(cause error) {
	if cause == nil {
		panic("quickjs: Kill without a cause")
	}
	rt.watch.request(cause)
}

// Close gives everything back. Handles of the Runtime must not be used
// afterwards. It is idempotent, and must not be called from inside a Do.
func (rt *Runtime) Close() error {
	rt.claimIdle("Close")
	defer rt.unclaim()
	if rt.closed {
		return nil
	}
	rt.closed = true
	rt.watch.stop()
	unregister(rt.id)
	// The heap is not taken down piece by piece: the arena goes as a whole, as
	// it would after a stop.
	libc.Xfree(rt.tls, rt.funcs)
	libc.Xfree(rt.tls, rt.hand)
	rt.tls.Close()
	rt.natives, rt.spaces, rt.contexts, rt.text = nil, nil, nil, nil
	rt.table = table{free: -1}
	return rt.arena.close()
}

func (rt *Runtime) contextAt(p uintptr) *Context {
	for _, c := range rt.contexts {
		if c.ptr == p {
			return c
		}
	}
	panic(damaged("context pointer"))
}
