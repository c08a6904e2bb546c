package contract

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// Most host calls pass a few plain values. Decoding those by hand costs a tenth
// of what the general decoder takes to find its feet; what is not that plain
// goes to the general decoder, piece by piece.

var null = json.RawMessage("null")

var errNotList = errors.New("contract: the argument list is not a JSON array")

// openArgs returns what is between the brackets of a JSON array, without white
// space at its ends; empty when there are no elements.
func openArgs(args json.RawMessage) (json.RawMessage, error) {
	s := trim(args)
	if len(s) < 2 || s[0] != '[' || s[len(s)-1] != ']' {
		return nil, errNotList
	}
	return trim(s[1 : len(s)-1]), nil
}

func trim(s json.RawMessage) json.RawMessage {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// nextArg splits off the first element of a list. The element is not checked
// beyond its brackets and quotes: whoever decodes it does that.
func nextArg(list json.RawMessage) (first, rest json.RawMessage, err error) {
	depth, inText := 0, false
	for i := 0; i < len(list); i++ {
		switch b := list[i]; {
		case inText:
			switch b {
			case '\\':
				i++
			case '"':
				inText = false
			}
		case b == '"':
			inText = true
		case b == '[' || b == '{':
			depth++
		case b == ']' || b == '}':
			if depth--; depth < 0 {
				return nil, nil, errNotList
			}
		case b == ',' && depth == 0:
			first, rest = trim(list[:i]), trim(list[i+1:])
			if len(first) == 0 || len(rest) == 0 {
				return nil, nil, errNotList
			}
			return first, rest, nil
		}
	}
	return list, nil, nil
}

// decodeScalar decodes a plain value into a plain variable, if it is that
// simple, as json.Unmarshal would.
func decodeScalar(raw json.RawMessage, into any) bool {
	switch p := into.(type) {
	case *string:
		if n := len(raw); n >= 2 && raw[0] == '"' && raw[n-1] == '"' && isPlainText(raw[1:n-1]) {
			*p = string(raw[1 : n-1])
			return true
		}
	case *int:
		if isInteger(raw) {
			n, err := strconv.Atoi(string(raw))
			if err == nil {
				*p = n
			}
			return err == nil
		}
	case *int64:
		if isInteger(raw) {
			n, err := strconv.ParseInt(string(raw), 10, 64)
			if err == nil {
				*p = n
			}
			return err == nil
		}
	case *float64:
		if isInteger(raw) && len(raw) < 16 {
			n, err := strconv.ParseInt(string(raw), 10, 64)
			if *p = float64(n); n == 0 && raw[0] == '-' {
				*p = math.Copysign(0, -1)
			}
			return err == nil
		}
	case *bool:
		switch string(raw) {
		case "true":
			*p = true
			return true
		case "false":
			*p = false
			return true
		}
	}
	return false
}

// isPlainText reports printable ASCII without quotes and backslashes.
func isPlainText(s []byte) bool {
	for _, b := range s {
		if b < 0x20 || b >= utf8.RuneSelf || b == '"' || b == '\\' {
			return false
		}
	}
	return true
}

// isInteger reports a JSON number without fraction and exponent.
func isInteger(s []byte) bool {
	if len(s) > 0 && s[0] == '-' {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 1 && s[0] == '0' {
		return false
	}
	for _, b := range s {
		if b < '0' || b > '9' {
			return false
		}
	}
	return true
}

// encodeScalar writes a plain value as json.Encoder would, without escaping for
// HTML.
func encodeScalar(v any) (json.RawMessage, bool) {
	switch v := v.(type) {
	case string:
		if !isPlainText([]byte(v)) {
			return nil, false
		}
		b := make([]byte, 0, len(v)+2)
		b = append(b, '"')
		b = append(b, v...)
		return append(b, '"'), true
	case int:
		return strconv.AppendInt(nil, int64(v), 10), true
	case int64:
		return strconv.AppendInt(nil, v, 10), true
	case bool:
		return strconv.AppendBool(nil, v), true
	case nil:
		return null, true
	}
	return nil, false
}
