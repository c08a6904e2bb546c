package conform_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/conform"
)

func function(t *testing.T, spec string) contract.HostFunc {
	t.Helper()
	f, err := conform.Function(parse(t, spec).(conform.Object))
	require.NoError(t, err)
	return f
}

func TestFunctions(t *testing.T) {
	for _, c := range []struct{ spec, args, reply, err string }{
		{`{"kind":"echo"}`, `["\ud800",2]`, `"\ud800"`, ""},
		{`{"kind":"echo"}`, `[]`, ``, ""},
		{`{"kind":"args"}`, `[1,null]`, `[1,null]`, ""},
		{`{"kind":"argc"}`, `[1,null]`, `2`, ""},
		{`{"kind":"value","value":{"b":1,"a":"\udc00"}}`, `[]`, `{"b":1,"a":"\udc00"}`, ""},
		{`{"kind":"undefined"}`, `[]`, ``, ""},
		{`{"kind":"count"}`, `[]`, `1`, ""},
		{`{"kind":"error","message":"no"}`, `[]`, ``, "no"},
		{`{"kind":"throwValue","value":null}`, `[]`, ``, "null"},
		{`{"kind":"throwValue","value":[1,null,"x"]}`, `[]`, ``, "1,,x"},
		{`{"kind":"throwValue","value":{}}`, `[]`, ``, "[object Object]"},
		{`{"kind":"bytes","n":3}`, `[]`, `"xxx"`, ""},
		{`{"kind":"bytes","n":2,"char":"\""}`, `[]`, `"\"\""`, ""},
		{`{"kind":"delay","ms":1,"value":5}`, `[]`, `5`, ""},
		{`{"kind":"delay","ms":1}`, `[]`, ``, ""},
		{`{"kind":"delay","ms":1,"then":{"kind":"error","message":"late"}}`, `[]`, ``, "late"},
	} {
		t.Run(c.spec+c.args, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				value, err := function(t, c.spec)(t.Context(), json.RawMessage(c.args))
				require.Equal(t, c.reply, string(value))
				if c.err == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, c.err)
				}
			})
		})
	}
	_, err := conform.Function(conform.Object{{Key: "kind", Value: "what"}})
	require.ErrorContains(t, err, "what")
}

func TestFunctionsThatRefuse(t *testing.T) {
	_, err := function(t, `{"kind":"failure","details":{"code":"c","message":"m","retryable":true,"retryAfterMs":5,"more":[1]}}`)(t.Context(), nil)
	var failure *contract.Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "c", failure.Code)
	require.Equal(t, 5*time.Millisecond, failure.RetryAfter)
	require.Contains(t, failure.Details, "more")
	for _, kind := range []string{"bigint", "cyclic"} {
		_, err := function(t, `{"kind":"`+kind+`"}`)(t.Context(), nil)
		var reply *contract.ReplyError
		require.ErrorAs(t, err, &reply)
	}
}

func TestFunctionsThatWaitEndWithTheRun(t *testing.T) {
	gone := errors.New("gone")
	for _, spec := range []string{`{"kind":"never"}`, `{"kind":"delay","ms":1000000,"value":1}`} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(gone)
		_, err := function(t, spec)(ctx, json.RawMessage("[]"))
		require.ErrorIs(t, err, gone)
	}
}

func TestSequenceRepeatsItsLast(t *testing.T) {
	f := function(t, `{"kind":"sequence","steps":[{"kind":"error","message":"first"},{"kind":"value","value":2}]}`)
	_, err := f(t.Context(), nil)
	require.EqualError(t, err, "first")
	for range 3 {
		value, err := f(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, "2", string(value))
	}
}

func TestProgramOfAVector(t *testing.T) {
	input := parse(t, `{"code":"return 1","providers":[{"name":"p","fns":{"f":{"kind":"echo"}},"prelude":"1"}],"options":{"cpuTimeMs":60,"memoryLimitBytes":16777216}}`).(conform.Object)
	p, err := conform.Program(input)
	require.NoError(t, err)
	require.Equal(t, "return 1", p.Source)
	require.Equal(t, contract.Limits{Wall: 30 * time.Second, CPU: 60 * time.Millisecond, Memory: 16 << 20, Stack: 1 << 20}, p.Limits)
	require.Equal(t, "p", p.Providers[0].Name)
	require.Equal(t, "1", p.Providers[0].Prelude)
	require.Contains(t, p.Providers[0].Functions, "f")
}

func TestResultOfAnOutcome(t *testing.T) {
	got, err := conform.Result(contract.Outcome{
		Err:       &contract.InterruptError{Interrupt: contract.InterruptWall, Budget: int64(60 * time.Millisecond)},
		Failure:   &contract.FailureRecord{Name: "TimeoutError", Line: 3, Column: 9, Timeout: &contract.Timeout{Elapsed: 61 * time.Millisecond, Deadline: 60 * time.Millisecond}},
		Logs:      []string{"x"},
		Calls:     []contract.Call{{Name: "a.b", Number: 1}},
		Interrupt: contract.InterruptWall,
	})
	require.NoError(t, err)
	require.Empty(t, conform.Diff(parse(t, `{"outcome":{"error":"Execution timed out after 60ms.","failure":{"name":"TimeoutError","line":3,"timeout":{"elapsedMs":61,"deadlineMs":60}},"logs":["x"]},"timedOut":true}`), got))

	got, err = conform.Result(contract.Outcome{Value: json.RawMessage(`"\ud800"`)})
	require.NoError(t, err)
	require.Equal(t, `{"outcome":{"result":"\ud800"}}`, conform.Stringify(got))
}
