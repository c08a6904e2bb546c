package quickjs

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// Budget is what one Do may take. The zero Budget is unlimited.
type Budget struct {
	// Wall is the instant by which the work must be done; zero for none.
	Wall time.Time
	// CPU is the processor time the work may use: of the calling goroutine's
	// thread on Linux, elapsed time elsewhere. Zero or less is none left when
	// Limited is set, and no limit otherwise.
	CPU time.Duration
	// Limited says that CPU counts.
	Limited bool
}

// Spent is what a Do took.
type Spent struct {
	// CPU is the processor time used; elapsed time where a thread has no clock.
	// It is only measured when the budget limits it.
	CPU time.Duration
	// Over is how long after the deadline stopped work ended.
	Over time.Duration
}

// Do opens the door into the engine, runs f, and closes it. Every operation of
// this package opens it by itself; inside one Do they share one entry and one
// budget.
//
// The guest may be stopped at any moment: because the budget is spent, memory
// is full, the InterruptFunc said so or Kill was called. Then the rest of f does
// not run (its deferred functions do, and must not touch the engine), Do
// returns [ErrOutOfMemory], an [*InterruptError] or a [*FaultError], and the
// Runtime has to be rewound or closed: no engine call is made on a state that
// was left. A result that f had completed is not lost: if f returned, Do returns
// f's error even when a kill came in the last moment.
//
// A panic in f or in a Go function the guest called is raised again after the
// door has closed; the state counts as left.
//
// Do blocks for as long as the guest runs. One goroutine at a time may be
// inside; a second one panics. A nested Do is part of the outer one and its
// budget is ignored.
func (rt *Runtime) Do(b Budget, f func() error) (spent Spent, err error) {
	if rt.nested() {
		return Spent{}, f()
	}
	rt.claim()
	defer rt.unclaim()
	if rt.closed {
		return Spent{}, ErrClosed
	}
	if rt.left {
		return Spent{}, ErrLeft
	}
	if b.Limited {
		if hasThreadClock {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
		}
		if b.CPU <= 0 {
			rt.left = true
			return Spent{}, &InterruptError{Cause: ErrCPU}
		}
	}
	start := rt.setBudget(b)
	var out exit
	rt.through(f, &out)
	if b.Limited {
		spent.CPU = ownCPU() - start
	}
	err = rt.classify(&out)
	if rt.left {
		switch {
		case out.cause == ErrWall:
			spent.Over = max(time.Since(b.Wall), 0)
		case out.cause == ErrCPU:
			spent.Over = max(spent.CPU-b.CPU, 0)
		}
	}
	return spent, err
}

// exit is how control came out of the engine.
type exit struct {
	returned bool
	err      error // what f returned
	panicked any
	revoked  error // why access was taken away, or nil
	cause    error // of a stop, once classified
	inEngine bool
}

func (rt *Runtime) setBudget(b Budget) (start time.Duration) {
	w := &rt.watch
	w.wall.Store(0)
	if !b.Wall.IsZero() {
		w.wall.Store(sinceEpoch(b.Wall))
	}
	w.cpu.Store(0)
	if b.Limited {
		start = ownCPU()
		rt.cpuLeft = b.CPU
		w.thread.Store(int64(currentThread()))
		w.cpu.Store(max(int64(start+b.CPU), 1))
	}
	return start
}

// through is the only place where control goes into the engine and comes back,
// whichever way it comes back.
func (rt *Runtime) through(f func() error, out *exit) {
	defer func() {
		if !out.returned {
			out.panicked = recover()
			out.inEngine = rt.inEngine.Load() != 0
		}
		if out.revoked = rt.watch.leave(); out.revoked != nil {
			if err := rt.arena.region.allow(); err != nil {
				rt.broken = err
			}
		}
		rt.inEngine.Store(0)
		rt.depth.Store(0)
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	rt.depth.Store(1)
	rt.watch.enter()
	out.err = f()
	out.returned = true
}

// classify says what an exit means. It trusts only what the host recorded.
func (rt *Runtime) classify(out *exit) error {
	if out.revoked != nil {
		rt.stats.Kills++
	}
	if rt.broken != nil {
		rt.leave()
		return &FaultError{Reason: fmt.Sprintf("the arena stays closed: %v", rt.broken)}
	}
	if out.returned {
		if _, stopped := out.err.(*InterruptError); !stopped && out.revoked != nil {
			// The work was complete when access went away, so the state is whole;
			// but its budget is spent, so nothing more may run on it.
			rt.leave()
			out.cause = out.revoked
		}
		return out.err
	}
	rt.leave()
	switch p := out.panicked.(type) {
	case memoryStop:
		rt.stats.MemoryStops++
		return ErrOutOfMemory
	case interruptStop:
		rt.stats.Interrupts++
		out.cause = p.cause
		return &InterruptError{Cause: p.cause}
	case *FaultError:
		if out.inEngine {
			rt.stats.Faults++
			return p
		}
	case hostPanic:
		panic(p.value)
	case leftPanic:
		return ErrLeft
	case hostExit, nil:
		return nil // runtime.Goexit is under way and will go on
	case runtime.Error:
		if out.revoked != nil && rt.isOurFault(p) {
			out.cause = out.revoked
			return &InterruptError{Cause: out.revoked, Killed: true}
		}
		if out.inEngine {
			rt.stats.Faults++
			return &FaultError{Reason: p.Error()}
		}
	}
	panic(out.panicked)
}

// isOurFault reports whether a fault is one that revoking access causes: its
// address lies in the arena.
func (rt *Runtime) isOurFault(err runtime.Error) bool {
	at, ok := err.(interface{ Addr() uintptr })
	if !ok {
		return false
	}
	off := at.Addr() - rt.arena.base
	return off < uintptr(len(rt.arena.region.mem))
}

// leave marks the state as left: no engine function is called on it again.
func (rt *Runtime) leave() { rt.left = true }

// inside runs f as part of an entry that is under way.
func (rt *Runtime) inside(f func() error) error {
	if rt.left {
		panic(leftPanic{})
	}
	rt.inEngine.Add(1)
	err := f()
	rt.inEngine.Add(-1)
	return err
}

// op runs one operation on the engine: as part of the entry that is under way,
// or in one of its own without a budget. It returns the error that ended it.
func (rt *Runtime) op(f func() error) error {
	if rt.nested() {
		return rt.inside(f)
	}
	_, err := rt.Do(Budget{}, func() error { return rt.inside(f) })
	return err
}

// nested reports whether the calling goroutine is inside already: the guest
// called a Go function, or a Do is under way. While the engine itself runs,
// nobody else may come in.
func (rt *Runtime) nested() bool {
	if rt.depth.Load() == 0 {
		return false
	}
	if rt.inEngine.Load() != 0 {
		panic("quickjs: Runtime used by a second goroutine while the guest runs")
	}
	return true
}

func (rt *Runtime) claim() {
	if !rt.busy.CompareAndSwap(false, true) {
		panic("quickjs: Runtime used by a second goroutine while one is inside")
	}
}

func (rt *Runtime) unclaim() { rt.busy.Store(false) }
