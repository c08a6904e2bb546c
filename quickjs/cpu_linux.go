package quickjs

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadClock names the processor clock of one thread; any thread may read it.
type threadClock int32

// currentThread returns the clock of the calling thread. The caller has locked
// its goroutine to it.
func currentThread() threadClock {
	// The kernel's encoding of a per-thread CPU clock: ^tid<<3 | PERTHREAD|SCHED.
	return threadClock(^int32(unix.Gettid())<<3 | 6)
}

// now returns the processor time the thread has used. A thread that is gone
// reads as zero, which no budget is spent by.
func (c threadClock) now() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(int32(c), &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// ownCPU is c.now for the calling thread, by the clock that the kernel finds
// fastest.
func ownCPU() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

const hasThreadClock = true
