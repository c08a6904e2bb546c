//go:build linux

package executor_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/internal/fault"
	"github.com/guestjs/guestjs/internal/wire"
)

// Each of these has one thing happen in the very instant in which another does.
// A run asks its clock when it has a slot, and a child when it has ended; a run
// asks its context for its Done just before it waits.

// onWait is a context that does something when somebody waits on it first.
func onWait(do func()) context.Context { return &waitedOn{context.Background(), sync.OnceFunc(do)} }

type waitedOn struct {
	context.Context
	do func()
}

func (c *waitedOn) Done() <-chan struct{} {
	c.do()
	return c.Context.Done()
}

// clock tells the time, and does once what it is set to when it is asked next.
type clock struct {
	mu sync.Mutex
	do func()
}

func (c *clock) set(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.do = do
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	do := c.do
	c.do = nil
	c.mu.Unlock()
	if do != nil {
		do()
	}
	return time.Now()
}

func closeNow(t *testing.T, s *executor.ProcessSlots) func() {
	return func() { require.NoError(t, s.Close(context.Background())) }
}

// beginClose has somebody close, and returns when the close has begun.
func beginClose(s *executor.ProcessSlots, closed chan<- error) {
	go func() { closed <- s.Close(context.Background()) }()
	for !errors.Is(second(s.Run(context.Background(), program("value 1"))), contract.ErrClosed) {
		runtime.Gosched() // nothing else says so
	}
}

func requireNothingLeft(t *testing.T, s *executor.ProcessSlots) {
	t.Helper()
	closeNow(t, s)()
	require.Zero(t, s.Live())
	requireClosed(t, second(s.Run(context.Background(), program("value 1"))), false)
}

func TestProcessClosedBetweenTheSlotAndTheStart(t *testing.T) {
	c := &clock{}
	s := newSlots(t, executor.ProcessOptions{}.With(c.now, 0))
	c.set(closeNow(t, s))
	_, err := s.Run(context.Background(), program("value 1"))
	requireClosed(t, err, false)
	requireNothingLeft(t, s)
}

// The system refuses to start a child that a close is about to end.
func TestProcessClosedBeforeItsChildFailsToStart(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	closed := make(chan error, 1)
	defer fault.Set(func(point string) error {
		if point != fault.Start {
			return nil
		}
		beginClose(s, closed)
		return unix.EAGAIN
	})()
	_, err := s.Run(context.Background(), program("value 1"))
	require.EqualError(t, err, "executor: a child could not be started: resource temporarily unavailable")
	require.ErrorIs(t, err, unix.EAGAIN)
	require.NoError(t, <-closed)
	requireNothingLeft(t, s)
}

func TestProcessClosedWhileItWaitsToStartAgain(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	for range 3 { // so that the wait is long
		mustRun(t, s, program("exit 1"))
	}
	_, err := s.Run(onWait(closeNow(t, s)), program("value 1"))
	requireClosed(t, err, false)
	requireNothingLeft(t, s)
}

// The child has ended because of the close when the run gets to wait for it.
func TestProcessClosedBeforeItsChildIsWaitedFor(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	_, err := s.Run(onWait(closeNow(t, s)), program("value 1"))
	requireClosed(t, err, false)
	requireNothingLeft(t, s)
}

// The child is ready when its caller leaves: it is the next run's.
func TestProcessCancelledWhenItsChildIsReady(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	left, cancel := context.WithCancelCause(context.Background())
	_, err := s.Run(&waitedOn{left, sync.OnceFunc(func() {
		for !s.Status()[0].Ready {
			runtime.Gosched() // no event says so
		}
		cancel(errLeft)
	})}, program("value 1"))
	requireRefused(t, err, contract.CodeCancelled, "Execution was cancelled while the sandbox was starting.", false)
	require.ErrorIs(t, err, errLeft)
	require.Equal(t, "1", string(mustRun(t, s, program("runs")).Value))
}

// A child that comes up and goes is a run's that died, with what it said about its
// hardening dropped since it made no sense.
func TestProcessWhoseChildIsGoneOnceItIsReady(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{}.With(noBackOff(), 0, "GUESTJS_TEST_CHILD=gone"))
	out, err := s.Run(onWait(func() { <-s.Exited() }), program("value 1"))
	require.NoError(t, err)
	require.EqualError(t, out.Err, "QuickJS child exited unexpectedly (code 4).")
	require.Equal(t, contract.InterruptFault, out.Interrupt)
	require.Empty(t, s.Status()[0].Steps)
	require.Equal(t, 1, s.Status()[0].Crashes)
}

// The caller leaves when the run has noticed that its child is gone, and waits for
// the system to say how it ended.
func TestProcessCancelledWhileItsChildEnds(t *testing.T) {
	c := &clock{}
	s := newSlots(t, executor.ProcessOptions{}.With(c.now, 0))
	requireWorks(t, s)
	ctx, cancel := context.WithCancelCause(context.Background())
	answered := make(chan struct{})
	p := program("log 1 exit 3")
	p.OnLog = func(string) {
		c.set(func() {
			<-s.Retired()
			cancel(errLeft)
			<-answered
		})
	}
	out, err := s.Run(ctx, p)
	close(answered)
	requireRefused(t, err, contract.CodeCancelled, "Execution was cancelled.", true)
	require.ErrorIs(t, err, errLeft)
	require.Equal(t, contract.InterruptCanceled, out.Interrupt)
	require.Equal(t, []string{"entry 0"}, out.Logs)
	requireWorks(t, s)
}

// Somebody closes in that same instant.
func TestProcessClosedWhileItsChildEnds(t *testing.T) {
	c := &clock{}
	s := newSlots(t, executor.ProcessOptions{}.With(c.now, 0))
	requireWorks(t, s)
	closed := make(chan error, 1)
	p := program("log 1 exit 3")
	p.OnLog = func(string) {
		c.set(func() {
			<-s.Retired()
			beginClose(s, closed)
		})
	}
	out, err := s.Run(context.Background(), p)
	requireClosed(t, err, true)
	require.Equal(t, contract.InterruptClosed, out.Interrupt)
	require.NoError(t, <-closed)
	requireNothingLeft(t, s)
}

// A close lets go of the far side's host calls when it closes the pipe, so a program
// may well end with an answer: it comes second.
func TestProcessClosedBeforeItReadsTheAnswer(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	p := program("raw messages " + strings.Join([]string{
		message(wire.TypeLog, `"ending"`),
		message(wire.TypeReport, `{"numbers":[0,0,0,0,0],"rest":{"err":{}}}`),
		message(wire.TypeResult, `{"outcome":{"error":"Execution ended before the host call settled."}}`),
	}, "\n"))
	p.OnLog = func(string) { closeNow(t, s)() } // and the rest has arrived with it
	out, err := s.Run(context.Background(), p)
	requireClosed(t, err, true)
	require.Equal(t, contract.InterruptClosed, out.Interrupt)
	require.Equal(t, []string{"ending"}, out.Logs)
	requireNothingLeft(t, s)
}

// The pipes are closed when the run gets to read.
func TestProcessCancelledBeforeItReadsOn(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	ctx, cancel := context.WithCancelCause(context.Background())
	p := program("log 1 hang")
	p.OnLog = func(string) {
		closed := s.PipesClosed()
		cancel(errLeft)
		<-closed
	}
	out, err := s.Run(ctx, p)
	requireRefused(t, err, contract.CodeCancelled, "Execution was cancelled.", true)
	require.ErrorIs(t, err, errLeft)
	require.Equal(t, contract.InterruptCanceled, out.Interrupt)
	requireWorks(t, s)
}

// The system refuses to wait for a pipe, as it does where a process may have no
// descriptors: to the run its child is gone.
func TestProcessWhosePipeCannotBeWaitedFor(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	var was unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	p := program("log 1 hang")
	p.OnLog = func(string) {
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Max: was.Max}))
	}
	out := mustRun(t, s, p)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &was))
	require.ErrorContains(t, out.Err, "QuickJS child exited unexpectedly (")
	require.Equal(t, contract.InterruptFault, out.Interrupt)
	requireWorks(t, s)
}

// The child is reaped after it was found to be ready: nobody has the number of its
// process any more.
func TestProcessWhoseChildIsGoneBeforeItIsAllowedMore(t *testing.T) {
	log := &syncBuffer{}
	s := newSlots(t, executor.ProcessOptions{Logger: slog.New(slog.NewTextHandler(log, nil))})
	requireWorks(t, s)
	pid := s.Status()[0].Pid
	p := program("value 1")
	p.Limits.CPU = 100 * time.Second
	out, err := s.Run(onWait(func() {
		exited := s.Exited()
		require.NoError(t, unix.Kill(pid, unix.SIGKILL))
		<-exited
	}), p)
	require.NoError(t, err)
	require.EqualError(t, out.Err, "QuickJS child exited unexpectedly (signal SIGKILL).")
	require.Contains(t, log.String(), fmt.Sprintf(`level=WARN msg="child's processor limit was not raised" pid=%d error="no such process"`, pid))
	requireWorks(t, s)
}

// A child that does not listen is made to end.
func TestProcessCloseEndsAChildThatIsStopped(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	requireWorks(t, s)
	require.NoError(t, unix.Kill(s.Status()[0].Pid, unix.SIGSTOP))
	closeNow(t, s)()
	requireNothingLeft(t, s)
}

// Close says so when the system does not give a child back, and a later one waits
// again. The bubble's clock jumps over the second, and the bubble ends when no
// goroutine is left.
func TestProcessCloseGivesUpOnAChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clock{}
		s := executor.NewProcessSlots(executor.ProcessOptions{Skip: []string{fakeEngine}}.With(c.now, 0))
		requireWorks(t, s)
		stuck := make(chan struct{})
		c.set(func() { <-stuck })
		err := s.Close(context.Background())
		require.EqualError(t, err, "A child did not exit within 1000ms of being killed.")
		require.ErrorAs(t, err, new(*executor.ProcessError))
		require.Equal(t, 1, s.Live())
		close(stuck)
		requireNothingLeft(t, s)
	})
}
