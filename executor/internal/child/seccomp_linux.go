package child

import (
	"errors"
	"os"
	"runtime"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// allowed are the system calls of a Go program that computes, keeps time,
// manages its own memory and threads, and talks on descriptors it has. Names
// that an architecture does not have are left out of its filter.
var allowed = []string{
	// Descriptors that exist.
	"read", "write", "close",
	"epoll_wait", "epoll_pwait", "epoll_pwait2", "epoll_ctl", "poll", "ppoll",
	// Memory. mmap and mprotect are below.
	"munmap", "madvise", "mremap", "mincore", "brk",
	// Threads of this process. clone is below.
	"futex", "sched_yield", "sched_getaffinity", "gettid", "getpid", "set_robust_list", "rseq", "membarrier",
	"exit", "exit_group", "restart_syscall",
	// Signals to this process: tgkill and kill are below.
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack",
	// Time.
	"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "time",
	// Itself.
	"getrusage", "getrandom",
}

// filter installs a system call filter on all threads, for an architecture, the
// empty one being this. What it does not allow fails with EPERM.
func filter(architecture string) func(Config) error {
	return func(Config) error {
		info, err := arch.GetInfo(architecture)
		if err != nil {
			return err
		}
		// The bit that allows a filter is set on one thread and used on the same one.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if !seccomp.Supported() {
			return errors.New("not supported by this kernel")
		}
		return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: policy(info)})
	}
}

func policy(info *arch.Info) seccomp.Policy {
	var names []string
	for _, name := range allowed {
		if _, ok := info.SyscallNames[name]; ok {
			names = append(names, name)
		}
	}
	when := func(name string, argument uint32, op seccomp.Operation, value uint64) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: seccomp.ArgumentConditions{{
			Argument: argument, Operation: op, Value: value,
		}}}
	}
	self := uint64(os.Getpid())
	return seccomp.Policy{
		DefaultAction: seccomp.ActionErrno,
		Syscalls: []seccomp.SyscallGroup{
			{Action: seccomp.ActionAllow, Names: names},
			{Action: seccomp.ActionAllow, NamesWithCondtions: []seccomp.NameWithConditions{
				// No memory is both the guest's to write and the machine's to run.
				when("mmap", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
				when("mprotect", 2, seccomp.BitsNotSet, unix.PROT_EXEC),
				when("clone", 0, seccomp.BitsSet, unix.CLONE_THREAD),
				when("tgkill", 0, seccomp.Equal, self),
				when("kill", 0, seccomp.Equal, self),
				// The runtime asks for the state of descriptors, and never for a copy.
				when("fcntl", 1, seccomp.Equal, unix.F_GETFL),
			}},
			// A C library asks for clone3 first and takes clone when there is none.
			{Action: seccomp.Action(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)), Names: []string{"clone3"}},
		},
	}
}
