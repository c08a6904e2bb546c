//go:build linux

package executor_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

func TestProcessCancelledInEachPhase(t *testing.T) {
	check := func(t *testing.T, err error, text string, started bool) {
		t.Helper()
		var refused *contract.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, text, refused.Message)
		require.Equal(t, contract.CodeCancelled, refused.Code)
		require.Equal(t, started, refused.Started)
		require.ErrorIs(t, err, errLeft)
	}
	t.Run("before", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errLeft)
		_, err := s.Run(ctx, program("value 1"))
		check(t, err, "Execution was cancelled before it started.", false)
		require.Zero(t, s.Live())
	})
	t.Run("starting", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		_, err := s.Run(canceledWhileWaiting()(), program("value 1"))
		check(t, err, "Execution was cancelled while the sandbox was starting.", false)
		pid := s.Status()[0].Pid
		require.NotZero(t, pid, "the load goes on")
		require.Equal(t, fmt.Sprint(pid), string(mustRun(t, s, program("pid")).Value))
	})
	t.Run("running", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		ctx, cancel := context.WithCancelCause(context.Background())
		p := program("log 1 hang")
		p.OnLog = func(string) { cancel(errLeft) }
		out, err := s.Run(ctx, p)
		check(t, err, "Execution was cancelled.", true)
		require.Equal(t, contract.InterruptCanceled, out.Interrupt)
		require.ErrorIs(t, out.Err, errLeft)
		require.Equal(t, []string{"entry 0"}, out.Logs)
		requireWorks(t, s)
		require.Equal(t, "2", string(mustRun(t, s, program("runs")).Value), "a new child, and no back-off")
	})
	t.Run("in a host call", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := make(chan struct{})
		provider := contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
			"leave": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				defer close(ended)
				cancel(errLeft)
				<-ctx.Done()
				return nil, nil
			},
		}}
		out, err := s.Run(ctx, program("call tools.leave []", provider))
		check(t, err, "Execution was cancelled.", true)
		require.Len(t, out.Calls, 1)
		<-ended
	})
}

func TestProcessClosedInEachPhase(t *testing.T) {
	closeSoon := func(s *executor.ProcessSlots) <-chan error {
		done := make(chan error, 1)
		go func() { done <- s.Close(context.Background()) }()
		return done
	}
	check := func(t *testing.T, err error, started bool) {
		t.Helper()
		var refused *contract.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, "Executor is shutting down.", refused.Message)
		require.Equal(t, contract.CodeClosed, refused.Code)
		require.Equal(t, started, refused.Started)
		require.ErrorIs(t, err, contract.ErrClosed)
	}
	t.Run("before", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		require.NoError(t, s.Close(context.Background()))
		_, err := s.Run(context.Background(), program("value 1"))
		check(t, err, false)
	})
	t.Run("idle", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		requireWorks(t, s)
		require.NoError(t, s.Close(context.Background()))
		require.Zero(t, s.Live())
	})
	t.Run("starting", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{}.With(nil, 0, "GUESTJS_TEST_CHILD=hang"))
		ran := make(chan error, 1)
		go func() { _, err := s.Run(context.Background(), program("value 1")); ran <- err }()
		for s.Live() == 0 {
			time.Sleep(time.Millisecond) // no event says that a process has been started
		}
		require.NoError(t, <-closeSoon(s))
		check(t, <-ran, false)
	})
	t.Run("running", func(t *testing.T) {
		s := newSlots(t, executor.ProcessOptions{})
		var closed <-chan error
		p := program("log 1 hang")
		p.OnLog = func(string) { closed = closeSoon(s) }
		out, err := s.Run(context.Background(), p)
		check(t, err, true)
		require.Equal(t, contract.InterruptClosed, out.Interrupt)
		require.NoError(t, <-closed)
	})
	t.Run("backing off", func(t *testing.T) {
		now := time.Now()
		s := newSlots(t, executor.ProcessOptions{}.With(func() time.Time { return now }, 0))
		mustRun(t, s, program("exit 1"))
		ran := make(chan error, 1)
		go func() { _, err := s.Run(context.Background(), program("value 1")); ran <- err }()
		require.NoError(t, <-closeSoon(s))
		check(t, <-ran, false)
	})
}

// runParent is a parent that a test kills: it starts a child, says which, and
// stays in one phase.
func runParent() {
	opts := executor.ProcessOptions{Skip: []string{fakeEngine}}
	phase := os.Getenv("GUESTJS_TEST_PHASE")
	source := "log 1 " + phase
	switch phase {
	case "idle":
		source = "log 1 value 1"
	case "starting":
		opts = opts.With(nil, 0, "GUESTJS_TEST_CHILD=hang")
	}
	s := executor.NewProcessSlots(opts)
	if phase == "starting" {
		go func() {
			for s.Status()[0].Pid == 0 {
				time.Sleep(time.Millisecond) // no event says that a process has been started
			}
			fmt.Println(s.Status()[0].Pid)
		}()
	}
	p := program(source, tools())
	p.OnLog = func(string) { fmt.Println(s.Status()[0].Pid) }
	_, err := s.Run(context.Background(), p)
	fmt.Fprintln(os.Stderr, err)
	select {}
}

func TestProcessChildrenEndWithAParentThatIsKilled(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, phase := range []string{"starting", "idle", "hang", "spin", "call tools.never []"} {
		t.Run(phase, func(t *testing.T) {
			parent := exec.Command(self)
			parent.Env = []string{"GUESTJS_TEST_CHILD=parent", "GUESTJS_TEST_PHASE=" + phase}
			said, err := parent.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, parent.Start())
			line, err := bufio.NewReader(said).ReadString('\n')
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			require.NoError(t, err)
			fd, err := unix.PidfdOpen(pid, 0)
			require.NoError(t, err)
			defer func() { _ = unix.Close(fd) }()
			require.NoError(t, parent.Process.Kill())
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 5000)
			for errors.Is(err, unix.EINTR) {
				n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 5000)
			}
			require.NoError(t, err)
			require.Equal(t, 1, n, "the child outlives its parent")
			require.Error(t, parent.Wait())
		})
	}
}
