package contract_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func TestFailureError(t *testing.T) {
	require.EqualError(t, &contract.Failure{Code: "no_access", Message: "Not yours."}, "Not yours.")
	require.EqualError(t, &contract.Failure{Code: "no_access"}, "no_access")
}

func TestFailureMarshal(t *testing.T) {
	tests := []struct {
		name string
		f    contract.Failure
		want string
	}{
		{"the least", contract.Failure{}, `{"code":"","message":"","retryable":false}`},
		{"everything", contract.Failure{
			Code: "c", Message: "m", Retryable: true, RetryAfter: 1500 * time.Millisecond,
			Details: map[string]any{"owner": "ada", "n": 1},
		}, `{"code":"c","message":"m","retryable":true,"retryAfterMs":1500,"owner":"ada","n":1}`},
		{"whole milliseconds", contract.Failure{RetryAfter: 1999 * time.Microsecond}, `{"code":"","message":"","retryable":false,"retryAfterMs":1}`},
		{"no negative delay", contract.Failure{RetryAfter: -time.Second}, `{"code":"","message":"","retryable":false}`},
		{"details do not stand in for fields", contract.Failure{
			Code: "c", Details: map[string]any{"code": "forged", "message": 1, "retryable": "yes", "retryAfterMs": 5},
		}, `{"code":"c","message":"","retryable":false}`},
		{"members that mean something to JavaScript", contract.Failure{
			Code: "c", Details: map[string]any{"__proto__": map[string]any{"x": 1}, "constructor": nil, "toJSON": "f"},
		}, `{"code":"c","message":"","retryable":false,"__proto__":{"x":1},"constructor":null,"toJSON":"f"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.Marshal(&test.f)
			require.NoError(t, err)
			require.JSONEq(t, test.want, string(text))
		})
	}
	_, err := json.Marshal(&contract.Failure{Details: map[string]any{"f": func() {}}})
	require.Error(t, err)
}

func TestFailureRoundTrip(t *testing.T) {
	const record = `{"code":"c","message":"m\u0000\u2028","retryable":true,"retryAfterMs":1500,
		"__proto__":{"code":"forged"},"Code":"a detail","RETRYABLE":7,"n":12345678901234567890,"nothing":null}`
	var f contract.Failure
	require.NoError(t, json.Unmarshal([]byte(record), &f))
	require.Equal(t, "c", f.Code)
	require.Equal(t, "m\x00\u2028", f.Message)
	require.True(t, f.Retryable)
	require.Equal(t, 1500*time.Millisecond, f.RetryAfter)
	require.Len(t, f.Details, 5)
	require.JSONEq(t, `"a detail"`, string(f.Details["Code"].(json.RawMessage)))
	require.Equal(t, "12345678901234567890", string(f.Details["n"].(json.RawMessage)), "a number keeps its digits")

	text, err := json.Marshal(&f)
	require.NoError(t, err)
	require.JSONEq(t, record, string(text))

	// Reading replaces everything.
	require.NoError(t, json.Unmarshal([]byte(`{"code":"d"}`), &f))
	require.Equal(t, contract.Failure{Code: "d"}, f)
}

func TestFailureRetryAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`1`: time.Millisecond, `0.5`: 500 * time.Microsecond, `0`: 0, `-5`: 0, `null`: 0,
	} {
		var f contract.Failure
		require.NoError(t, json.Unmarshal([]byte(`{"retryAfterMs":`+text+`}`), &f))
		require.Equal(t, want, f.RetryAfter, text)
	}
	var f contract.Failure
	require.NoError(t, json.Unmarshal([]byte(`{"retryAfterMs":1e300}`), &f))
	require.Greater(t, f.RetryAfter, time.Duration(math.MaxInt64/4), "too long, but not turned negative")
}

func TestFailureUnmarshalRefuses(t *testing.T) {
	for _, record := range []string{`[]`, `"x"`, `{"code":1}`, `{"message":{}}`, `{"retryable":"yes"}`, `{"retryAfterMs":"1"}`} {
		f := contract.Failure{Code: "kept"}
		require.ErrorContains(t, json.Unmarshal([]byte(record), &f), "contract: failure record", record)
		require.Equal(t, contract.Failure{Code: "kept"}, f)
	}
}
