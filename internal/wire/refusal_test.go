package wire_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// What begins as this package writes it and goes on otherwise is left to the
// general reader, which says what is wrong.
func TestFramesThatOnlyBeginAsOurs(t *testing.T) {
	for text, malformed := range map[string]bool{
		`{"type":"run`:                                 true,
		`{"type":"log","jobId":x}`:                     true,
		`{"type":"host-call","jobId":1,"callId":x}`:    true,
		`{"type":"log","jobId":1,"payloadJson":"`:      true,
		`{"type":"log","jobId":1,"payloadJson":}`:      true,
		`{"type":"log","jobId":1,"payloadJson":"a"}}`:  true,
		`{"type":"log","jobId":1,"payloadJson":"\`:     true,
		`{"type":"log","jobId":1,"payloadJson":"a\"}`:  true,
		`{"type":"log","jobId":01,"payloadJson":"a"}`:  true,
		`{"type":"log","jobId":1,"payloadJson":7}`:     false,
		`{"type":"host-call","jobId":1,"callId":true}`: false,
		` null `: false,
	} {
		_, err := wire.Decode([]byte(text))
		if malformed {
			require.ErrorIs(t, err, wire.ErrMalformed, text)
			continue
		}
		var refused *wire.RefusedError
		require.ErrorAs(t, err, &refused, text)
		require.Equal(t, "wire: message refused: "+refused.Reason, err.Error())
	}
}

func TestReportsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		``:                                 "its numbers are missing",
		`{"numbers":[`:                     "its numbers are missing",
		`{"numbers":[0,0,0,0]}`:            "its numbers are missing",
		`{"numbers":[0,0,0,0,0`:            "its numbers are missing",
		`{"numbers":[0,0,0,0,0,0]}`:        "its numbers are missing",
		`{"numbers":[0,0,0,0,-]}`:          "its numbers are missing",
		`{"numbers":[0,0,0,0,0]`:           "its numbers are missing",
		`{"numbers":[0,0,0,0,0],"more":1}`: "more than its numbers",
		`{"numbers":[0,0,0,0,0],"rest":{}`: "unexpected end of JSON input",
	} {
		_, err := wire.DecodeReport([]byte(text))
		require.EqualError(t, err, want, text)
	}
}

// What a host or a guest made may have no JSON form. Whoever sends it is told so, and
// sends something else.
func TestWhatHasNoJSONForm(t *testing.T) {
	odd := &contract.Failure{Code: "odd", Message: "it is odd", Details: map[string]any{"f": func() {}}}
	_, err := wire.HostResult{Error: odd.Message, Call: odd}.Append(nil)
	require.ErrorAs(t, err, new(*json.UnsupportedTypeError))

	_, err = wire.AppendResult(nil, contract.Outcome{Err: errors.New("no"), Failure: &contract.FailureRecord{Call: odd}})
	require.ErrorContains(t, err, "wire: failure record: ")

	guest := &contract.GuestError{Name: "Error", Properties: map[string]json.RawMessage{"a": json.RawMessage("{")}}
	_, err = wire.NewReport(contract.Outcome{Err: guest}).Encode()
	require.ErrorContains(t, err, "wire: report: ")
}

// Any text crosses: what is no UTF-8 as the sign for that.
func TestTextsWithOddBytesCross(t *testing.T) {
	for text, want := range map[string]string{
		"\b\f\n\r\t\"\\/\x00\x1f": "\b\f\n\r\t\"\\/\x00\x1f",
		"a\xffb":                  "a\uFFFDb",
		"\xf0\x9f\x98":            strings.Repeat("\uFFFD", 3),
	} {
		frame, err := wire.AppendFrame(nil, wire.Message{Type: wire.TypeLog, Job: 1, Body: text}, "message")
		require.NoError(t, err)
		m, err := wire.Decode(frame[4:])
		require.NoError(t, err)
		require.Equal(t, want, m.Body)
	}
}

// A control character stands in no JSON string, in whichever way it is read.
func TestControlCharactersAreNoText(t *testing.T) {
	for _, c := range []string{"\x00", "\x10", "\n", "\x1f"} {
		_, err := wire.Decode([]byte(`{"type":"log","jobId":1,"payloadJson":"a` + c + `"}`))
		require.ErrorIs(t, err, wire.ErrMalformed, "%q", c)
		for _, body := range []string{
			`{"namespace":"a` + c + `","functionName":"b","args":[]}`, `{"namespace":"a","functionName":"` + c + `","args":[]}`,
			`{"namespace":"a","functionName":"b","args":["` + c + `"]}`,
		} {
			var refused *wire.RefusedError
			_, err = wire.DecodeHostCall(body)
			require.ErrorAs(t, err, &refused, body)
		}
		_, err = wire.DecodeHostResult(`{"ok":true,"value":"` + c + `"}`)
		require.Error(t, err)
		_, err = wire.DecodeHostResult(`{"ok":false,"error":"` + c + `"}`)
		require.Error(t, err)
	}
}
