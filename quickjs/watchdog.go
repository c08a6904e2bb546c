package quickjs

import (
	"sync"
	"sync/atomic"
	"time"
)

// A watchdog ends guests that ask nobody: most builtins of the engine never
// poll. A moment past the deadline it takes the arena's access rights away, and
// the guest's next touch of its own memory faults.
//
// It is one timer per Runtime, left running between two entries when it is due
// early enough anyway, so that a run costs no goroutine and usually no timer
// operation. An atomic word decides every race: only the one that turns
// "inside" into something else acts.
type watchdog struct {
	rt *Runtime

	// state is a count of entries, shifted, and one of the states below.
	state atomic.Uint64

	// What holds for the current entry; written under mu before state becomes
	// inside.
	wall  int64 // deadline, nanoseconds since epoch; 0 for none
	count count // of processor time

	pending atomic.Pointer[error]

	timerDue atomic.Int64 // when the timer is due, nanoseconds since epoch; 0: not set
	mu       sync.Mutex   // guards timer, and wall and count while an entry begins
	timer    *time.Timer
	killed   error // why; written before state becomes revoked
}

const (
	watchOutside  = iota // zero: nobody is in the engine
	watchInside          // somebody is, and may be killed
	watchRevoking        // access is being taken away
	watchRevoked         // it is gone; the door gives it back

	watchBits = 2
	watchMask = 1<<watchBits - 1
)

// A little time past the deadline in which the guest's own polls may end the
// run, which costs less than a kill.
const watchGrace = time.Millisecond

var epoch = time.Now()

// sinceEpoch counts from long before the epoch, so that instants of a test's own
// clock, which may lie before it, keep their order; zero is no instant.
func sinceEpoch(t time.Time) int64 { return afterEpoch(t.Sub(epoch)) }

// rightNow is sinceEpoch of now. It reads one clock, where time.Now reads two.
func rightNow() int64 { return afterEpoch(time.Since(epoch)) }

func afterEpoch(d time.Duration) int64 {
	const origin = longest / 4
	return int64(min(max(d, 1-origin), longest-origin) + origin)
}

// enter says that the calling goroutine goes into the engine. The budget has
// been stored already.
func (w *watchdog) enter() {
	w.state.Store((w.state.Load()>>watchBits+1)<<watchBits | watchInside)
	due := w.wall
	if w.count.budget != 0 {
		// A thread cannot use its clock up sooner than this.
		if at := w.count.firstLook(); due == 0 || at < due {
			due = at
		}
	}
	if due != 0 && due < int64(longest) {
		w.schedule(due + int64(watchGrace))
	}
	if w.pending.Load() != nil {
		w.fire()
	}
}

// leave says that it has come out again. It reports why access was revoked
// meanwhile, or nil, and waits until that is complete.
func (w *watchdog) leave() error {
	for {
		s := w.state.Load()
		switch s & (1<<watchBits - 1) {
		case watchInside:
			if w.state.CompareAndSwap(s, s&^watchMask) {
				return nil
			}
		case watchRevoking:
			w.mu.Lock() // held by the one who revokes
			w.mu.Unlock()
		case watchRevoked:
			w.state.Store(s &^ watchMask)
			return w.killed
		default:
			panic("quickjs: watchdog left twice")
		}
	}
}

// schedule makes the timer due at the given instant, or earlier.
func (w *watchdog) schedule(due int64) {
	if at := w.timerDue.Load(); at != 0 && at <= due {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scheduleLocked(due)
}

func (w *watchdog) scheduleLocked(due int64) {
	w.timerDue.Store(due)
	d := max(time.Duration(due-rightNow()), 0)
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.fire)
		return
	}
	w.timer.Reset(d)
}

// fire looks whether the guest has to go now. It runs on a goroutine of its
// own when the timer is due, or on that of whoever wants the guest stopped.
func (w *watchdog) fire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	// First this, then the state: an entry does it in the other order, so either
	// it sees that the timer is not set, or its entry is seen here.
	w.timerDue.Store(0)
	s := w.state.Load()
	if s&watchMask != watchInside {
		return
	}
	next, cause := w.due(rightNow(), false)
	if cause == nil {
		if next != 0 {
			w.scheduleLocked(next)
		}
		return
	}
	if !w.state.CompareAndSwap(s, s&^watchMask|watchRevoking) {
		return
	}
	w.killed = cause
	if w.rt.arena.region.revoke() != nil {
		// The system refused, for the moment. The guest goes on, as it would
		// without a watchdog, until it polls or the next attempt.
		w.state.Store(s)
		w.scheduleLocked(rightNow() + int64(watchGrace))
		return
	}
	w.state.Store(s&^watchMask | watchRevoked)
}

// due returns when to look again, or why the guest has to go; neither when
// there is no deadline. The guest's own polls ask for an exact count.
func (w *watchdog) due(now int64, exact bool) (next int64, cause error) {
	if p := w.pending.Load(); p != nil {
		return 0, *p
	}
	if at := w.wall; at != 0 {
		if now >= at {
			return 0, ErrWall
		}
		next = at + int64(watchGrace)
	}
	if w.count.budget != 0 {
		left := w.count.left(now, exact)
		if left <= 0 {
			return 0, ErrCPU
		}
		if again := now + max(left, int64(watchGrace)); next == 0 || again < next {
			next = again
		}
	}
	return next, nil
}

// request stops the guest for the given cause: at once if it is in the engine,
// else at its next entry. The first cause stands. Whoever asked for that first may
// not have come to it yet, and every caller relies on it: the guest has no access
// when this returns, unless the system refused.
func (w *watchdog) request(cause error) {
	w.pending.CompareAndSwap(nil, &cause)
	w.fire()
}

func (w *watchdog) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.timerDue.Store(0)
}
