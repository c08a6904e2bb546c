package quickjs

import (
	"strings"
	"unicode/utf8"

	lib "modernc.org/libquickjs"
)

func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// ParseJSON makes a value of JSON text, by the engine's own parser and not by
// whatever the guest left in JSON.parse. A key __proto__ is an ordinary one. It
// runs no guest code. Text that is not JSON is an [*Exception] with a
// SyntaxError (JS_ParseJSON).
func (c *Context) ParseJSON(text []byte) (v Value, err error) {
	s := toValid(string(text))
	err = c.op(func() error {
		c.withSource(s, "<json>", func(p, file uintptr) {
			v, err = c.own(lib.XJS_ParseJSON(c.rt.tls, c.ptr, p, lib.Tsize_t(len(s)), file))
		})
		return err
	})
	return v, err
}

// JSON returns the value as JSON text, by the engine's own writer and not by
// whatever the guest left in JSON.stringify. The second result is false when it
// has none: undefined, a function, a symbol. It may run guest code: toJSON,
// getters and traps. At most max bytes of text are taken; a longer one is
// ErrTooLarge (JS_JSONStringify, ECMA-262 SerializeJSONProperty).
func (v Value) JSON(max int) (text []byte, ok bool, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		s := lib.XJS_JSONStringify(c.rt.tls, c.ptr, r, jsUndefined, jsUndefined)
		if isException(s) {
			return c.takeException()
		}
		if kindOf(s) == KindString {
			ok = true
			if stringLen(s) > max {
				err = ErrTooLarge
			} else {
				t, _ := c.text(s, MaxString)
				// The bytes are nobody else's: a large result must not be copied twice.
				if text = textBytes(t); len(text) > max {
					text, err = nil, ErrTooLarge
				}
			}
		}
		lib.XFreeValue(c.rt.tls, c.ptr, s)
		return err
	})
	return text, ok, err
}
