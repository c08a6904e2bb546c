package quickjs

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// plainRun counts the bytes at the start of s that stand for themselves in a
// string and are ASCII.
func plainRun(s []byte) int {
	for i, b := range s {
		if b < 0x20 || b >= 0x80 || b == '"' || b == '\\' {
			return i
		}
	}
	return len(s)
}

func (r *textReader) string() (jsValue, error) {
	start := r.pos + 1
	i := start
	for i < len(r.text) {
		i += plainRun(r.text[i:])
		if i == len(r.text) || r.text[i] < 0x80 {
			break
		}
		i++ // valid UTF-8, which the caller has made sure of
	}
	if i >= len(r.text) || r.text[i] < 0x20 {
		return jsNull, errNotJSON
	}
	if r.text[i] == '"' {
		r.pos = i + 1
		return r.made(lib.XJS_NewStringLen(r.c.rt.tls, r.c.ptr, r.at+uintptr(start), lib.Tsize_t(i-start)))
	}
	return r.escaped(start)
}

// escaped reads a string that has escapes. It goes by UTF-16 units, since two
// escapes can make a pair and one can stand alone.
func (r *textReader) escaped(start int) (jsValue, error) {
	var units []uint16
	rest := r.text[start:]
	for len(rest) > 0 {
		switch b := rest[0]; {
		case b == '"':
			r.pos = len(r.text) - len(rest) + 1
			buf := appendWTF8(nil, units)
			return r.made(r.c.newString(unsafe.String(unsafe.SliceData(buf), len(buf))))
		case b == '\\':
			u, n, ok := unescape(rest)
			if !ok {
				return jsNull, errNotJSON
			}
			units = append(units, u)
			rest = rest[n:]
		case b < 0x20:
			return jsNull, errNotJSON
		case b < 0x80:
			units = append(units, uint16(b))
			rest = rest[1:]
		default:
			n := bytes.IndexFunc(rest, func(r rune) bool { return r < 0x80 })
			if n < 0 {
				return jsNull, errNotJSON
			}
			units = utf16.AppendRune(units, 0)[:len(units)]
			for _, c := range string(rest[:n]) {
				units = utf16.AppendRune(units, c)
			}
			rest = rest[n:]
		}
	}
	return jsNull, errNotJSON
}

// unescape reads one escape at the start of s.
func unescape(s []byte) (u uint16, n int, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	switch s[1] {
	case '"', '\\', '/':
		return uint16(s[1]), 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
		if len(s) < 6 {
			return 0, 0, false
		}
		x, err := strconv.ParseUint(string(s[2:6]), 16, 16)
		if err != nil || s[2] == '+' || s[2] == '_' {
			return 0, 0, false
		}
		return uint16(x), 6, true
	}
	return 0, 0, false
}
