//go:build linux

package executor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// TestProcessFaults has each thing a broken child can do during a run. The
// caller gets one answer, of the right kind, and the next run works.
func TestProcessFaults(t *testing.T) {
	never := `{"namespace":"tools","functionName":"never","args":[]}`
	for _, c := range []struct {
		name, source string
		kind         contract.Interrupt
		text         string // what Err says, or begins with when it ends in …
	}{
		{"exits", "exit 3", contract.InterruptFault, "QuickJS child exited unexpectedly (code 3)."},
		{"exits with last words", "exit 3 goodbye", contract.InterruptFault,
			"QuickJS child exited unexpectedly (code 3).\nRecent child stderr (last 7 bytes):\ngoodbye"},
		{"aborts as the engine does", "abort", contract.InterruptFault, "QuickJS child exited unexpectedly (signal SIGABRT)."},
		{"is sent an abort", "sigabrt", contract.InterruptFault, "QuickJS child exited unexpectedly (…"},
		{"dies of Go's own fatal error", "crash", contract.InterruptFault, "QuickJS child exited unexpectedly (code 2).\nRecent child stderr (last …"},
		{"takes all memory", "eat", contract.InterruptFault, "QuickJS child exited unexpectedly (code …"},
		{"panics", "panic oh", contract.InterruptNone, "QuickJS child failed: oh"},
		{"closes its pipe and lives", "closeout", contract.InterruptFault, "QuickJS child exited unexpectedly (…"},
		{"sends half a frame and ends", "raw half", contract.InterruptFault, "QuickJS child exited unexpectedly (code 0)."},
		{"sends half a frame and waits", "raw half-hang", contract.InterruptWall, "QuickJS child exceeded the 200ms wall budget and was terminated."},
		{"sends a frame of 2 GiB", "raw huge", contract.InterruptFault, "QuickJS execution result exceeded the IPC limit."},
		{"floods its pipe with garbage", "raw garbage", contract.InterruptFault, "QuickJS execution result exceeded the IPC limit."},
		{"sends text that is not JSON", "raw json {{", contract.InterruptFault, "QuickJS child returned an invalid result: wire: a frame that is not JSON"},
		{"sends a result that is not JSON", "raw result {", contract.InterruptFault, "QuickJS child returned an invalid result: unexpected end of JSON input"},
		{"sends a result that is no outcome", "raw result []", contract.InterruptFault, "QuickJS child returned an invalid result: …"},
		{"sends a forged timeout", `raw result {"outcome":{"result":1},"timedOut":true}`, contract.InterruptFault, "QuickJS child returned an invalid result: the outcome and its report disagree"},
		{"sends 100,000 chunks", "chunks 100000 1", contract.InterruptFault, "QuickJS execution result exceeded the IPC limit."},
		{"sends more than 64 MiB", "chunks 2000 65536", contract.InterruptFault, "QuickJS execution result exceeded the IPC limit."},
		{"floods with messages of other jobs", "flood", contract.InterruptFault, "QuickJS child returned an invalid result: more than 1000 messages that make no sense"},
		{"floods with log entries", "log 20000 hang", contract.InterruptFault, "QuickJS child returned an invalid result: more than 1000 messages that make no sense"},
		{"floods with ready", "flood ready", contract.InterruptFault, "QuickJS child returned an invalid result: more than 1000 messages that make no sense"},
		{"floods stderr", "flood stderr", contract.InterruptWall, "QuickJS child exceeded the 200ms wall budget and was terminated."},
		{"calls too many functions at once", "raw calls", contract.InterruptFault, "QuickJS child returned an invalid result: more than 64 host calls at once"},
		{"never answers", "hang", contract.InterruptWall, "QuickJS child exceeded the 200ms wall budget and was terminated."},
		{"computes for ever", "spin", contract.InterruptWall, "QuickJS child exceeded the 200ms wall budget and was terminated."},
		{"waits for a call that never ends", "raw call " + never, contract.InterruptWall, "QuickJS child exceeded the 200ms wall budget and was terminated."},
	} {
		t.Run(c.name, func(t *testing.T) {
			limits := contract.Limits{Wall: time.Minute}
			if c.kind == contract.InterruptWall {
				limits.Wall = 200 * time.Millisecond
			}
			s := newSlots(t, executor.ProcessOptions{})
			p := program(c.source, tools())
			p.Limits = limits
			out := mustRun(t, s, p)
			if begin, cut := strings.CutSuffix(c.text, "…"); cut {
				require.ErrorContains(t, out.Err, begin)
			} else {
				require.EqualError(t, out.Err, c.text)
			}
			require.Equal(t, c.kind, out.Interrupt)
			require.Nil(t, out.Value)
			if c.kind != contract.InterruptNone {
				require.ErrorIs(t, out.Err, c.kind)
				require.Positive(t, out.Usage.Wall)
			}
			requireWorks(t, s)
			require.Equal(t, "2", string(mustRun(t, s, program("runs")).Value), "a new child")
		})
	}
}

func TestProcessIgnoresWhatMakesNoSense(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	require.Equal(t, `"true"`, string(mustRun(t, s, program("raw foreign")).Value), "a result for another job")
	require.NoError(t, s.Close(context.Background()))
	s = newSlots(t, executor.ProcessOptions{})
	require.Equal(t, `"fine"`, string(mustRun(t, s, program("raw nonsense")).Value))
	require.Equal(t, `"nobody listens"`, string(mustRun(t, s, program("flood stdout")).Value))
}

func TestProcessAnswersCallsItDoesNotKnow(t *testing.T) {
	for name, body := range map[string]string{
		"a function that is not there":  `{"namespace":"tools","functionName":"nope","args":[]}`,
		"a namespace that is not there": `{"namespace":"nope","functionName":"echo","args":[]}`,
		"a name of Go's":                `{"namespace":"tools","functionName":"","args":[]}`,
		"too large":                     `{"namespace":"tools","functionName":"echo","args":["` + strings.Repeat("a", 270_000) + `"]}`,
		"no body":                       `{}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := newSlots(t, executor.ProcessOptions{})
			p := program("raw call "+body, tools())
			p.Limits.Wall = 100 * time.Millisecond
			out := mustRun(t, s, p)
			require.True(t, out.TimedOut())
			for _, call := range out.Calls {
				require.Equal(t, contract.CallFailed, call.State)
			}
			requireWorks(t, s)
		})
	}
}

// A child's bridge shortens the names of functions that nobody has. The parent
// relies on that no more than on anything else that a child says: what it keeps
// of the names is short.
func TestProcessKeepsLongNamesShort(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector keeps memory of its own")
	}
	const count = 200 // 50 MB of names in calls, and as much in what is told of them
	s := newSlots(t, executor.ProcessOptions{})
	p := program(fmt.Sprint("raw names ", count), tools())
	before, during, told := heap(), int64(0), 0
	p.OnCall = func(contract.Call) {
		if told++; told == count {
			during = heap() - before
		}
	}
	out := mustRun(t, s, p)
	after := heap() - before
	require.Len(t, out.Calls, count)
	for _, call := range out.Calls {
		require.True(t, strings.HasPrefix(call.Name, "tools."))
		require.Equal(t, contract.CallFailed, call.State)
	}
	require.Equal(t, count, told, "each call once")
	require.Less(t, during, int64(20e6))
	require.Less(t, after, int64(20e6))
	runtime.KeepAlive(out)
	requireWorks(t, s)
}

// heap is what the process holds on its heap, in bytes.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestProcessKeepsLogsAndCallsOfARunThatDied(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	var told []contract.Call
	p := program(`log 2 raw call {"namespace":"tools","functionName":"never","args":[]}`, tools())
	p.Limits.Wall = 500 * time.Millisecond // enough on a busy machine for what it sends
	p.OnCall = func(c contract.Call) { told = append(told, c) }
	out := mustRun(t, s, p)
	require.Equal(t, []string{"entry 0.", "entry 1."}, out.Logs)
	require.Len(t, out.Calls, 1)
	require.Equal(t, "tools.never", out.Calls[0].Name)
	require.Equal(t, contract.CallInFlight, out.Calls[0].State)
	require.Equal(t, out.Calls, told)
	require.Positive(t, out.Usage.Memory, "the system's own measure")
	require.Positive(t, out.Usage.Overshoot)

	out = mustRun(t, s, program("log 200 exit 1"))
	units := 0
	for _, entry := range out.Logs {
		units += len(entry) + 1
	}
	require.LessOrEqual(t, units, 4002)
	require.Greater(t, units, 3900)
}

func TestProcessStartUp(t *testing.T) {
	for _, c := range []struct{ mode, text string }{
		{"hang", "QuickJS child did not become ready within 1000ms."},
		{"broken engine", "QuickJS child exited before becoming ready (code 70).\nRecent child stderr (last 54 bytes):\nchild: the engine could not be loaded: no such engine\n"},
		{"garbage", "QuickJS child exited before becoming ready (…"},
		{"babble", "QuickJS child exited before becoming ready (…"},
		{"exit", executor.ErrNoChildMain.Error() + "\nQuickJS child exited before becoming ready (code 9).\nRecent child stderr (last 8 bytes):\nno luck\n"},
		{"silent", executor.ErrNoChildMain.Error() + "\nQuickJS child did not become ready within 300ms."},
	} {
		t.Run(c.mode, func(t *testing.T) {
			limit := 20 * time.Second // for a child that ends by itself
			if _, ms, ok := strings.Cut(c.text, "within "); ok {
				var err error
				limit, err = time.ParseDuration(strings.TrimSuffix(ms, "."))
				require.NoError(t, err)
			}
			// Where coverage is measured, a process that ends without a directory for it
			// says so on stderr.
			s := newSlots(t, executor.ProcessOptions{}.With(nil, limit, "GUESTJS_TEST_CHILD="+c.mode, "GOCOVERDIR="+t.TempDir()))
			out, err := s.Run(context.Background(), program("value 1"))
			if begin, cut := strings.CutSuffix(c.text, "…"); cut {
				require.ErrorContains(t, err, begin)
			} else {
				require.EqualError(t, err, c.text)
			}
			require.Equal(t, contract.Outcome{}, out)
			require.Equal(t, 1, s.Status()[0].Crashes)
		})
	}
}

func TestProcessSaysThatMainForgotChildMain(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{}.With(nil, 0, "GUESTJS_TEST_CHILD=unclaimed"))
	_, err := s.Run(context.Background(), program("value 1"))
	require.ErrorIs(t, err, executor.ErrNoChildMain)
	require.EqualError(t, err, executor.ErrNoChildMain.Error())
}

func TestProcessNamesABinaryThatIsNotThere(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{Path: "/nonexistent/guestjs"})
	_, err := s.Run(context.Background(), program("value 1"))
	require.ErrorContains(t, err, "executor: a child could not be started: fork/exec /nonexistent/guestjs: no such file or directory")
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, s.Close(context.Background()))
	s = newSlots(t, executor.ProcessOptions{Path: "/bin/true"})
	_, err = s.Run(context.Background(), program("value 1"))
	require.EqualError(t, err, "QuickJS child exited before becoming ready (code 0).")
}

func TestProcessBacksOffAfterCrashes(t *testing.T) {
	now := time.Now()
	s := newSlots(t, executor.ProcessOptions{}.With(func() time.Time { return now }, 0))
	ctx := canceledWhileWaiting()
	for n := 1; n <= 8; n++ {
		require.ErrorIs(t, mustRun(t, s, program("exit 1")).Err, contract.InterruptFault)
		require.Equal(t, n, s.Status()[0].Crashes)
		now = now.Add(executor.BackOff(n) - time.Millisecond)
		_, err := s.Run(ctx(), program("value 1"))
		require.EqualError(t, err, "Execution was cancelled while the sandbox was restarting.")
		var refused *contract.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, contract.CodeCancelled, refused.Code)
		require.False(t, refused.Started)
		require.ErrorIs(t, err, errLeft)
		now = now.Add(time.Millisecond)
	}
	requireWorks(t, s)
	require.Zero(t, s.Status()[0].Crashes, "a good result ends the row")
}

var errLeft = errors.New("the caller left")

// canceledWhileWaiting makes contexts that end as soon as somebody waits on them.
func canceledWhileWaiting() func() context.Context {
	return func() context.Context {
		ctx, cancel := context.WithCancelCause(context.Background())
		return &cancelOnWait{ctx, cancel}
	}
}

type cancelOnWait struct {
	context.Context
	cancel context.CancelCauseFunc
}

func (c *cancelOnWait) Done() <-chan struct{} {
	c.cancel(errLeft)
	return c.Context.Done()
}

func TestProcessNoticesAChildThatDiedBetweenRuns(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	requireWorks(t, s)
	exited := s.Exited()
	require.NoError(t, unix.Kill(s.Status()[0].Pid, unix.SIGKILL))
	<-exited
	require.Zero(t, s.Status()[0].Pid)
	requireWorks(t, s)
	require.Zero(t, s.Status()[0].Crashes)
}

func TestProcessAllowsTheProcessorTimeThatARunMayNeed(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	allowed := func(cpu time.Duration) uint64 {
		p := program("value 1")
		p.Limits.CPU = cpu
		mustRun(t, s, p)
		var limit unix.Rlimit
		require.NoError(t, unix.Prlimit(s.Status()[0].Pid, unix.RLIMIT_CPU, nil, &limit))
		return limit.Cur
	}
	require.EqualValues(t, 60, allowed(0))
	first := allowed(100 * time.Second)
	require.Greater(t, first, uint64(200))
	require.Equal(t, first, allowed(time.Second), "it is not lowered again")
	require.EqualValues(t, uint64(unix.RLIM_INFINITY), allowed(contract.Unlimited))
}

func TestProcessReportsAChildKilledDuringARun(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	p := program("log 1 hang")
	p.OnLog = func(string) { _ = unix.Kill(s.Status()[0].Pid, unix.SIGKILL) }
	out := mustRun(t, s, p)
	require.EqualError(t, out.Err, "QuickJS child exited unexpectedly (signal SIGKILL).")
	requireWorks(t, s)
}
