//go:build linux

package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// newSlots makes slots over fake children, and at the end of the test checks
// that closing them leaves nothing: no process, no goroutine, no descriptor.
func newSlots(t *testing.T, opts executor.ProcessOptions) *executor.ProcessSlots {
	t.Helper()
	opts.Skip = append(opts.Skip, fakeEngine)
	return newEngineSlots(t, opts)
}

// newEngineSlots makes slots with the real engine behind the pipe.
func newEngineSlots(t *testing.T, opts executor.ProcessOptions) *executor.ProcessSlots {
	t.Helper()
	r, w, err := os.Pipe() // the poller's descriptors come with the first pipe
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, w.Close())
	before := descriptors(t)
	s := executor.NewProcessSlots(opts)
	t.Cleanup(func() {
		start := time.Now()
		require.NoError(t, s.Close(context.Background()))
		require.Less(t, time.Since(start), 20*time.Second)
		require.Zero(t, s.Live())
		_, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		require.ErrorIs(t, err, unix.ECHILD, "a child is left, or was not reaped")
		goleak.VerifyNone(t)
		require.Equal(t, before, descriptors(t), "descriptors")
	})
	return s
}

// descriptors lists what is open, but for what the listing itself opens.
func descriptors(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	var open []string
	for _, e := range entries {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && !strings.HasPrefix(to, "/proc/") {
			open = append(open, e.Name()+" "+to)
		}
	}
	return open
}

func program(source string, providers ...contract.Provider) contract.Program {
	return contract.Program{Source: source, Providers: providers}
}

var errTools = errors.New("the tools' own error")

// tools is a provider with one function of each kind.
func tools() contract.Provider {
	return contract.Provider{
		Name: "tools",
		Functions: map[string]contract.HostFunc{
			"echo": func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil },
			"none": func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil },
			"boom": func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return nil, fmt.Errorf("no: %w", errTools)
			},
			"panic":  func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("the tools' own panic") },
			"goexit": func(context.Context, json.RawMessage) (json.RawMessage, error) { runtime.Goexit(); return nil, nil },
			"junk":   func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage("{"), nil },
			"never": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
			"limited": func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return nil, &contract.Failure{Code: "rate_limited", Message: "slow down", Retryable: true, RetryAfter: 9 * time.Millisecond, Details: map[string]any{"left": 0}}
			},
			"bytes": contract.Func(func(_ context.Context, n int) (string, error) { return strings.Repeat("x", n), nil }),
			"cycle": contract.Func0(func(context.Context) (func(), error) { return func() {}, nil }),
			"huge": func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return nil, &contract.Failure{Code: "big", Message: "m", Details: map[string]any{"x": strings.Repeat("x", 1<<20)}}
			},
		},
		Immediate: map[string]contract.HostFunc{
			"now": func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`1`), nil },
		},
	}
}

func mustRun(t *testing.T, s *executor.ProcessSlots, p contract.Program) contract.Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := s.Run(ctx, p)
	require.NoError(t, err)
	return out
}

// requireWorks runs one program more: a run that failed must not fail the next.
func requireWorks(t *testing.T, s *executor.ProcessSlots) {
	t.Helper()
	out := mustRun(t, s, program("value 7"))
	require.NoError(t, out.Err)
	require.JSONEq(t, "7", string(out.Value))
}

func TestProcessRunsPrograms(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	out := mustRun(t, s, program(`value {"a":[1,"b"]}`))
	require.Equal(t, contract.Outcome{
		Value: json.RawMessage(`{"a":[1,"b"]}`), Logs: []string{"ran"}, Unhandled: []string{"lost"},
		Usage: contract.Usage{CPU: time.Millisecond, Wall: 2 * time.Millisecond, Memory: 4096},
	}, out)
}

func TestProcessReusesItsChild(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	first := mustRun(t, s, program("pid"))
	second := mustRun(t, s, program("pid"))
	require.Equal(t, string(first.Value), string(second.Value))
	require.NotEqual(t, fmt.Sprint(os.Getpid()), string(first.Value))
	require.Equal(t, "3", string(mustRun(t, s, program("runs")).Value))
}

func TestProcessHandsTheProgramOver(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{Limits: contract.Limits{CPU: time.Second}})
	clock := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	provider := tools()
	provider.Prelude = "const a = 1"
	out := mustRun(t, s, contract.Program{
		Source: "program", Name: "rule.js", Clock: clock, Seed: 1<<63 + 1,
		Globals: map[string]json.RawMessage{"input": json.RawMessage(`{"x":1}`)},
		Limits:  contract.Limits{Wall: time.Minute}, Providers: []contract.Provider{provider},
	})
	limits, err := json.Marshal(contract.Limits{Wall: time.Minute, CPU: time.Second}.Or(contract.DefaultLimits()))
	require.NoError(t, err)
	require.JSONEq(t, fmt.Sprintf(`{"name":"rule.js","globals":{"input":{"x":1}},"limits":%s,
		"clock":"2026-01-02T03:04:05.000000006Z","seed":9223372036854775809,"prelude":"const a = 1","immediate":0}`, limits), string(out.Value))
}

func TestProcessHostCalls(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	for _, c := range []struct{ call, want string }{
		{`tools.echo [1,"a"]`, `[1,"a"]`},
		{`tools.now []`, `1`},
		{`tools.bytes [262122]`, `"` + strings.Repeat("x", 262122) + `"`},
		{`tools.bytes [262123]`, `"caught Host result from tools.bytes exceeds the 262144-byte serialized bridge limit."`},
		{`tools.boom []`, `"caught no: the tools' own error"`},
		{`tools.limited []`, `"caught slow down"`},
		{`tools.cycle []`, `"caught Host result from tools.cycle could not be serialized: json: unsupported type: func()"`},
		{`tools.junk []`, `"caught Host result from tools.junk could not be serialized: the reply is not JSON"`},
		{`tools.huge []`, `"caught QuickJS host-result IPC envelope could not be serialized within the 1048576-byte IPC limit."`},
		{`tools.nope []`, `"caught Unknown function tools.nope"`},
		{`tools.echo ["` + strings.Repeat("a", 262144) + `"]`, `"caught Host call payload is 262199 UTF-8 bytes, over the 262144-byte IPC limit."`},
	} {
		out := mustRun(t, s, program("call "+c.call, tools()))
		require.NoError(t, out.Err)
		require.Equal(t, c.want, string(out.Value), c.call)
	}
	require.Nil(t, mustRun(t, s, program("call tools.none []", tools())).Value)
	require.Equal(t, "0", string(mustRun(t, s, program("calls tools.echo 64", tools())).Value))
	require.Equal(t, "14", string(mustRun(t, s, program("runs")).Value)[:2], "one child served them all")
}

func TestProcessHostErrorsReachErrorsIs(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	out := mustRun(t, s, program("throw tools.boom []", tools()))
	require.EqualError(t, out.Err, "no: the tools' own error")
	require.ErrorIs(t, out.Err, errTools)

	out = mustRun(t, s, program("throw tools.limited []", tools()))
	var failure *contract.Failure
	require.ErrorAs(t, out.Err, &failure)
	require.Equal(t, "rate_limited", failure.Code)
	require.Equal(t, map[string]any{"left": 0}, failure.Details, "the very record, not a copy of its JSON")
	require.Same(t, failure, out.Failure.Call)
}

func TestProcessRaisesAHostFunctionsPanicAgain(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	require.PanicsWithValue(t, "the tools' own panic", func() {
		_, _ = s.Run(context.Background(), program("call tools.panic []", tools()))
	})
	require.PanicsWithValue(t, "executor: a host function called runtime.Goexit", func() {
		_, _ = s.Run(context.Background(), program("call tools.goexit []", tools()))
	})
	requireWorks(t, s)
}

func TestProcessStreamsLogsAndCalls(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	var streamed []string
	var told []contract.Call
	p := program("log 1 call tools.echo [1]", tools())
	p.OnLog = func(entry string) { streamed = append(streamed, entry) }
	p.OnCall = func(c contract.Call) { told = append(told, c) }
	mustRun(t, s, p)
	require.Equal(t, []string{"entry 0"}, streamed)
	require.Len(t, told, 1)
	require.Equal(t, contract.CallCompleted, told[0].State)
}

func TestProcessResults(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	for _, n := range []int{1, 65_500, 65_600, 200_000, 10 << 20} {
		out := mustRun(t, s, program(fmt.Sprint("big ", n)))
		require.NoError(t, out.Err)
		require.Len(t, out.Value, n+2)
	}
	out := mustRun(t, s, program(fmt.Sprint("big ", 64<<20)))
	require.EqualError(t, out.Err, "QuickJS execution result exceeded the 67108864-byte aggregate transport limit: "+
		"QuickJS execution result is 67108889 UTF-8 bytes, over the 67108864-byte IPC limit.")
	require.Nil(t, out.Failure)
	require.Equal(t, "1", string(mustRun(t, s, program("runs")).Value), "the child that grew was replaced")
}

func TestProcessOutcomesKeepTheirKind(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	require.ErrorIs(t, mustRun(t, s, program("outcome stalled")).Err, contract.ErrStalled)
	require.ErrorIs(t, mustRun(t, s, program("outcome cpu")).Err, contract.InterruptCPU)
	require.Equal(t, &contract.ResultError{Path: ".a", Reason: "a cycle"}, mustRun(t, s, program("outcome other")).Err)
	require.Equal(t, "4", string(mustRun(t, s, program("runs")).Value), "none of these costs a child")

	require.True(t, mustRun(t, s, program("outcome wall")).TimedOut())
	require.Equal(t, "1", string(mustRun(t, s, program("runs")).Value), "it may hold open calls")
	require.ErrorIs(t, mustRun(t, s, program("outcome fault")).Err, contract.InterruptFault)
	require.Equal(t, "1", string(mustRun(t, s, program("runs")).Value))

	_, err := s.Run(context.Background(), program("invalid"))
	require.ErrorIs(t, err, contract.ErrInvalid)
	require.EqualError(t, err, "contract: invalid argument: Program.Source is silly")
}

func TestProcessRefusesWhatCannotBeSent(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	out := mustRun(t, s, program(strings.Repeat("a", 1<<20)))
	require.ErrorContains(t, out.Err, "QuickJS run payload is 10486")
	out = mustRun(t, s, program(strings.Repeat("\"", 300_000)))
	require.ErrorContains(t, out.Err, "QuickJS run payload is 1200") // fits, but not once more quoted
	for name, p := range map[string]contract.Program{
		"not UTF-8":       {Source: "\xff"},
		"global":          {Globals: map[string]json.RawMessage{"a": json.RawMessage("{")}},
		"negative limits": {Limits: contract.Limits{Wall: -1}},
	} {
		_, err := s.Run(context.Background(), p)
		require.ErrorIs(t, err, contract.ErrInvalid, name)
	}
	require.Zero(t, s.Live(), "nothing was started for these")
}

func TestProcessSlotsRunSideBySide(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{Slots: 3})
	var mu sync.Mutex
	pids := map[string]bool{}
	meet := make(chan struct{})
	var arrived int
	provider := contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
		"meet": func(context.Context, json.RawMessage) (json.RawMessage, error) {
			mu.Lock()
			if arrived++; arrived == 3 {
				close(meet)
			}
			mu.Unlock()
			<-meet
			return nil, nil
		},
	}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			_, err := s.Run(context.Background(), program("call tools.meet []", provider))
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, st := range s.Status() {
		require.True(t, st.Ready)
		pids[fmt.Sprint(st.Pid)] = true
	}
	require.Len(t, pids, 3)
}

func TestProcessHasOneRunASlot(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	inside := make(chan struct{})
	provider := contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
		"in": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			close(inside)
			<-ctx.Done()
			return nil, nil
		},
	}}
	done := make(chan error)
	go func() { _, err := s.Run(ctx, program("call tools.in []", provider)); done <- err }()
	<-inside
	_, err := s.Run(context.Background(), program("value 1"))
	require.EqualError(t, err, "Executor admission invariant failed: no child slot.")
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
}

func TestBackOffDoublesUpToFiveSeconds(t *testing.T) {
	for n, ms := range map[int]int{1: 100, 2: 200, 3: 400, 6: 3200, 7: 5000, 8: 5000, 1000: 5000} {
		require.Equal(t, time.Duration(ms)*time.Millisecond, executor.BackOff(n), n)
	}
}
