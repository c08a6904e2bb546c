package wire

import (
	"encoding/json"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendQuote appends s as a JSON string, escaped as JSON.stringify does it: no
// more than has to be. Bytes that are not UTF-8 become U+FFFD.
func AppendQuote(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// unquote reads a JSON string, quotes included.
func unquote(b []byte) (string, bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return "", false
	}
	in := b[1 : len(b)-1]
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); {
		j := i
		for j < len(in) && in[j] >= ' ' && in[j] != '"' && in[j] != '\\' {
			j++
		}
		out = append(out, in[i:j]...)
		if j == len(in) {
			break
		}
		if in[j] != '\\' || j+1 == len(in) {
			return "", false
		}
		switch c := in[j+1]; c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		default: // escapes by number are rare, and pairs are work: the long way
			var s string
			err := json.Unmarshal(b, &s)
			return s, err == nil
		}
		i = j + 2
	}
	if !utf8.Valid(out) {
		return "", false
	}
	return string(out), true
}
