package quickjs

import (
	"sync/atomic"
	"time"
)

// count keeps account of the processor time of one entry. It is begun and read
// by the goroutine inside. The watchdog looks from outside: what is written after
// the beginning is atomic, and the beginning holds the watchdog's lock. Times are
// nanoseconds, instants since epoch; zero means none.
//
// An entry begins by counting elapsed time, if its budget lets it, and needs no
// reading of the thread's clock then. The first to look at it after that - the
// guest's own poll or the watchdog - takes a reading, and from there on the
// thread's clock counts.
type count struct {
	budget int64       // of the entry; 0: not limited
	begun  int64       // when the entry began
	rough  int64       // until when elapsed time may count
	thread threadClock // of the goroutine's thread

	used atomic.Int64 // how much elapsed time was counted before stop was set
	safe atomic.Int64 // until then the budget cannot be spent: no clock of a thread is faster than time
	stop atomic.Int64 // the reading of that clock at which the budget is spent
}

func (c *count) begin(b Budget, now int64) {
	if c.stop.Load() != 0 { // seldom, and a store costs more than a load
		c.stop.Store(0)
		c.safe.Store(0)
		c.used.Store(0)
	}
	c.rough, c.budget = 0, 0
	if !b.Limited {
		return
	}
	cpu := int64(min(b.CPU, longest))
	c.begun = now
	c.thread = currentThread()
	if b.Rough > 0 {
		c.rough = now + min(int64(b.Rough), cpu)
	} else {
		c.stop.Store(max(int64(ownCPU())+cpu, 1))
	}
	c.budget = cpu
}

// firstLook is the earliest instant at which there is something to see.
func (c *count) firstLook() int64 {
	if c.rough != 0 {
		return c.rough
	}
	return c.begun + c.budget
}

// left returns how much is left of the budget, at least. It may be called from any
// goroutine while the entry lasts; exact asks for the thread's clock even if
// elapsed time would still do.
func (c *count) left(now int64, exact bool) (left int64) {
	if safe := c.safe.Load(); now < safe {
		return safe - now
	}
	stop := c.stop.Load()
	if stop == 0 {
		if !exact && now < c.rough {
			return c.rough - now
		}
		// What has passed counts as used, but no more than may be counted so: a
		// look that comes late says nothing of the time since. From here on the
		// clock tells.
		elapsed := min(now, c.rough) - c.begun
		at := int64(c.thread.now()) + c.budget - elapsed
		c.used.Store(elapsed)
		c.stop.CompareAndSwap(0, max(at, 1)) // the guest and the watchdog may both be here
		stop = c.stop.Load()
	}
	at := int64(c.thread.now())
	if left = stop - at; at != 0 { // a clock that could not be read says nothing of later
		c.safe.Store(now + left)
	}
	return left
}

// spent returns what the entry used, and how much of that is elapsed time. The
// caller is the goroutine that is about to leave.
func (c *count) spent() (cpu, rough time.Duration) {
	if stop := c.stop.Load(); stop != 0 {
		return time.Duration(c.budget - (stop - int64(ownCPU()))), time.Duration(c.used.Load())
	}
	cpu = time.Duration(min(rightNow(), c.rough) - c.begun)
	return cpu, cpu
}
