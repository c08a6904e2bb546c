//go:build linux

package executor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/internal/wire"
)

// message is the text of one of job 1.
func message(typ wire.Type, body string) string {
	return fmt.Sprintf(`{"type":%q,"jobId":1,"payloadJson":%q}`, typ, body)
}

// hostCall is the text of a call of tools.echo in job 1.
func hostCall(number int) string {
	return fmt.Sprintf(`{"type":"host-call","jobId":1,"callId":%d,"payloadJson":%q}`, number,
		`{"namespace":"tools","functionName":"echo","args":[]}`)
}

// TestProcessMessages has what a child may send that an honest one does not: a
// message that makes no sense is dropped and costs nothing; what the far side's
// own bridge forbids, or a result that cannot be read, costs the run and the child.
func TestProcessMessages(t *testing.T) {
	answered := message(wire.TypeReport, `{"numbers":[0,0,0,0,0]}`)
	for _, c := range []struct {
		name     string
		messages []string
		err      string // nothing when the child's answer counts
	}{
		{"a call number that was used before", []string{hostCall(7), hostCall(7)}, ""},
		{"a call that nobody listens for", []string{message(wire.TypeCall, `{}`)}, ""},
		{"a result without a text", []string{message(wire.TypeResult, "")}, ""},
		{"a call that is none", []string{`{"type":"host-call","jobId":1,"callId":1,"payloadJson":"{"}`}, ""},
		{"more calls than the program may make", []string{hostCall(7), hostCall(8)}, "more than 1 host calls"},
		{"a report without numbers", []string{message(wire.TypeReport, "{}"), message(wire.TypeResult, `{"outcome":{}}`)},
			"report: its numbers are missing"},
		{"a result without an outcome", []string{answered, message(wire.TypeResult, "{}")}, "outcome is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSlots(t, executor.ProcessOptions{})
			p := program("raw messages "+strings.Join(c.messages, "\n"), tools())
			p.Limits.HostCalls = 1
			out := mustRun(t, s, p)
			if c.err == "" {
				require.NoError(t, out.Err)
				require.Equal(t, `"fine"`, string(out.Value))
			} else {
				require.EqualError(t, out.Err, "QuickJS child returned an invalid result: "+c.err)
				require.ErrorIs(t, out.Err, contract.InterruptFault)
				require.Equal(t, contract.InterruptFault, out.Interrupt)
			}
			requireWorks(t, s)
			want := map[bool]string{true: "3", false: "2"}[c.err == ""]
			require.Equal(t, want, string(mustRun(t, s, program("runs")).Value), "the same child, or a new one")
		})
	}
}

// A child may say of any call, of one that did not fail too, that its rejection
// ended the run. Then there is no error of a host function to hand on.
func TestProcessHasNoErrorOfACallThatDidNotFail(t *testing.T) {
	for name, number := range map[string]int{"a call that was never made": 9, "a call that went well": 7} {
		t.Run(name, func(t *testing.T) {
			s := newSlots(t, executor.ProcessOptions{})
			out := mustRun(t, s, program("raw messages "+strings.Join([]string{
				hostCall(7),
				message(wire.TypeReport, fmt.Sprintf(`{"numbers":[0,0,0,0,0],"rest":{"err":{"kind":"guest","name":"Error","message":"no"},"hostCall":%d,"recycle":true}}`, number)),
				message(wire.TypeResult, `{"outcome":{"error":"Error: no"}}`),
			}, "\n"), tools()))
			require.Equal(t, &contract.GuestError{Name: "Error", Message: "no"}, out.Err)
			requireWorks(t, s)
		})
	}
}

// A refusal whose record has no JSON form crosses as its text.
func TestProcessSendsTheTextOfARefusalWithoutJSONForm(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	odd := contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
		"odd": func(context.Context, json.RawMessage) (json.RawMessage, error) {
			return nil, &contract.Failure{Code: "odd", Message: "it is odd", Details: map[string]any{"f": func() {}}}
		},
	}}
	require.Equal(t, `"caught it is odd"`, string(mustRun(t, s, program("call tools.odd []", odd)).Value))

	out := mustRun(t, s, program("throw tools.odd []", odd))
	var failure *contract.Failure
	require.ErrorAs(t, out.Err, &failure, "here it needs no JSON form")
	require.Equal(t, "odd", failure.Code)
}
