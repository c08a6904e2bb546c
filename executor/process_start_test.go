//go:build linux

package executor_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/executor/internal/child"
)

// noBackOff is a clock that never makes anybody wait after a crash.
func noBackOff() func() time.Time {
	now := time.Now()
	return func() time.Time {
		now = now.Add(time.Minute)
		return now
	}
}

// withDescriptors calls f while this process may open n descriptors more, and no
// others.
func withDescriptors(t *testing.T, n int, f func()) {
	t.Helper()
	var many unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &many))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 64, Max: many.Max}))
	var taken []int
	defer func() {
		for _, fd := range taken {
			_ = unix.Close(fd)
		}
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &many))
	}()
	null, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	for ; err == nil; null, err = unix.FcntlInt(uintptr(taken[0]), unix.F_DUPFD_CLOEXEC, 0) {
		taken = append(taken, null)
	}
	require.ErrorIs(t, err, unix.EMFILE)
	for range n {
		last := len(taken) - 1
		require.NoError(t, unix.Close(taken[last]))
		taken = taken[:last]
	}
	f()
}

// A process that has run out of descriptors starts no child, whichever one it was
// that was missing, keeps none of those it got, and starts one when it has enough.
func TestProcessWithoutDescriptorsStartsNoChild(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{}.With(noBackOff(), 0))
	seen := map[string]bool{}
	for n, started := 0, false; !started; n++ {
		require.Less(t, n, 40)
		before := descriptors(t)
		var out contract.Outcome
		var err error
		withDescriptors(t, n, func() { out, err = s.Run(context.Background(), program("value 7")) })
		if started = err == nil; started {
			require.JSONEq(t, "7", string(out.Value))
			continue
		}
		require.ErrorIs(t, err, unix.EMFILE)
		var failed *executor.ProcessError
		require.ErrorAs(t, err, &failed)
		seen[failed.Text] = true
		require.Equal(t, n+1, s.Status()[0].Crashes)
		require.Zero(t, s.Live())
		require.Equal(t, before, descriptors(t))
	}
	requireWorks(t, s)
	for _, text := range []string{
		"executor: no pipe for a child: pipe2: too many open files",
		"executor: no pipe for a child: fcntl: too many open files",
		"executor: a child could not be started: open /dev/null: too many open files",
	} {
		require.Contains(t, seen, text)
	}
}

// What a child was not meant to have stays when there is no way to list it.
func TestChildWithoutDescriptorsClosesNone(t *testing.T) {
	withDescriptors(t, 0, func() { executor.CloseInherited(1 << 20) })
}

// A relative path has no meaning in a directory that is gone.
func TestProcessCannotTellThePathOfItsChild(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{Path: "child"}.With(noBackOff(), 0))
	gone := filepath.Join(t.TempDir(), "gone")
	require.NoError(t, os.Mkdir(gone, 0o700))
	t.Chdir(gone)
	require.NoError(t, os.Remove(gone))
	_, err := s.Run(context.Background(), program("value 1"))
	require.ErrorContains(t, err, "executor: the path of the child's binary is unknown: ")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorAs(t, err, new(*executor.ProcessError))
	require.Zero(t, s.Live())

	self, err := os.Executable()
	require.NoError(t, err)
	here := t.TempDir()
	require.NoError(t, os.Symlink(self, filepath.Join(here, "child")))
	t.Chdir(here)
	requireWorks(t, s)
}

// A child whose main forgot ChildMain, and makes an executor of its own, must not
// start children without end.
func TestProcessStartsNoChildOfAChild(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{}.With(noBackOff(), 0))
	args := os.Args
	os.Args = append([]string{args[0]}, child.Config{}.Args()...)
	_, err := s.Run(context.Background(), program("value 1"))
	os.Args = args
	require.EqualError(t, err, executor.ErrNoChildMain.Error())
	require.ErrorIs(t, err, executor.ErrNoChildMain)
	require.Zero(t, s.Live())
	requireWorks(t, s)
}

// Somebody who starts a binary as a child by hand is told so, and gets no child.
func TestChildThatNoExecutorStarted(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, c := range []struct {
		args []string
		says string
	}{
		{child.Config{}.Args(), "executor: descriptors 3 and 4 are not the pipes of a parent; only an executor may start a child\n"},
		{[]string{child.Arg}, "executor: child: " + child.Arg + " takes one argument, a configuration; it has 0\n"},
		{[]string{child.Arg, "{"}, "executor: child: configuration: unexpected end of JSON input\n"},
	} {
		cmd := exec.Command(self, c.args...)
		cmd.Env = []string{"GOCOVERDIR=" + t.TempDir()}
		var said bytes.Buffer
		cmd.Stderr = &said
		var exit *exec.ExitError
		require.ErrorAs(t, cmd.Run(), &exit)
		require.Equal(t, child.ExitStart, exit.ExitCode())
		require.Equal(t, c.says, said.String())
	}
	before := descriptors(t)
	_, _, err = executor.Inherited(1 << 20) // where nothing is open
	require.EqualError(t, err, "descriptors 3 and 4 are not the pipes of a parent; only an executor may start a child")
	require.Equal(t, before, descriptors(t))
}

// An error of the far side's Run that is not the caller's fault.
func TestProcessHandsOnAnErrorOfTheFarSide(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	_, err := s.Run(context.Background(), program("big nothing"))
	require.EqualError(t, err, `QuickJS child failed: strconv.Atoi: parsing "nothing": invalid syntax`)
	require.ErrorAs(t, err, new(*executor.ProcessError))
	require.False(t, errors.Is(err, contract.ErrInvalid))
	require.Equal(t, "2", string(mustRun(t, s, program("runs")).Value), "the same child")
}
