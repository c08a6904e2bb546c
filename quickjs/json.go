package quickjs

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	lib "modernc.org/libquickjs"
)

func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// ParseJSON makes a value of JSON text, and not by whatever the guest left in
// JSON.parse. A key __proto__ is an ordinary one. It runs no guest code. Text
// that is not JSON is an [*Exception] with a SyntaxError (JS_ParseJSON, ECMA-262
// JSON.parse).
func (c *Context) ParseJSON(text []byte) (v Value, err error) {
	s := toValid(unsafe.String(unsafe.SliceData(text), len(text)))
	err = c.op(func() error {
		if n, ok := smallInt(text); ok {
			v = c.Int(n)
			return nil
		}
		c.rt.inArena(s, func(p uintptr) {
			var r jsValue
			if r, err = c.readJSON(p, len(s)); err == errNotJSON {
				r = c.engineParse(p, len(s))
				if isException(r) {
					err = c.takeException()
				} else {
					err = nil
				}
			}
			if err == nil {
				v = c.keep(r)
			}
		})
		return err
	})
	return v, err
}

// smallInt reads the commonest short text: an integer of a few digits.
func smallInt(text []byte) (n int32, ok bool) {
	digits := text
	if len(text) > 0 && text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 9 || digits[0] == '0' && (len(digits) > 1 || len(digits) < len(text)) {
		return 0, false // minus zero is no integer of the engine's
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		n = 10*n + int32(d-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}

// engineParse parses text in C memory with the engine's own parser.
func (c *Context) engineParse(p uintptr, n int) (v jsValue) {
	c.rt.inArena("<json>", func(name uintptr) {
		v = lib.XJS_ParseJSON(c.rt.tls, c.ptr, p, lib.Tsize_t(n), name)
	})
	return v
}

// JSON returns the value as JSON text, by the engine's own writer and not by
// whatever the guest left in JSON.stringify. The second result is false when it
// has none: undefined, a function, a symbol. It may run guest code: toJSON,
// getters and traps. At most max bytes of text are taken; a longer one is
// ErrTooLarge (JS_JSONStringify, ECMA-262 SerializeJSONProperty).
//
// Plain data is written without asking the engine; the text is the same.
func (v Value) JSON(max int) (text []byte, ok bool, err error) {
	text, ok, err = v.AppendJSON(nil, max)
	return text, ok, err
}

// AppendJSON is JSON with the text appended to dst. On an error and for a value
// without a JSON form nothing is appended.
func (v Value) AppendJSON(dst []byte, max int) (text []byte, ok bool, err error) {
	r := v.raw()
	c := v.c
	text = dst
	err = c.rt.op(func() error {
		text, ok, err = c.appendJSON(dst, r, max)
		return err
	})
	return text, ok, err
}

// appendJSON writes a borrowed value. The caller is inside an operation.
func (c *Context) appendJSON(dst []byte, r jsValue, max int) (text []byte, ok bool, err error) {
	if absent(r) {
		return dst, false, nil
	}
	switch text, err = c.plainJSON(dst, r, max); err {
	case nil:
		return text, true, nil
	case errNotPlain:
		err = nil
	default:
		return dst, false, err
	}
	s := lib.XJS_JSONStringify(c.rt.tls, c.ptr, r, jsUndefined, jsUndefined)
	if isException(s) {
		return dst, false, c.takeException()
	}
	text = dst
	if kindOf(s) == KindString {
		ok = true
		if stringLen(s) > max {
			err = ErrTooLarge
		} else if t, _ := c.text(s, MaxString); len(t) > max {
			err = ErrTooLarge
		} else if len(dst) == 0 {
			text = textBytes(t) // nobody else's: a large text must not be copied twice
		} else {
			text = append(dst, t...)
		}
	}
	lib.XFreeValue(c.rt.tls, c.ptr, s)
	if err != nil {
		return dst, false, err
	}
	return text, ok, nil
}

// AppendJSONArray appends values as a JSON array, each written by itself: one
// without a JSON form is null. It may run guest code as JSON does. The text is at
// most max bytes, else ErrTooLarge.
func (c *Context) AppendJSONArray(dst []byte, values []Value, max int) (text []byte, err error) {
	c.check(values)
	text = dst
	err = c.op(func() error {
		text = append(text, '[')
		for i, v := range values {
			if i > 0 {
				text = append(text, ',')
			}
			var ok bool
			text, ok, err = c.appendJSON(text, v.rawFor(c), max)
			switch {
			case err != nil:
				return err
			case !ok:
				text = append(text, "null"...)
			case len(text)-len(dst) > max:
				return ErrTooLarge // enough is enough
			}
		}
		if text = append(text, ']'); len(text)-len(dst) > max {
			return ErrTooLarge
		}
		return nil
	})
	if err != nil {
		return dst, err
	}
	return text, nil
}
