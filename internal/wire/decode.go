package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
)

// ErrMalformed is the error of a frame that is not JSON.
var ErrMalformed = errors.New("wire: a frame that is not JSON")

// RefusedError says why one message was dropped. No field of it was used.
type RefusedError struct{ Reason string }

// Error implements error.
func (e *RefusedError) Error() string { return "wire: message refused: " + e.Reason }

func refused(reason string) (Message, error) { return Message{}, &RefusedError{Reason: reason} }

// Decode reads the JSON of one frame. It returns [ErrMalformed] for text that is
// not JSON and a [*RefusedError] for anything that is not a message: a value
// that is not an object, an unknown type, a body that is not a string, a number
// that is missing or out of range.
func Decode(frame []byte) (Message, error) {
	if m, ok := decodeOwn(frame); ok {
		return check(m)
	}
	var fields map[string]json.RawMessage // a map compares names exactly, a struct does not
	if err := json.Unmarshal(frame, &fields); err != nil && !json.Valid(frame) {
		return Message{}, ErrMalformed
	}
	if fields == nil { // what is JSON and fits no map, or null
		return refused("not an object")
	}
	var m Message
	var typ string
	if !readString(fields["type"], &typ) {
		return refused("its type is not a string")
	}
	m.Type = Type(typ)
	if raw, ok := fields["payloadJson"]; ok && !readString(raw, &m.Body) {
		return refused("its body is not a string")
	} else if !ok && types[m.Type].body {
		return refused("it has no body")
	}
	if !readNumber(fields["jobId"], &m.Job) || !readNumber(fields["callId"], &m.Call) {
		return refused("its number is not a whole number from 1")
	}
	return check(m)
}

// check refuses what a type may not carry.
func check(m Message) (Message, error) {
	need, known := types[m.Type]
	switch {
	case !known:
		return refused("unknown type")
	case need.job != (m.Job != 0):
		return refused("a job number is missing or out of place")
	case need.call != (m.Call != 0):
		return refused("a call number is missing or out of place")
	}
	return m, nil
}

func readString(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// readNumber accepts a missing number, and otherwise whole ones up to 2**53-1
// in plain digits.
func readNumber(raw json.RawMessage, into *uint64) bool {
	if raw == nil {
		return true
	}
	n, err := strconv.ParseUint(string(raw), 10, 53)
	*into = n
	return err == nil && n > 0
}

// decodeOwn reads exactly what [AppendFrame] writes, several times faster than
// the general way. It reports false for anything else.
func decodeOwn(b []byte) (m Message, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(`{"type":"`))
	if !ok {
		return m, false
	}
	end := bytes.IndexByte(b, '"')
	if end < 0 {
		return m, false
	}
	m.Type, b = Type(b[:end]), b[end+1:]
	need, known := types[m.Type]
	if !known {
		return m, false
	}
	if b, m.Job, ok = cutNumber(b, `,"jobId":`); !ok {
		return m, false
	}
	if b, m.Call, ok = cutNumber(b, `,"callId":`); !ok {
		return m, false
	}
	if rest, has := bytes.CutPrefix(b, []byte(`,"payloadJson":`)); has {
		if len(rest) < 3 || rest[len(rest)-1] != '}' {
			return m, false
		}
		m.Body, ok = unquote(rest[:len(rest)-1])
		return m, ok
	}
	return m, !need.body && len(b) == 1 && b[0] == '}'
}

func cutNumber(b []byte, prefix string) ([]byte, uint64, bool) {
	rest, has := bytes.CutPrefix(b, []byte(prefix))
	if !has {
		return b, 0, true
	}
	i, n := 0, uint64(0)
	for ; i < len(rest) && i < 15 && rest[i] >= '0' && rest[i] <= '9'; i++ {
		n = n*10 + uint64(rest[i]-'0')
	}
	return rest[i:], n, i > 0 && rest[0] != '0'
}
