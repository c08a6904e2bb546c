package child_test

import (
	"runtime"
	"testing"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/executor/internal/child"
)

// without calls f on a thread to which the system denies some system calls, and
// which nothing else uses afterwards.
func without(t *testing.T, denied seccomp.SyscallGroup, f func()) {
	t.Helper()
	denied.Action = seccomp.ActionErrno
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with this goroutine
		err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{denied},
		}})
		if err == nil {
			f()
		}
		failed <- err
	}()
	require.NoError(t, <-failed)
}

func problems(steps []child.Step) map[string]string {
	said := map[string]string{}
	for _, s := range steps {
		said[s.Name] = s.Err
	}
	return said
}

// A step that the system does not grant is reported with its reason, and the next
// one is taken. Nothing is given up here: this process goes on.
func TestHardenReportsEachStepThatTheSystemDenies(t *testing.T) {
	if !seccomp.Supported() {
		t.Skip("this kernel has no way to deny system calls")
	}
	var said map[string]string
	without(t, seccomp.SyscallGroup{Names: []string{
		"openat", "setrlimit", "getrlimit", "prlimit64", "prctl", "seccomp", "landlock_create_ruleset", "landlock_restrict_self",
	}}, func() { said = problems(child.Harden(child.Config{})) })
	const denied = "operation not permitted"
	require.Equal(t, map[string]string{
		"address-space": "statm: open /proc/self/statm: " + denied,
		"file-size":     denied,
		"core":          denied,
		"cpu":           denied,
		"landlock":      "not supported by this kernel",
		"open-files":    denied,
		"no-new-privs":  denied,
		"seccomp":       "not supported by this kernel",
	}, said)

	without(t, seccomp.SyscallGroup{NamesWithCondtions: []seccomp.NameWithConditions{{
		Name:       "landlock_create_ruleset", // but to ask for the version, with the flag 1
		Conditions: seccomp.ArgumentConditions{{Argument: 2, Operation: seccomp.Equal, Value: 0}},
	}}}, func() { said = problems(child.Harden(child.Config{Skip: allBut("landlock")})) })
	if said["landlock"] != "not supported by this kernel" {
		require.Contains(t, said["landlock"], "landlock_create_ruleset: "+denied)
	}
}

// allBut names all steps but one.
func allBut(step string) (names []string) {
	for _, name := range child.StepNames[1:] {
		if name != step {
			names = append(names, name)
		}
	}
	return names
}

func TestHardenSaysWhatAnOldKernelOrAnOddMachineLacks(t *testing.T) {
	require.NoError(t, child.Complete(4))
	require.EqualError(t, child.Complete(3), "files are given up, TCP is not: this kernel has version 3, and 4 is needed")
	require.EqualError(t, child.FilterFor("pdp11"), "unsupported arch: pdp11")
}

// A child that cannot tell what it has used says that it has used nothing.
func TestProcessorTimeThatTheSystemDoesNotTell(t *testing.T) {
	if !seccomp.Supported() {
		t.Skip("this kernel has no way to deny system calls")
	}
	used := child.ProcessCPU()
	require.Positive(t, used)
	without(t, seccomp.SyscallGroup{Names: []string{"getrusage"}}, func() { used = child.ProcessCPU() })
	require.Zero(t, used)
}
