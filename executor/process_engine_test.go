//go:build linux

package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

func TestProcessEngine(t *testing.T) {
	s := newEngineSlots(t, executor.ProcessOptions{Limits: contract.Limits{CPU: 20 * time.Second}})
	for _, c := range []struct{ name, source, value, err string }{
		{"a value", "1 + 1", "2", ""},
		{"an object", "({a: [1, 'b', null]})", `{"a":[1,"b",null]}`, ""},
		{"no value", "undefined", "", ""},
		{"a long text", "return 'r'.repeat(200000)", `"` + strings.Repeat("r", 200000) + `"`, ""},
		{"pairs at every border", "return '\\u{1F600}'.repeat(100000)", `"` + strings.Repeat("\U0001F600", 100000) + `"`, ""},
		{"a call", "return await tools.echo(1, 'a')", `[1,"a"]`, ""},
		{"an immediate function", "return await tools.now()", "1", ""},
		{"many calls at once", "return (await Promise.all(Array.from({length: 500}, (_, i) => tools.echo(i)))).length", "500", ""},
		{"a function that is not there", "try { await tools.nope() } catch (e) { return e.message }", `"Unknown function tools.nope"`, ""},
		{"a reply at the edge", "return (await tools.bytes(262122)).length", "262122", ""},
		{"a reply over it", "try { await tools.bytes(262123) } catch (e) { return e.message }",
			`"Host result from tools.bytes exceeds the 262144-byte serialized bridge limit."`, ""},
		{"a reply without JSON form", "try { await tools.cycle() } catch (e) { return e.message }",
			`"Host result from tools.cycle could not be serialized: json: unsupported type: func()"`, ""},
		{"a caught refusal", "try { await tools.limited() } catch (e) { return [e.code, e.retryable, e.data] }",
			`["rate_limited",true,{"code":"rate_limited","left":0,"message":"slow down","retryAfterMs":9,"retryable":true}]`, ""},
		{"a throw", "throw new TypeError('no')", "", "TypeError: no"},
		{"a syntax error", "let let = 1 1", "", "SyntaxError: "},
		{"a program that stalls", "await new Promise(() => {})", "", contract.ErrStalled.Error()},
		{"CPU", "for (;;);", "", "Execution exceeded the 100ms guest CPU budget."},
		{"memory", "const a = []; for (;;) a.push(new Uint8Array(1e5))", "", "Execution exceeded the 67108864-byte guest memory limit."},
		{"deep recursion", "const f = () => f() + 1; try { f() } catch (e) { return e.name }", `"InternalError"`, ""},
		{"a deaf builtin", "return new Array(1e9).includes(5)", "", "Execution exceeded the 100ms guest CPU budget."},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := program(c.source, tools())
			if strings.Contains(c.err, "100ms") {
				p.Limits.CPU = 100 * time.Millisecond
			}
			out := mustRun(t, s, p)
			if c.err != "" {
				require.ErrorContains(t, out.Err, c.err)
				require.Nil(t, out.Value)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, c.value, string(out.Value))
		})
	}
	pid := s.Status()[0].Pid
	require.NotZero(t, pid)
	for _, step := range s.Status()[0].Steps {
		require.Empty(t, step.Err, step.Name)
	}
}

func TestProcessEngineRunsStartFromTheSameBytes(t *testing.T) {
	s := newEngineSlots(t, executor.ProcessOptions{})
	mustRun(t, s, program("globalThis.left = 1; Array.prototype.map = null"))
	pid := s.Status()[0].Pid
	require.Equal(t, `["undefined","function"]`, string(mustRun(t, s, program("[typeof left, typeof [].map]")).Value))
	require.Equal(t, pid, s.Status()[0].Pid)
}

func TestProcessEngineKeepsIdentity(t *testing.T) {
	s := newEngineSlots(t, executor.ProcessOptions{})
	out := mustRun(t, s, program("await tools.boom()", tools()))
	require.EqualError(t, out.Err, "no: the tools' own error")
	require.ErrorIs(t, out.Err, errTools)
	require.Equal(t, 1, out.Failure.Line)

	out = mustRun(t, s, program("try { await tools.limited() } catch (e) { e.message = 'edited'; throw e }", tools()))
	require.EqualError(t, out.Err, "edited")
	var failure *contract.Failure
	require.ErrorAs(t, out.Err, &failure)
	require.Equal(t, "slow down", failure.Message)
	require.Same(t, failure, out.Failure.Call)

	out = mustRun(t, s, program("try { await tools.limited() } catch (e) { throw Object.assign(new Error('x'), e) }", tools()))
	require.Nil(t, out.Failure.Call, "a copy of all members is not the error")
	require.False(t, errors.As(out.Err, &failure))
}

func TestProcessEngineReportsCallsLogsAndUsage(t *testing.T) {
	s := newEngineSlots(t, executor.ProcessOptions{})
	var told []contract.Call
	var streamed []string
	p := program("console.log('a', 1); await tools.echo(1); try { await tools.boom() } catch {}; tools.never(); return 1", tools())
	p.OnCall = func(c contract.Call) { told = append(told, c) }
	p.OnLog = func(entry string) { streamed = append(streamed, entry) }
	out := mustRun(t, s, p)
	require.NoError(t, out.Err)
	require.Equal(t, []string{"a 1"}, out.Logs)
	require.Equal(t, out.Logs, streamed)
	var states []contract.CallState
	for i, c := range out.Calls {
		require.Equal(t, i+1, c.Number)
		states = append(states, c.State)
	}
	require.Equal(t, []contract.CallState{contract.CallCompleted, contract.CallFailed, contract.CallInFlight}, states)
	require.Equal(t, out.Calls, told)
	require.Positive(t, out.Usage.CPU)
	require.Positive(t, out.Usage.Wall)
	require.Positive(t, out.Usage.Memory)
}

func TestProcessEngineTimesOut(t *testing.T) {
	s := newEngineSlots(t, executor.ProcessOptions{})
	p := program("await tools.never()", tools())
	p.Limits.Wall = 80 * time.Millisecond
	out := mustRun(t, s, p)
	for range 5 {
		if !errors.As(out.Err, new(*executor.ProcessError)) {
			break
		}
		out = mustRun(t, s, p) // the machine was so busy that the parent had to end the child
	}
	require.EqualError(t, out.Err, "Execution timed out after 80ms.")
	require.True(t, out.TimedOut())
	require.Equal(t, 80*time.Millisecond, out.Failure.Timeout.Deadline)
	require.Zero(t, s.Status()[0].Pid, "it may hold open calls")
	require.Equal(t, "1", string(mustRun(t, s, program("1")).Value))
}

func TestProcessEngineRefusesWhatItCannotHonour(t *testing.T) {
	s := newEngineSlots(t, executor.ProcessOptions{})
	_, err := s.Run(context.Background(), contract.Program{Source: "1", Limits: contract.Limits{Memory: 1 << 30}})
	require.ErrorIs(t, err, contract.ErrInvalid)
	_, err = s.Run(context.Background(), contract.Program{Source: "1", Globals: map[string]json.RawMessage{"Array": json.RawMessage("1")}})
	require.ErrorIs(t, err, contract.ErrInvalid)
	require.Equal(t, "1", string(mustRun(t, s, program("1")).Value))
}
