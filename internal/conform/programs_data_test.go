package conform_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/conform"
)

func caseOf(t *testing.T, expected string) conform.Case {
	t.Helper()
	return conform.Case{ID: "x", Expected: parse(t, expected).(conform.Object)}
}

// TestCaseProblems checks the checks: each expectation with an outcome that
// keeps it and one that does not.
func TestCaseProblems(t *testing.T) {
	value := func(text string) contract.Outcome { return contract.Outcome{Value: json.RawMessage(text)} }
	guest := func(e contract.GuestError) contract.Outcome { return contract.Outcome{Err: &e} }
	stop := func(i contract.Interrupt) contract.Outcome {
		return contract.Outcome{Err: &contract.InterruptError{Interrupt: i}, Interrupt: i}
	}
	thrown := guest(contract.GuestError{Name: "RangeError", Message: "too far", Line: 3,
		Hint: "write await", Properties: map[string]json.RawMessage{"status": json.RawMessage("429")},
		Cause: &contract.GuestError{Name: "Error"}})
	thrown.Failure = &contract.FailureRecord{Name: "RangeError", Line: 3}
	plain := guest(contract.GuestError{Name: "Error", Message: "RangeError RangeError"})
	called := value("1")
	called.Calls = []contract.Call{{Name: "tx.write", Number: 1, State: contract.CallCompleted}}
	lost := value("1")
	lost.Unhandled = []string{"ReferenceError: absent is not defined"}

	for _, c := range []struct {
		name, expected string
		keeps, breaks  contract.Outcome
	}{
		{"value", `{"outcome":"value","value":[1]}`, value("[1]"), value("[2]")},
		{"value, not an error", `{"outcome":"value"}`, value("1"), plain},
		{"no value is null", `{"outcome":"either","value":null,"class":"shape"}`, value(""), value("1")},
		{"error, not a value", `{"outcome":"error","class":"guest"}`, plain, value("1")},
		{"timeout", `{"outcome":"error","class":"timeout"}`, stop(contract.InterruptWall), stop(contract.InterruptMemory)},
		{"timeout by processor", `{"outcome":"error","class":"timeout"}`, stop(contract.InterruptCPU), plain},
		{"memory", `{"outcome":"error","class":"memory"}`, stop(contract.InterruptMemory), stop(contract.InterruptCPU)},
		{"any class", `{"outcome":"error","anyClass":["memory","guest"]}`, plain, stop(contract.InterruptCPU)},
		{"stack", `{"outcome":"error","class":"stack"}`, guest(contract.GuestError{Message: "stack overflow"}), plain},
		{"syntax", `{"outcome":"error","class":"syntax"}`, guest(contract.GuestError{Name: "SyntaxError"}), plain},
		{"stalled", `{"outcome":"error","class":"stalled"}`, contract.Outcome{Err: contract.ErrStalled}, plain},
		{"result", `{"outcome":"error","class":"result"}`, contract.Outcome{Err: &contract.ResultError{}}, plain},
		{"never a class", `{"outcome":"error","neverClass":"memory"}`, plain, stop(contract.InterruptMemory)},
		{"name", `{"outcome":"error","name":"RangeError"}`, thrown, plain},
		{"message", `{"outcome":"error","message":"too far"}`, thrown, plain},
		{"message contains", `{"outcome":"error","messageContains":"FAR"}`, thrown, plain},
		{"description", `{"outcome":"error","description":"RangeError: too far"}`, thrown, plain},
		{"description not empty", `{"outcome":"error","descriptionNotEmpty":true}`, thrown, guest(contract.GuestError{})},
		{"printed once", `{"outcome":"error","printedOnce":"RangeError"}`, thrown, plain},
		{"line", `{"outcome":"error","line":3}`, thrown, plain},
		{"properties", `{"outcome":"error","properties":{"status":429}}`, thrown, plain},
		{"cause", `{"outcome":"error","causeReported":true}`, thrown, plain},
		{"hint", `{"outcome":"error","hintMentions":"AWAIT"}`, thrown, plain},
		{"never a value", `{"outcome":"either","never":["null"]}`, value(`"x"`), value(`"null"`)},
		{"never a text", `{"outcome":"error","never":["RangeError R"]}`, thrown, plain},
		{"calls", `{"outcome":"value","reportedHostCalls":[{"name":"tx.write","state":"completed"}]}`, called, value("1")},
		{"lost rejection", `{"outcome":"value","reportMentions":"absent"}`, lost, value("1")},
		{"unknown expectation", `{"outcome":"either","what":1}`, value("1"), plain},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := &conform.Host{}
			require.Empty(t, caseOf(t, c.expected).Problems(c.keeps, host, 0))
			require.NotEmpty(t, caseOf(t, c.expected).Problems(c.breaks, host, 0))
		})
	}
	host := &conform.Host{}
	require.NotEmpty(t, caseOf(t, `{"outcome":"value","withinMs":10}`).Problems(value("1"), host, time.Second))
	require.NotEmpty(t, caseOf(t, `{"outcome":"value","hostContextCancelled":true}`).Problems(value("1"), host, 0))
}

func TestCaseHostSentinel(t *testing.T) {
	c := conform.Case{
		ID:       "x",
		Host:     parse(t, `{"db.find":{"throws":{"message":"missing","goSentinel":"ErrMissing"}}}`).(conform.Object),
		Limits:   parse(t, `{"wallMs":300,"memoryMiB":4,"maxHostCalls":7,"seed":1,"clock":"2024-01-02T03:04:05Z"}`).(conform.Object),
		Expected: parse(t, `{"outcome":"error","class":"host","errorsIs":"ErrMissing"}`).(conform.Object),
	}
	host := &conform.Host{}
	p, err := c.Program(host, 0)
	require.NoError(t, err)
	require.Equal(t, contract.Limits{Wall: 300 * time.Millisecond, CPU: 300 * time.Millisecond, Memory: 4 << 20, HostCalls: 7}, p.Limits)
	require.Equal(t, uint64(1), p.Seed)
	require.Equal(t, 2024, p.Clock.Year())
	_, err = p.Providers[0].Functions["find"](t.Context(), json.RawMessage("[]"))
	require.EqualError(t, err, "missing")
	require.Empty(t, c.Problems(contract.Outcome{Err: &contract.GuestError{Message: "missing", Host: err}}, host, 0))
	require.NotEmpty(t, c.Problems(contract.Outcome{Err: &contract.GuestError{Message: "missing", Host: errors.New("other")}}, host, 0))

	p, err = c.Program(host, 2<<20)
	require.NoError(t, err)
	require.Equal(t, int64(2<<20), p.Limits.Memory)
}

func TestLoadsEveryCase(t *testing.T) {
	cases, err := conform.Programs("testdata/cases")
	require.NoError(t, err)
	require.Len(t, cases, 54)
	for _, c := range cases {
		_, err := c.Program(&conform.Host{}, 0)
		require.NoError(t, err)
	}
	files, err := filepath.Glob("testdata/cases/hostile/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	programs, err := conform.Hostile("testdata/cases/hostile")
	require.NoError(t, err)
	require.Len(t, programs, len(files))
	_, err = conform.Hostile(t.TempDir())
	require.ErrorContains(t, err, "no programs")
	_, err = conform.Vectors(t.TempDir())
	require.ErrorContains(t, err, "no vector files")
}
