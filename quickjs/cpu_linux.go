package quickjs

import (
	"time"
	"unsafe"

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
	// Not a call that blocks, so the scheduler need not hear of it: this is read
	// twice for every turn of a guest.
	_, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, uintptr(c), uintptr(unsafe.Pointer(&ts)), 0)
	if errno != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}

// ownCPU is the processor time that the calling thread has used.
func ownCPU() time.Duration { return threadClock(unix.CLOCK_THREAD_CPUTIME_ID).now() }

const hasThreadClock = true
