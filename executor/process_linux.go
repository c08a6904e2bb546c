package executor

import (
	"math"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endWithParent has the kernel end the child when this process is killed; the
// child also ends by itself when its pipe closes.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// ownBinary is the very file that runs, also when another has taken its name.
func ownBinary() (string, error) { return "/proc/self/exe", nil }

// allowCPU sets how much processor time, since its start, a child may use. A
// child that has been filtered cannot change it.
func allowCPU(pid int, d time.Duration) error {
	limit := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
	if err := unix.Prlimit(pid, unix.RLIMIT_CPU, nil, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if d < math.MaxInt64-time.Second {
		limit.Cur = min(uint64((d+time.Second-1)/time.Second), limit.Max)
	}
	return unix.Prlimit(pid, unix.RLIMIT_CPU, &limit, nil)
}
