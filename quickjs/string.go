package quickjs

import (
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// MaxString is the longest string the engine makes, in UTF-16 units.
const MaxString = 1<<30 - 1

// String makes a string of UTF-8 text. A byte that is not UTF-8 becomes U+FFFD.
// U+0000 is a character like any other. It fails when memory is full
// (JS_NewStringLen).
func (c *Context) String(s string) (v Value, err error) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	err = c.op(func() error {
		v, err = c.own(c.newString(s))
		return err
	})
	return v, err
}

// StringUTF16 makes a string of UTF-16 units; a lone surrogate stays one.
func (c *Context) StringUTF16(units []uint16) (v Value, err error) {
	buf := appendWTF8(make([]byte, 0, len(units)+len(units)/2), units)
	err = c.op(func() error {
		v, err = c.own(c.newString(unsafe.String(unsafe.SliceData(buf), len(buf))))
		return err
	})
	return v, err
}

// newString gives a reference. The text is copied into C memory first.
func (c *Context) newString(s string) jsValue {
	if len(s) == 0 {
		return lib.XJS_NewStringLen(c.rt.tls, c.ptr, c.rt.hand+handText, 0)
	}
	var v jsValue
	c.rt.withText(s, func(p uintptr) { v = lib.XJS_NewStringLen(c.rt.tls, c.ptr, p, lib.Tsize_t(len(s))) })
	return v
}

// withText runs f with s in C memory, followed by a zero byte. A short text
// goes into the Runtime's scratch, so f must not use that again; a long one
// into the arena, where it counts against the guest.
func (rt *Runtime) withText(s string, f func(p uintptr)) {
	p := rt.hand + handText
	if len(s) >= handSize-handText {
		if uint64(len(s)) > math.MaxUint32 {
			panic(stopMemory)
		}
		p = rt.arena.heap.malloc(uint64(len(s)) + 1)
	}
	copy(memory(p, uintptr(len(s))), s)
	*(*byte)(address(p + uintptr(len(s)))) = 0
	f(p)
	if p != rt.hand+handText {
		rt.arena.heap.free(p)
	}
}

// Len returns the length of a string in UTF-16 units; zero for what is not a
// string.
func (v Value) Len() int {
	n := 0
	r := v.raw()
	v.c.rt.mustOp(func() error {
		if kindOf(r) == KindString {
			n = stringLen(r)
		}
		return nil
	})
	return n
}

func stringLen(v jsValue) int {
	if tag(v) == lib.EJS_TAG_STRING_ROPE {
		return int((*lib.TJSStringRope)(address(pointer(v))).Flen1)
	}
	_, n, _ := stringParts(v)
	return n
}

// Text returns a string as UTF-8; each lone surrogate becomes one U+FFFD. The
// second result is false for what is not a string: nothing is converted, and no
// guest code runs.
func (v Value) Text() (s string, ok bool) {
	s, _, ok = v.TextMax(math.MaxInt)
	return s, ok
}

// TextMax is Text for at most max UTF-16 units, never cut inside a pair. It
// reports whether something was cut off.
func (v Value) TextMax(max int) (s string, cut, ok bool) {
	r := v.raw()
	v.c.rt.mustOp(func() error {
		if kindOf(r) != KindString {
			return nil
		}
		ok = true
		s, cut = v.c.text(r, max)
		return nil
	})
	return s, cut, ok
}

// UTF16 returns the units of a string, and whether the value is one.
func (v Value) UTF16() (units []uint16, ok bool) {
	r := v.raw()
	v.c.rt.mustOp(func() error {
		if kindOf(r) != KindString {
			return nil
		}
		ok = true
		flat := v.c.flat(r)
		p, n, wide := stringParts(flat)
		units = make([]uint16, n)
		if wide {
			copy(units, unsafe.Slice((*uint16)(address(p)), n))
		} else {
			for i, b := range memory(p, uintptr(n)) {
				units[i] = uint16(b)
			}
		}
		lib.XFreeValue(v.c.rt.tls, v.c.ptr, flat)
		return nil
	})
	return units, ok
}

// flat gives a reference to the string in one piece. That takes nothing but
// memory, which leaves the engine when there is none.
func (c *Context) flat(v jsValue) jsValue {
	if tag(v) != lib.EJS_TAG_STRING_ROPE {
		return lib.XDupValue(c.rt.tls, c.ptr, v)
	}
	flat := lib.XJS_ToString(c.rt.tls, c.ptr, v)
	if isException(flat) {
		panic(damaged("rope"))
	}
	return flat
}

// text copies at most max units of a string out of the arena.
func (c *Context) text(v jsValue, max int) (s string, cut bool) {
	flat := c.flat(v)
	p, n, wide := stringParts(flat)
	if n > max {
		n, cut = max, true
	}
	if wide {
		units := unsafe.Slice((*uint16)(address(p)), n)
		if cut && n > 0 && utf16.IsSurrogate(rune(units[n-1])) && units[n-1] < 0xDC00 {
			units = units[:n-1] // the first half of a pair
		}
		s = decodeUTF16(units)
	} else {
		s = decodeLatin1(memory(p, uintptr(n)))
	}
	lib.XFreeValue(c.rt.tls, c.ptr, flat)
	return s, cut
}

func decodeLatin1(b []byte) string {
	wide := 0
	for _, c := range b {
		wide += int(c >> 7)
	}
	if wide == 0 {
		return string(b)
	}
	var sb strings.Builder
	sb.Grow(len(b) + wide)
	for _, c := range b {
		sb.WriteRune(rune(c))
	}
	return sb.String()
}

func decodeUTF16(units []uint16) string {
	var sb strings.Builder
	sb.Grow(utf8Len(units))
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) {
			r = utf8.RuneError
			if i+1 < len(units) {
				if r = utf16.DecodeRune(rune(units[i]), rune(units[i+1])); r != utf8.RuneError {
					i++
				}
			}
		}
		sb.WriteRune(r)
	}
	return sb.String()
}

// ToText converts any value to text as String(v) would. It may run guest code
// (ECMA-262 ToString).
func (v Value) ToText() (s string, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		str := lib.XJS_ToString(c.rt.tls, c.ptr, r)
		if isException(str) {
			return c.takeException()
		}
		s, _ = c.text(str, math.MaxInt)
		lib.XFreeValue(c.rt.tls, c.ptr, str)
		return nil
	})
	return s, err
}

// atom gives an atom for a property name, to be freed by the caller.
func (c *Context) atom(name string) lib.TJSAtom {
	var a lib.TJSAtom
	if strings.IndexByte(name, 0) >= 0 || !utf8.ValidString(name) {
		// JS_NewAtomLen takes the text as it is; a string is the safe way round.
		s := c.newString(strings.ToValidUTF8(name, "\uFFFD"))
		if isException(s) {
			return lib.MJS_ATOM_NULL
		}
		a = lib.XJS_ValueToAtom(c.rt.tls, c.ptr, s)
		lib.XFreeValue(c.rt.tls, c.ptr, s)
		return a
	}
	c.rt.withText(name, func(p uintptr) { a = lib.XJS_NewAtomLen(c.rt.tls, c.ptr, p, lib.Tsize_t(len(name))) })
	return a
}

// utf8Len is at least how many bytes the units take in UTF-8.
func utf8Len(units []uint16) int {
	n := len(units)
	for _, u := range units {
		if u >= 0x80 {
			n++
		}
		if u >= 0x800 {
			n++
		}
	}
	return n
}

// textBytes returns the bytes of a string that nobody else holds.
func textBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// appendWTF8 encodes units as UTF-8 with lone surrogates in the three-byte form
// that the engine reads and UTF-8 forbids.
func appendWTF8(buf []byte, units []uint16) []byte {
	for i := 0; i < len(units); i++ {
		r := rune(units[i])
		if utf16.IsSurrogate(r) && i+1 < len(units) {
			if p := utf16.DecodeRune(r, rune(units[i+1])); p != utf8.RuneError {
				r = p
				i++
			}
		}
		if utf16.IsSurrogate(r) {
			buf = append(buf, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
			continue
		}
		buf = utf8.AppendRune(buf, r)
	}
	return buf
}

// inArena runs f with s in the arena, followed by a zero byte, where it counts
// against the guest and the scratch stays free.
func (rt *Runtime) inArena(s string, f func(p uintptr)) {
	p := rt.arena.heap.malloc(uint64(len(s)) + 1)
	copy(memory(p, uintptr(len(s))), s)
	*(*byte)(address(p + uintptr(len(s)))) = 0
	f(p)
	rt.arena.heap.free(p)
}

// AppendText appends the text of a string to dst as Text gives it, and reports
// whether the value is a string.
func (v Value) AppendText(dst []byte) (text []byte, ok bool) {
	r := v.raw()
	c := v.c
	text = dst
	if kindOf(r) != KindString {
		return text, false
	}
	c.rt.peek(func() {
		if tag(r) != lib.EJS_TAG_STRING {
			return
		}
		if p, n, wide := stringParts(r); !wide {
			text, ok = appendPlain(text, memory(p, uintptr(n))), true
		}
	})
	if ok {
		return text, true
	}
	c.mustOp(func() error {
		flat := c.flat(r)
		p, n, wide := stringParts(flat)
		if wide {
			text = append(text, decodeUTF16(unsafe.Slice((*uint16)(address(p)), n))...)
		} else {
			text = appendPlain(text, memory(p, uintptr(n)))
		}
		lib.XFreeValue(c.rt.tls, c.ptr, flat)
		return nil
	})
	return text, true
}

// appendPlain appends text of one byte a unit as UTF-8.
func appendPlain(dst, text []byte) []byte {
	for _, b := range text {
		dst = utf8.AppendRune(dst, rune(b))
	}
	return dst
}
