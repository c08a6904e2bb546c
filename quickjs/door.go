package quickjs

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/guestjs/guestjs/internal/fault"
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
	// Rough is how much of CPU may be counted by elapsed time, which never shows
	// less. Reading a thread's clock takes longer than much of what guests do;
	// work that is over sooner needs no reading. Beyond it the thread's clock
	// counts. Zero for an exact count from the start.
	Rough time.Duration
}

// Spent is what a Do took.
type Spent struct {
	// CPU is the processor time used; elapsed time where a thread has no clock.
	// It is only measured when the budget limits it.
	CPU time.Duration
	// Rough is how much of CPU is elapsed time, by leave of Budget.Rough.
	Rough time.Duration
	// Over is how long after the deadline stopped work ended.
	Over time.Duration
}

// Do opens the door into the engine, runs f, and closes it. Every operation of
// this package opens it by itself; inside one Do they share one entry and one
// budget.
//
// The guest may be stopped at any moment: because the budget is spent, memory
// is full, the InterruptFunc said so or Kill was called. Then the rest of f does
// not run (its deferred functions do, and may Free what they hold), Do returns
// [ErrOutOfMemory], an [*InterruptError] or a [*FaultError], and the Runtime has
// to be rewound or closed: no engine call is made on a state that was left.
// Recovering the panic inside f changes nothing of that. A result that f had
// completed is not lost: if f returned, Do returns f's error even when a kill
// came in the last moment.
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
		return Spent{}, rt.leftError()
	}
	if b.Limited && hasThreadClock {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	var now int64
	if b.Limited || !b.Wall.IsZero() {
		now = rightNow()
	}
	if cause := rt.spentAlready(b, now); cause != nil {
		rt.leave(interruptStop{cause})
		return Spent{}, rt.stopError(nil)
	}
	rt.setBudget(b, now)
	var out exit
	rt.through(f, &out)
	if b.Limited {
		spent.CPU, spent.Rough = rt.watch.count.spent()
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

// spentAlready returns why work with this budget must not even begin.
func (rt *Runtime) spentAlready(b Budget, now int64) error {
	switch p := rt.watch.pending.Load(); {
	case p != nil:
		return *p
	case b.Limited && b.CPU <= 0:
		return ErrCPU
	case !b.Wall.IsZero() && now >= sinceEpoch(b.Wall):
		return ErrWall
	}
	return nil
}

// exit is how control came out of the engine.
type exit struct {
	returned bool
	err      error // what f returned
	panicked any   // what came out of f, if it was no stop
	revoked  error // why access was taken away, or nil
	cause    error // of a stop, once classified
}

// longest keeps sums of instants and durations in range; it is 146 years.
const longest = time.Duration(1 << 62)

// setBudget holds the watchdog's lock: a timer of an earlier entry that is just
// looking must not take a reading for this one.
func (rt *Runtime) setBudget(b Budget, now int64) {
	w := &rt.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wall = 0
	if !b.Wall.IsZero() {
		w.wall = sinceEpoch(b.Wall)
	}
	w.count.begin(b, now)
}

// through is the only place where control goes into the engine and comes back,
// whichever way it comes back.
func (rt *Runtime) through(f func() error, out *exit) {
	defer func() {
		if !out.returned {
			out.panicked = recover()
		}
		if out.revoked = rt.watch.leave(); out.revoked != nil {
			// Work that was complete by now is whole, but its budget is spent.
			rt.leave(interruptStop{out.revoked})
			if err := rt.arena.region.allow(); err != nil {
				rt.broken = err
			}
		}
		if rt.inEngine.Load() != 0 {
			rt.inEngine.Store(0)
		}
		rt.calls = 0
		rt.copied = 0
		rt.args = rt.args[:0]
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
	switch {
	case rt.broken != nil:
		return rt.breaks(fmt.Errorf("the arena stays closed: %w", rt.broken))
	case rt.stopped:
		// An operation was stopped, whether or not f let the panic pass.
		return rt.stopError(out)
	case out.returned:
		out.cause = out.revoked
		return out.err
	case out.revoked != nil && rt.isOurFault(out.panicked):
		// f itself touched the arena: the view that WithBytes gives.
		out.cause = out.revoked
		return &InterruptError{Cause: out.revoked, Killed: true}
	}
	rt.leave(out.panicked)
	panic(out.panicked)
}

// stopError turns the stop that was recorded into the error of the Do, or raises
// a panic of the host's own code again.
func (rt *Runtime) stopError(out *exit) error {
	var revoked error
	if out != nil {
		revoked = out.revoked
	} else {
		out = &exit{}
	}
	err := error(nil)
	switch p := rt.why.(type) {
	case memoryStop:
		rt.stats.MemoryStops++
		err = ErrOutOfMemory
	case interruptStop:
		rt.stats.Interrupts++
		out.cause = p.cause
		err = &InterruptError{Cause: p.cause}
	case hostPanic:
		panic(p.value)
	case *FaultError:
		rt.stats.Faults++
		err = p
	default:
		if revoked != nil && rt.isOurFault(p) {
			out.cause = revoked
			err = &InterruptError{Cause: revoked, Killed: true}
			break
		}
		rt.stats.Faults++
		err = &FaultError{Reason: fmt.Sprint(p)}
	}
	rt.whyError = err
	return err
}

// isOurFault reports whether a panic is a fault that revoking access causes: its
// address lies in the arena.
func (rt *Runtime) isOurFault(p any) bool {
	at, ok := p.(interface{ Addr() uintptr })
	if !ok {
		return false
	}
	off := at.Addr() - rt.arena.base
	return off < uintptr(len(rt.arena.region.mem))
}

// leave marks the state as left: no engine function is called on it again. The
// first reason stands.
func (rt *Runtime) leave(why any) {
	if !rt.left {
		rt.left, rt.why = true, why
	}
}

// leftError is what work on a state that was left returns.
func (rt *Runtime) leftError() error {
	if s, ok := rt.why.(interruptStop); ok && rt.whyError == nil {
		rt.whyError = &InterruptError{Cause: s.cause}
	}
	if rt.whyError == nil {
		return ErrLeft
	}
	return &leftError{rt.whyError}
}

// inside runs f as part of an entry that is under way. Its deferred function
// only takes notes in Go memory: a stop that passes must find no engine call
// left to make.
func (rt *Runtime) inside(f func() error) error {
	if rt.left {
		panic(leftPanic{})
	}
	rt.inEngine.Add(1)
	returned := false
	defer func() {
		switch {
		case returned:
		case rt.left:
			// The reason is known. To recover and raise it again at each level would
			// take time in the square of their number.
			rt.inEngine.Store(0)
		default:
			rt.abandon(recover())
		}
	}()
	err := f()
	returned = true
	rt.inEngine.Add(-1)
	return err
}

// abandon records the first panic that came out of an operation and lets it
// travel on. What Go code on its way does in deferred functions, such as Free,
// then finds a state that was left.
func (rt *Runtime) abandon(p any) {
	if !rt.left {
		rt.stopped = true
		rt.leave(p)
	}
	rt.inEngine.Store(0)
	if p != nil { // else it is runtime.Goexit, which goes on by itself
		panic(p)
	}
}

// op runs one operation on the engine: as part of the entry that is under way,
// or in one of its own without a budget. It returns the error that ended it.
func (rt *Runtime) op(f func() error) error {
	if err := fault.At(fault.Engine); err != nil {
		return err
	}
	return rt.surely(f)
}

// surely is op for what a guest cannot make fail, and no test either.
func (rt *Runtime) surely(f func() error) error {
	if rt.nested() {
		return rt.inside(f)
	}
	_, err := rt.Do(Budget{}, func() error { return rt.inside(f) })
	return err
}

// peek is mustOp for f that only looks at the arena or counts a reference, so that
// inside a Do no notes need be taken: nothing is half done when it is stopped. When
// access is revoked meanwhile, the fault ends that Do like one of host code that
// has a view of an array buffer.
func (rt *Runtime) peek(f func()) {
	if rt.depth.Load() != 0 && rt.inEngine.Load() == 0 && !rt.left {
		f()
		return
	}
	rt.mustOp(func() error { f(); return nil })
}

// nested reports whether the calling goroutine is inside already: the guest
// called a Go function, or a Do is under way. While the engine itself runs,
// nobody else may come in.
func (rt *Runtime) nested() bool {
	if rt.depth.Load() == 0 {
		return false
	}
	if rt.inEngine.Load() != 0 {
		panic("quickjs: Runtime used while the engine runs: by a second goroutine, or by a function that must not use it")
	}
	return true
}

func (rt *Runtime) claim() {
	if !rt.busy.CompareAndSwap(false, true) {
		panic("quickjs: Runtime used by a second goroutine while one is inside")
	}
}

// claimIdle is claim for what may not be done from inside a Do either.
func (rt *Runtime) claimIdle(what string) {
	if !rt.busy.CompareAndSwap(false, true) {
		panic("quickjs: " + what + " while work on the Runtime is under way")
	}
}

func (rt *Runtime) unclaim() { rt.busy.Store(false) }

// Expired returns ErrWall, ErrCPU or the cause given to Kill when the budget of
// the Do under way is spent already, else nil. Host code that is about to act on
// what the guest did asks it, on the goroutine of that Do. Now is a time that
// [time.Now] gave just before, which such code tends to need anyway.
func (rt *Runtime) Expired(now time.Time) error {
	_, cause := rt.watch.due(sinceEpoch(now), false)
	return cause
}

// Revoked reports whether the Do under way has lost access to the arena or is
// about to: its next touch of guest memory ends it. It costs one load; host code
// that runs for a while without touching the guest asks it.
func (rt *Runtime) Revoked() bool {
	s := rt.watch.state.Load() & (1<<watchBits - 1)
	return s == watchRevoking || s == watchRevoked
}
