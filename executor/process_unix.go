//go:build unix

package executor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// handDown gives the child its ends: 3 to read, 4 to write, and stderr. Stdin
// and stdout are the null device. The child has a process group of its own, so
// that a key pressed at a terminal reaches the parent alone.
func handDown(cmd *exec.Cmd, pipes *childPipeEnds) {
	cmd.ExtraFiles = []*os.File{pipes.childIn, pipes.childOut}
	cmd.Stderr = pipes.childErr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
}

// firstInherited is the number of the first of them.
const firstInherited = 3

// inherited are the child's own ends: of all descriptors from first on it keeps
// these two.
func inherited(first int) (in, out *os.File, err error) {
	for fd := first; fd <= first+1; fd++ {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFIFO {
			return nil, nil, errors.New("descriptors 3 and 4 are not the pipes of a parent; only an executor may start a child")
		}
		unix.CloseOnExec(fd)
	}
	closeInherited(first + 2)
	return os.NewFile(uintptr(first), "from parent"), os.NewFile(uintptr(first+1), "to parent"), nil
}

// closeInherited closes descriptors from first on that came with this process: a
// parent may have some that it does not close when it starts programs. They are
// those that would be handed down again; what Go opens is not.
func closeInherited(first int) {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // there is none on this system, and no other way to know
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < first {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
}

func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

func exitText(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "signal " + unix.SignalName(status.Signal())
	}
	return fmt.Sprintf("code %d", state.ExitCode())
}

// peakMemory is the largest resident size of an ended process, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss) // bytes there, KiB elsewhere
	}
	return int64(usage.Maxrss) << 10
}
