package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

func frame(t require.TestingT, m wire.Message) []byte {
	b, err := wire.AppendFrame(nil, m, "message")
	require.NoError(t, err)
	return b
}

func TestMessagesComeBackAsTheyWereSent(t *testing.T) {
	types := []wire.Type{wire.TypeHostCall, wire.TypeLog, wire.TypeRun, wire.TypeResult, wire.TypeHostResult}
	rapid.Check(t, func(t *rapid.T) {
		m := wire.Message{
			Type: rapid.SampledFrom(types).Draw(t, "type"),
			Job:  rapid.Uint64Range(1, 1<<53-1).Draw(t, "job"),
			Body: rapid.String().Draw(t, "body"),
		}
		if m.Type == wire.TypeHostCall || m.Type == wire.TypeHostResult {
			m.Call = rapid.Uint64Range(1, 1<<53-1).Draw(t, "call")
		}
		b := frame(t, m)
		require.True(t, json.Valid(b[4:]))
		got, err := wire.NewReader(bytes.NewReader(b)).Next()
		require.NoError(t, err)
		require.Equal(t, m, got)

		var spaced bytes.Buffer // the general reader must agree with the quick one
		require.NoError(t, json.Indent(&spaced, b[4:], "", " "))
		got, err = wire.Decode(spaced.Bytes())
		require.NoError(t, err)
		require.Equal(t, m, got)
	})
}

func TestRefusedMessages(t *testing.T) {
	for name, text := range map[string]string{
		"a number":                    `1`,
		"null":                        `null`,
		"an array":                    `[{"type":"ready"}]`,
		"a string":                    `"ready"`,
		"no type":                     `{"jobId":1,"payloadJson":"1"}`,
		"a type that is not a string": `{"type":1}`,
		"an unknown type":             `{"type":"reboot"}`,
		"a type in other letters":     `{"TYPE":"ready"}`,
		"a body that is an object":    `{"type":"log","jobId":1,"payloadJson":{"a":1}}`,
		"no body":                     `{"type":"log","jobId":1}`,
		"no job":                      `{"type":"log","payloadJson":"1"}`,
		"job zero":                    `{"type":"log","jobId":0,"payloadJson":"1"}`,
		"a negative job":              `{"type":"log","jobId":-1,"payloadJson":"1"}`,
		"a fraction of a job":         `{"type":"log","jobId":1.5,"payloadJson":"1"}`,
		"a job that is a string":      `{"type":"log","jobId":"1","payloadJson":"1"}`,
		"a job past 2**53":            `{"type":"log","jobId":9007199254740993,"payloadJson":"1"}`,
		"a job with leading zeros":    `{"type":"log","jobId":1e0,"payloadJson":"1"}`,
		"a call without number":       `{"type":"host-call","jobId":1,"payloadJson":"1"}`,
		"a number out of place":       `{"type":"log","jobId":1,"callId":1,"payloadJson":"1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := wire.Decode([]byte(text))
			var refused *wire.RefusedError
			require.ErrorAs(t, err, &refused)
		})
	}
}

func TestTextThatIsNotJSONIsMalformed(t *testing.T) {
	for _, text := range []string{"{}}", "{", "xx", `{"type":"ready"`, `{"type":"log","jobId":1,"payloadJson":"a}`, "\x00\x00", "  "} {
		_, err := wire.Decode([]byte(text))
		require.ErrorIs(t, err, wire.ErrMalformed, "%q", text)
	}
}

func TestReaderChecksLengthsBeforeAllocating(t *testing.T) {
	for _, n := range []uint32{0, wire.MaxMessage + 1, 1 << 31, 1<<32 - 1} {
		_, err := wire.NewReader(bytes.NewReader(binary.BigEndian.AppendUint32(nil, n))).Next()
		var wrong *wire.FrameError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, n, wrong.Length)
	}
}

func TestReaderTellsAnEndFromAHalfFrame(t *testing.T) {
	whole := frame(t, wire.Message{Type: wire.TypeLog, Job: 1, Body: `"a"`})
	for cut := range whole {
		_, err := wire.NewReader(bytes.NewReader(whole[:cut])).Next()
		if cut == 0 {
			require.Equal(t, io.EOF, err)
		} else {
			require.Equal(t, io.ErrUnexpectedEOF, err)
		}
	}
}

func TestReaderGoesOnAfterARefusedMessage(t *testing.T) {
	var stream []byte
	for _, text := range []string{`{"type":"reboot"}`, `[]`} {
		stream = append(binary.BigEndian.AppendUint32(stream, uint32(len(text))), text...)
	}
	r := wire.NewReader(bytes.NewReader(append(stream, frame(t, wire.Message{Type: wire.TypeReady})...)))
	for range 2 {
		_, err := r.Next()
		var refused *wire.RefusedError
		require.ErrorAs(t, err, &refused)
	}
	m, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, wire.TypeReady, m.Type)
}

func TestAFrameHoldsAtMostOneMiB(t *testing.T) {
	m := wire.Message{Type: wire.TypeLog, Job: 1}
	m.Body = strings.Repeat("a", wire.MaxMessage-len(frame(t, m))+4)
	require.Len(t, frame(t, m), wire.MaxMessage+4)
	m.Body += "a"
	_, err := wire.AppendFrame(nil, m, "Thing")
	require.EqualError(t, err, "Thing is 1048577 UTF-8 bytes, over the 1048576-byte IPC limit.")
}

func TestBounded(t *testing.T) {
	text, err := wire.Bounded("Thing", strings.Repeat("a", 30), 32)
	require.NoError(t, err)
	require.Len(t, text, 32)

	text, err = wire.Bounded("Thing", json.RawMessage(`"\ud800"`), 8)
	require.NoError(t, err)
	require.Len(t, text, 8)

	_, err = wire.Bounded("Thing", strings.Repeat("a", 1<<20), 0)
	require.Equal(t, &wire.BoundError{"RangeError", "Thing is 1048578 UTF-8 bytes, over the 1048576-byte IPC limit."}, err)

	_, err = wire.Bounded("Thing", func() {}, 0)
	require.Equal(t, &wire.BoundError{"TypeError", "Thing is not JSON-serializable."}, err)
}

func TestLabel(t *testing.T) {
	for _, c := range []struct{ namespace, function, args, want string }{
		{"tools", "echo", `[]`, "tools.echo"},
		{"connecta", "batch", `["x"]`, "connecta.batch"},
		{"connecta", "call", `[]`, "undefined"},
		{"connecta", "call", `[{}]`, "[object Object]"},
		{"connecta", "call", `["a.b", 1]`, "a.b"},
		{"connecta", "call", `[null]`, "null"},
		{"connecta", "call", `[1.5]`, "1.5"},
		{"connecta", "call", `[[1,null,["a",true]]]`, "1,,a,true"},
	} {
		require.Equal(t, c.want, wire.Label(c.namespace, c.function, json.RawMessage(c.args)))
	}
}

func TestSplitLengths(t *testing.T) {
	for _, n := range []int{1, 65535, 65536, 65537, 131071, 131073, 200000, 1000000} {
		var lengths []int
		require.NoError(t, wire.Split(bytes.Repeat([]byte("a"), n), func(piece string, last bool) error {
			lengths = append(lengths, len(piece))
			require.Equal(t, len(piece) < 65536 || n%65536 == 0 && len(lengths) == n/65536, last)
			return nil
		}))
		require.Len(t, lengths, (n+65535)/65536)
		for _, l := range lengths[:len(lengths)-1] {
			require.Equal(t, 65536, l)
		}
		require.Equal(t, (n-1)%65536+1, lengths[len(lengths)-1])
	}
}

func TestSplitNeverCutsAPair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "é", "€", "\U0001F600"})
		var text []byte
		for range rapid.IntRange(1, 6).Draw(t, "runs") {
			text = append(text, strings.Repeat(unit.Draw(t, "unit"), rapid.IntRange(1, 70000).Draw(t, "n"))...)
		}
		var joined []byte
		ended := false
		require.NoError(t, wire.Split(text, func(piece string, last bool) error {
			require.False(t, ended)
			ended = last
			units := len(utf16.Encode([]rune(piece)))
			require.LessOrEqual(t, units, wire.ChunkUnits)
			if !last {
				require.GreaterOrEqual(t, units, wire.ChunkUnits-1)
			}
			require.NotContains(t, piece, "\uFFFD")
			joined = append(joined, piece...)
			return nil
		}))
		require.True(t, ended)
		require.Equal(t, string(text), string(joined))
	})
}

func TestResultTextIsTheSpecifications(t *testing.T) {
	for _, c := range []struct {
		out  contract.Outcome
		want string
	}{
		{contract.Outcome{}, `{"outcome":{}}`},
		{contract.Outcome{Value: json.RawMessage(`"r"`)}, `{"outcome":{"result":"r"}}`},
		{contract.Outcome{Value: json.RawMessage(`null`), Logs: []string{"a", "b\n"}}, `{"outcome":{"result":null,"logs":["a","b\n"]}}`},
		{contract.Outcome{Err: &contract.GuestError{Message: "no"}, Failure: &contract.FailureRecord{Name: "Error"}},
			`{"outcome":{"error":"no","failure":{"name":"Error"}}}`},
		{contract.Outcome{Err: &contract.InterruptError{Interrupt: contract.InterruptWall, Budget: int64(time.Second)}, Interrupt: contract.InterruptWall},
			`{"outcome":{"error":"Execution timed out after 1000ms."},"timedOut":true}`},
	} {
		text, err := wire.AppendResult(nil, c.out)
		require.NoError(t, err)
		require.Equal(t, c.want, string(text))
	}
}

func TestOutcomesComeBackAsTheyWereSent(t *testing.T) {
	guest := &contract.GuestError{
		Name: "TypeError", Message: "no", Line: 3, Column: 4, Hint: "await it",
		Properties: map[string]json.RawMessage{"status": json.RawMessage(`404`)},
		Cause:      &contract.GuestError{Name: "Error", Message: "why"},
	}
	for name, out := range map[string]contract.Outcome{
		"nothing":   {},
		"null":      {Value: json.RawMessage(`null`)},
		"value":     {Value: json.RawMessage(`{"a":[1,"\u2028"]}`), Logs: []string{"x"}, Unhandled: []string{"lost"}},
		"guest":     {Err: guest, Failure: &contract.FailureRecord{Name: "TypeError", Line: 3, Column: 4}},
		"empty":     {Err: &contract.GuestError{}},
		"result":    {Err: &contract.ResultError{Path: ".a", Reason: "a cycle"}},
		"stalled":   {Err: contract.ErrStalled},
		"cpu":       {Err: &contract.InterruptError{Interrupt: contract.InterruptCPU, Budget: 250e6, Elapsed: 3e8}, Interrupt: contract.InterruptCPU},
		"fault":     {Err: &contract.InterruptError{Interrupt: contract.InterruptFault, Cause: errors.New("a wild read")}, Interrupt: contract.InterruptFault},
		"wall":      {Err: &contract.InterruptError{Interrupt: contract.InterruptWall, Budget: 80e6}, Interrupt: contract.InterruptWall, Failure: &contract.FailureRecord{Name: "TimeoutError", Timeout: &contract.Timeout{Elapsed: 81e6, Deadline: 80e6}}},
		"text":      {Err: &wire.TextError{Text: "fixed"}},
		"with call": {Err: &contract.GuestError{Message: "slow"}, Failure: &contract.FailureRecord{Name: "Error", Call: &contract.Failure{Code: "rate", Message: "slow", Retryable: true, RetryAfter: 9e6, Details: map[string]any{"n": json.RawMessage(`1`)}}}},
		"usage": {
			Usage: contract.Usage{CPU: 5e6, Wall: 7e6, Memory: 1 << 20, Overshoot: 1e6},
			Calls: []contract.Call{{Name: "a.b", Number: 1, State: contract.CallCompleted, Duration: 2e6}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := wire.AppendResult(nil, out)
			require.NoError(t, err)
			extra, err := wire.NewReport(out).Encode()
			require.NoError(t, err)
			require.True(t, json.Valid(extra))
			report, err := wire.DecodeReport(extra)
			require.NoError(t, err)
			got, err := wire.DecodeResult(text, report)
			require.NoError(t, err)
			require.Equal(t, out, got)
		})
	}
}

func TestAResultThatItsReportContradictsIsRefused(t *testing.T) {
	for text, report := range map[string]wire.Report{
		`{}`:                              {},
		`[]`:                              {},
		`{"outcome":{}`:                   {},
		`{"outcome":{"result":1,}}`:       {},
		`{"outcome":{"result":}}`:         {},
		`{"outcome":{},"timedOut":true}`:  {},
		`{"outcome":{"error":"x"}}`:       {},
		`{"outcome":{"result":1}}`:        {Rest: wire.Rest{Err: &wire.ErrorRecord{}}},
		`{"outcome":{"result":1}, "a":1}`: {Rest: wire.Rest{Interrupt: contract.InterruptWall}},
	} {
		_, err := wire.DecodeResult([]byte(text), report)
		require.Error(t, err, text)
	}
}

func TestRunsComeBackAsTheyWereSent(t *testing.T) {
	clock := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for name, p := range map[string]contract.Program{
		"simple":      {Source: "1 + 1"},
		"with quotes": {Source: "return \"a\\n\" + '\u2028\U0001F600\x00'"},
		"full": {
			Source: "1", Name: "rule.js", Clock: clock, Seed: 1<<64 - 1,
			Globals: map[string]json.RawMessage{"x": json.RawMessage(`{"a":1}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p.Limits = contract.Limits{Wall: contract.Unlimited, CPU: 1, Memory: 2, Stack: 3, Source: 4, HostCalls: 5}
			body, err := wire.EncodeRun(wire.NewRun(p, p.Limits), "run")
			require.NoError(t, err)
			require.True(t, json.Valid(body))
			run, err := wire.DecodeRun(string(body))
			require.NoError(t, err)
			require.Equal(t, p, run.Program(nil))
			var general wire.Run // the general reader must agree with the quick one
			require.NoError(t, json.Unmarshal(body, &general))
			require.Equal(t, general, run)
		})
	}
	_, err := wire.DecodeRun(`{"options":{"limits":[1,2,3,4,5,6]},"code":1}`)
	require.Error(t, err)
}

func TestHostMessagesComeBackAsTheyWereSent(t *testing.T) {
	for _, c := range []wire.HostCall{
		{"tools", "echo", json.RawMessage(`[]`)},
		{"tools", `","args":`, json.RawMessage(`["\",\"args\":"]`)},
		{`a"b`, "c\\d\u2028\x00", json.RawMessage(`[{"a":1}]`)},
	} {
		got, err := wire.DecodeHostCall(string(c.Append(nil)))
		require.NoError(t, err)
		require.Equal(t, c, got)
	}
	for _, text := range []string{``, `{}`, `{"namespace":"a","functionName":"b","args":{}}`, `{"namespace":"a","functionName":"b","args":[}`, `{"namespace":"a","args":[]}`, `[]`} {
		_, err := wire.DecodeHostCall(text)
		var refused *wire.RefusedError
		require.ErrorAs(t, err, &refused, text)
	}
	for _, r := range []wire.HostResult{
		{OK: true},
		{OK: true, Value: json.RawMessage(`{"ok":false}`)},
		{Error: "no"},
		{Error: "slow", Call: &contract.Failure{Code: "rate", Message: "slow"}},
	} {
		body, err := r.Append(nil)
		require.NoError(t, err)
		got, err := wire.DecodeHostResult(string(body))
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
}

func TestReportsThatNoChildSends(t *testing.T) {
	for _, text := range []string{``, `{}`, `[]`, `{"numbers":[1,2,3,4]}`, `{"numbers":[1,2,3,4,5]`, `{"numbers":[1,2,3,4,x]}`, `{"numbers":[1,2,3,4,5],"rest":}`, `{"numbers":[1,2,3,4,5]}}`, `{"numbers":[1,2,3,4,5],"rest":{"err":1}}`} {
		_, err := wire.DecodeReport([]byte(text))
		require.Error(t, err, text)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"log","jobId":1,"payloadJson":"\"a\""}`))
	f.Add([]byte(`{"type":"host-call","jobId":1,"callId":2,"payloadJson":"{\"namespace\":\"a\"}"}`))
	f.Add([]byte(`{"payloadJson":"\ud83d\u0000","type":"run", "jobId":7}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := wire.Decode(text)
		if err != nil {
			require.Equal(t, wire.Message{}, m)
			return
		}
		again, err := wire.AppendFrame(nil, m, "message")
		if err != nil {
			return // grew past the limit: escapes may differ
		}
		got, err := wire.Decode(again[4:])
		require.NoError(t, err)
		require.Equal(t, m, got)
	})
}
