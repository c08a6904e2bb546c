package contract_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func TestOutcomeMarshal(t *testing.T) {
	tests := []struct {
		name string
		out  contract.Outcome
		want string
	}{
		{"no value", contract.Outcome{}, `{"usage":{"cpuMs":0,"wallMs":0,"memoryBytes":0}}`},
		{"null is a value", contract.Outcome{Value: json.RawMessage(`null`)}, `{"result":null,"usage":{"cpuMs":0,"wallMs":0,"memoryBytes":0}}`},
		{"everything that goes with a value", contract.Outcome{
			Value: json.RawMessage(`{"html":"<b>"}`),
			Logs:  []string{"a", "<b>"}, Unhandled: []string{"Error: lost"},
			Calls: []contract.Call{{Name: "tools.read", Number: 1, State: contract.CallInFlight, Duration: 1500 * time.Microsecond}},
			Usage: contract.Usage{CPU: time.Millisecond, Wall: 2 * time.Second, Memory: 4096, Overshoot: 250 * time.Microsecond},
		}, `{"result":{"html":"<b>"},"logs":["a","<b>"],"unhandled":["Error: lost"],
			"calls":[{"name":"tools.read","number":1,"state":"in_flight","durationMs":1.5}],
			"usage":{"cpuMs":1,"wallMs":2000,"memoryBytes":4096,"overshootMs":0.25}}`},
		{"an error drops the value", contract.Outcome{
			Value: json.RawMessage(`1`), Err: &contract.GuestError{Name: "TypeError", Message: "no"},
			Failure: &contract.FailureRecord{Name: "TypeError", Line: 3, Column: 7, Call: &contract.Failure{Code: "c"}},
		}, `{"error":"TypeError: no","failure":{"name":"TypeError","line":3,"column":7,
			"call":{"code":"c","message":"","retryable":false}},"usage":{"cpuMs":0,"wallMs":0,"memoryBytes":0}}`},
		{"an empty error text is still an error", contract.Outcome{Err: &contract.GuestError{Name: "Error"}},
			`{"error":"","usage":{"cpuMs":0,"wallMs":0,"memoryBytes":0}}`},
		{"a timeout", contract.Outcome{
			Err:       &contract.InterruptError{Interrupt: contract.InterruptWall, Budget: int64(time.Second)},
			Interrupt: contract.InterruptWall,
			Failure:   &contract.FailureRecord{Name: "TimeoutError", Timeout: &contract.Timeout{Elapsed: 1001500 * time.Microsecond, Deadline: time.Second}},
		}, `{"error":"Execution timed out after 1000ms.","timedOut":true,"interrupt":"wall",
			"failure":{"name":"TimeoutError","timeout":{"elapsedMs":1001,"deadlineMs":1000}},
			"usage":{"cpuMs":0,"wallMs":0,"memoryBytes":0}}`},
		{"another limit is no timeout", contract.Outcome{
			Err: &contract.InterruptError{Interrupt: contract.InterruptMemory, Budget: 1 << 20}, Interrupt: contract.InterruptMemory,
		}, `{"error":"Execution exceeded the 1048576-byte guest memory limit.","interrupt":"memory","usage":{"cpuMs":0,"wallMs":0,"memoryBytes":0}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := test.out.MarshalJSON()
			require.NoError(t, err)
			require.JSONEq(t, test.want, string(text))
			require.NotContains(t, string(text), `\u003c`, "HTML is not escaped")
			require.Equal(t, test.out.Interrupt == contract.InterruptWall, test.out.TimedOut())
		})
	}
	_, err := json.Marshal(contract.Outcome{Value: json.RawMessage(`{`)})
	require.Error(t, err, "a value that is no JSON is not passed on")
}

func TestRecordsRoundTrip(t *testing.T) {
	call := contract.Call{Name: "tools.x", Number: 3, State: contract.CallFailed, Duration: 1500 * time.Microsecond}
	usage := contract.Usage{CPU: 1234 * time.Microsecond, Wall: time.Minute, Memory: 7, Overshoot: time.Millisecond}
	timeout := contract.Timeout{Elapsed: 31 * time.Millisecond, Deadline: 30 * time.Millisecond}

	var gotCall contract.Call
	roundTrip(t, call, &gotCall)
	require.Equal(t, call, gotCall)
	var gotUsage contract.Usage
	roundTrip(t, usage, &gotUsage)
	require.Equal(t, usage, gotUsage)
	var gotTimeout contract.Timeout
	roundTrip(t, &timeout, &gotTimeout)
	require.Equal(t, timeout, gotTimeout)

	require.ErrorContains(t, json.Unmarshal([]byte(`{"number":"x"}`), &gotCall), "contract: call record")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"cpuMs":"x"}`), &gotUsage), "contract: usage record")
	require.ErrorContains(t, json.Unmarshal([]byte(`{"elapsedMs":"x"}`), &gotTimeout), "contract: timeout record")
}

func roundTrip(t *testing.T, from, to any) {
	t.Helper()
	text, err := json.Marshal(from)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, to))
}

func TestGuestErrorText(t *testing.T) {
	tests := []struct {
		name string
		e    contract.GuestError
		want string
	}{
		{"Error has no prefix", contract.GuestError{Name: "Error", Message: "no"}, "no"},
		{"no name", contract.GuestError{Message: "no"}, "no"},
		{"a name", contract.GuestError{Name: "RangeError", Message: "no"}, "RangeError: no"},
		{"an empty message", contract.GuestError{Name: "RangeError"}, "RangeError: "},
		{"cut", contract.GuestError{Message: strings.Repeat("x", 5000)}, strings.Repeat("x", 4000)},
		{"cut with its name", contract.GuestError{Name: "AB", Message: strings.Repeat("x", 5000)}, "AB: " + strings.Repeat("x", 3996)},
		{"units are not bytes", contract.GuestError{Message: strings.Repeat("é", 4000)}, strings.Repeat("é", 4000)},
		{"a pair is two units", contract.GuestError{Message: strings.Repeat("😀", 3000)}, strings.Repeat("😀", 2000)},
		{"never inside a pair", contract.GuestError{Message: "x" + strings.Repeat("😀", 3000)}, "x" + strings.Repeat("😀", 1999)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := test.e.Error()
			require.Equal(t, test.want, text)
			require.True(t, utf8.ValidString(text))
			require.LessOrEqual(t, len(utf16.Encode([]rune(text))), 4000)
		})
	}
}
