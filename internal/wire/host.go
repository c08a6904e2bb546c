package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/guestjs/guestjs/contract"
)

// HostCall is the body of a host-call message.
type HostCall struct {
	Namespace string
	Function  string
	Args      json.RawMessage // a JSON array
}

// Append appends the body of c.
func (c HostCall) Append(dst []byte) []byte {
	dst = AppendQuote(append(dst, `{"namespace":`...), c.Namespace)
	dst = AppendQuote(append(dst, `,"functionName":`...), c.Function)
	return append(append(append(dst, `,"args":`...), c.Args...), '}')
}

// DecodeHostCall reads the body of a host-call message.
func DecodeHostCall(body string) (HostCall, error) {
	if c, ok := decodeOwnCall(body); ok {
		return c, nil
	}
	var c struct {
		Namespace    *string         `json:"namespace"`
		FunctionName *string         `json:"functionName"`
		Args         json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		return HostCall{}, &RefusedError{Reason: "host call: " + err.Error()}
	}
	if c.Namespace == nil || c.FunctionName == nil || len(c.Args) == 0 || c.Args[0] != '[' {
		return HostCall{}, &RefusedError{Reason: "host call: namespace, functionName and args are needed"}
	}
	return HostCall{*c.Namespace, *c.FunctionName, c.Args}, nil
}

// decodeOwnCall reads what Append writes when neither name has an escape.
func decodeOwnCall(body string) (c HostCall, ok bool) {
	rest, ok := strings.CutPrefix(body, `{"namespace":"`)
	if !ok {
		return c, false
	}
	if c.Namespace, rest, ok = strings.Cut(rest, `","functionName":"`); !ok {
		return c, false
	}
	if c.Function, rest, ok = strings.Cut(rest, `","args":`); !ok {
		return c, false
	}
	for _, name := range []string{c.Namespace, c.Function} {
		if strings.ContainsFunc(name, escaped) || !utf8.ValidString(name) {
			return c, false
		}
	}
	rest, ok = strings.CutSuffix(rest, "}")
	c.Args = json.RawMessage(rest)
	return c, ok && len(rest) > 0 && rest[0] == '[' && json.Valid(c.Args)
}

// escaped reports a character that JSON has no other way to write in a string.
func escaped(r rune) bool { return r < ' ' || r == '"' || r == '\\' }

// HostResult is the body of a host-result message: a value, which may be absent,
// or an error text with, for a typed refusal, its record.
type HostResult struct {
	OK    bool
	Value json.RawMessage
	Error string
	Call  *contract.Failure
}

// Append appends the body of r. It fails when the record of a refusal has no
// JSON form.
func (r HostResult) Append(dst []byte) ([]byte, error) {
	if r.OK {
		if r.Value == nil {
			return append(dst, `{"ok":true}`...), nil
		}
		return append(append(append(dst, `{"ok":true,"value":`...), r.Value...), '}'), nil
	}
	dst = AppendQuote(append(dst, `{"ok":false,"error":`...), r.Error)
	if r.Call != nil {
		record, err := json.Marshal(r.Call)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, `,"call":`...), record...)
	}
	return append(dst, '}'), nil
}

// DecodeHostResult reads the body of a host-result message.
func DecodeHostResult(body string) (HostResult, error) {
	if rest, ok := strings.CutPrefix(body, `{"ok":true,"value":`); ok {
		if value := json.RawMessage(strings.TrimSuffix(rest, "}")); len(value) < len(rest) && json.Valid(value) {
			return HostResult{OK: true, Value: value}, nil
		}
	}
	var r struct {
		OK    *bool             `json:"ok"`
		Value json.RawMessage   `json:"value"`
		Error string            `json:"error"`
		Call  *contract.Failure `json:"call"`
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return HostResult{}, err
	}
	if r.OK == nil {
		return HostResult{}, fmt.Errorf("ok is missing")
	}
	return HostResult{*r.OK, r.Value, r.Error, r.Call}, nil
}
