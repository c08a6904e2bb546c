package child

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/contract"
)

// steps, in an order in which none gets in the way of a later one: Landlock
// needs a descriptor of its own, and the filter forbids what all others call.
// The number of processes has no resource limit here: the kernel counts those
// of the user, threads included, so a limit would depend on everything else
// that user runs. The filter allows threads and no processes.
var steps = []step{
	{"address-space", limitAddressSpace},
	{"file-size", limitTo(unix.RLIMIT_FSIZE, 0)},
	{"core", noCore},
	{"cpu", limitCPU},
	{"landlock", landlock},
	{"open-files", noMoreFiles},
	{"no-new-privs", noNewPrivs},
	{"seccomp", filter("")},
}

func limitTo(resource int, n uint64) func(Config) error {
	return func(Config) error {
		return unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n})
	}
}

// limitAddressSpace leaves room above what the process has reserved by now for
// the sandbox to be built anew twice over, and for results on their way out.
// Go reserves address space in large pieces, so the size of today is the base.
func limitAddressSpace(cfg Config) error {
	var pages uint64
	status, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(status), &pages)
	}
	if err != nil {
		return fmt.Errorf("statm: %w", err)
	}
	memory := uint64(cfg.Limits.Or(contract.DefaultLimits()).Memory)
	size := pages*uint64(os.Getpagesize()) + 2*memory + slack
	return limitTo(unix.RLIMIT_AS, size)(cfg)
}

func noCore(cfg Config) error {
	if err := limitTo(unix.RLIMIT_CORE, 0)(cfg); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // a core handler may ignore the limit
}

// limitCPU sets a first soft limit. The parent raises it before a run that may
// need more (see executor/process_linux.go); the child, once filtered, cannot.
func limitCPU(Config) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_CPU, &now); err != nil {
		return err
	}
	now.Cur = min(uint64(InitialCPU/time.Second), now.Max)
	return unix.Setrlimit(unix.RLIMIT_CPU, &now)
}

// noMoreFiles forbids any new descriptor. Those that exist stay, the poller's
// included, which a timer brings into being.
func noMoreFiles(cfg Config) error {
	<-time.After(time.Nanosecond)
	return limitTo(unix.RLIMIT_NOFILE, 0)(cfg)
}

// noNewPrivs sets the bit on this thread; the filter's installation spreads it
// to all others.
func noNewPrivs(Config) error {
	_, _, errno := syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errors.Is(errno, syscall.ENOTSUP) { // with cgo; Landlock and the filter do it there
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	}
	if errno != 0 {
		return errno
	}
	return nil
}

// processCPU is the processor time of this process since it was started.
func processCPU() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
