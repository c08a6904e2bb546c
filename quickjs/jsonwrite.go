package quickjs

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"

	lib "modernc.org/libquickjs"
)

// A plainWriter writes plain data as JSON text straight from the engine's
// memory: objects and arrays with data properties whose prototypes have no
// toJSON, strings, finite numbers, booleans and null. For these the engine's own
// writer runs no guest code and gives the same text, which a test shows. At
// anything else it gives up, having changed nothing, and the engine writes the
// whole value.
type plainWriter struct {
	c     *Context
	buf   []byte
	total int  // bytes that were counted and dropped
	max   int  // of total and buf together
	count bool // keep nothing
	depth int
	known [4]uintptr // prototypes that were found to have no toJSON
	next  int
}

var (
	errNotPlain = errors.New("quickjs: not plain data")
)

const (
	plainDepth = 100
	// Up to here the buffer grows as it must; a larger text is counted first, so
	// that its memory is taken once.
	plainGrow  = 8 << 20
	plainChunk = 64 << 10
)

// plainJSON writes v, borrowed, or returns errNotPlain or ErrTooLarge. The text
// is nil for what has no JSON form. The caller is inside an operation.
func (c *Context) plainJSON(dst []byte, v jsValue, max int) ([]byte, error) {
	max = min(max, math.MaxInt-len(dst))
	w := plainWriter{c: c, buf: dst, max: len(dst) + max}
	w.max = min(w.max, len(dst)+plainGrow)
	err := w.value(v)
	if err == ErrTooLarge && max > plainGrow {
		w = plainWriter{c: c, max: max, count: true}
		if err = w.value(v); err != nil {
			return nil, err
		}
		w = plainWriter{c: c, max: len(dst) + max, buf: append(make([]byte, 0, len(dst)+w.total+len(w.buf)), dst...)}
		err = w.value(v)
	}
	return w.buf, err
}

// room is asked after each piece that was written.
func (w *plainWriter) room() error {
	if w.total+len(w.buf) > w.max {
		return ErrTooLarge
	}
	if w.count && len(w.buf) > plainChunk {
		w.total += len(w.buf)
		w.buf = w.buf[:0]
	}
	return nil
}

func (w *plainWriter) value(v jsValue) error {
	switch tag(v) {
	case lib.EJS_TAG_INT:
		w.buf = strconv.AppendInt(w.buf, int64(intOf(v)), 10)
	case lib.EJS_TAG_FLOAT64:
		w.buf = appendNumber(w.buf, floatOf(v))
	case lib.EJS_TAG_STRING:
		return w.string(v)
	case lib.EJS_TAG_STRING_ROPE:
		flat := w.c.flat(v)
		err := w.string(flat)
		lib.XFreeValue(w.c.rt.tls, w.c.ptr, flat)
		return err
	case lib.EJS_TAG_BOOL:
		w.buf = strconv.AppendBool(w.buf, intOf(v) != 0)
	case lib.EJS_TAG_NULL:
		w.buf = append(w.buf, "null"...)
	case lib.EJS_TAG_OBJECT:
		return w.object(pointer(v))
	default:
		return errNotPlain
	}
	return w.room()
}

// absent reports a member that JSON leaves out of an object and writes as null
// in an array.
func absent(v jsValue) bool {
	return tag(v) == lib.EJS_TAG_UNDEFINED || tag(v) == lib.EJS_TAG_SYMBOL
}

func (w *plainWriter) object(p uintptr) error {
	if w.depth++; w.depth > plainDepth {
		return errNotPlain // deep, or a cycle: the engine says what it is
	}
	if !w.plain(p) {
		return errNotPlain
	}
	err := error(nil)
	if classOfObject(p) == lib.EJS_CLASS_ARRAY {
		err = w.elements(p)
	} else {
		err = w.members(p)
	}
	w.depth--
	return err
}

// plain reports whether an object is of a class that is written here, and has
// no toJSON.
func (w *plainWriter) plain(p uintptr) bool { return ordinary(p) && w.withoutToJSON(p) }

// ordinary reports whether an object is an array, or an object whose properties
// are all where they can be seen.
func ordinary(p uintptr) bool {
	switch classOfObject(p) {
	case lib.EJS_CLASS_ARRAY:
		return true
	case lib.EJS_CLASS_OBJECT:
		return flagsOf(p)&flagExotic == 0
	}
	return false
}

func (w *plainWriter) elements(p uintptr) error {
	values, n, ok := fastElements(p)
	if !ok || !lengthIs(p, n) {
		return errNotPlain
	}
	w.buf = append(w.buf, '[')
	for i := range uintptr(n) {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		v := loadValue(values + i*sizeofValue)
		if absent(v) {
			v = jsNull
		}
		if err := w.value(v); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, ']')
	return w.room()
}

// lengthIs reports whether an array has no more than its elements. Length is
// the first property of every array.
func lengthIs(p uintptr, n int) bool {
	v := propValue(p, 0)
	return tag(v) == lib.EJS_TAG_INT && int(intOf(v)) == n
}

func (w *plainWriter) members(p uintptr) error {
	props, n := shapeOf(p)
	w.buf = append(w.buf, '{')
	first := true
	indexed := false
	for i := range n {
		flags, atom := propAt(props, i)
		if atom == lib.MJS_ATOM_NULL {
			continue
		}
		if flags&lib.MJS_PROP_TMASK != lib.MJS_PROP_NORMAL {
			return errNotPlain // an accessor, or one the engine makes when asked
		}
		indexed = indexed || atom&atomTagged != 0
	}
	if indexed {
		if err := w.indexed(p, props, n, &first); err != nil {
			return err
		}
	}
	for i := range n {
		flags, atom := propAt(props, i)
		if atom == lib.MJS_ATOM_NULL || atom&atomTagged != 0 || flags&lib.MJS_PROP_ENUMERABLE == 0 {
			continue
		}
		key, ok := w.c.atomString(atom)
		if !ok {
			continue // a symbol, or a private name
		}
		if startsWithDigit(key) {
			return errNotPlain // it may be a large array index, which sorts first
		}
		if err := w.member(first, propValue(p, i), func() error { return w.string(key) }); err != nil {
			return err
		}
		first = first && absent(propValue(p, i))
	}
	w.buf = append(w.buf, '}')
	return w.room()
}

func startsWithDigit(v jsValue) bool {
	p, n, wide := stringParts(v)
	return n > 0 && !wide && *(*uint8)(address(p)) >= '0' && *(*uint8)(address(p)) <= '9'
}

// indexed writes the members whose names are array indexes, in ascending order
// (ECMA-262 OrdinaryOwnPropertyKeys).
func (w *plainWriter) indexed(p, props uintptr, n int, first *bool) error {
	type place struct {
		index uint32
		at    int
	}
	var list []place
	for i := range n {
		if flags, atom := propAt(props, i); atom&atomTagged != 0 && flags&lib.MJS_PROP_ENUMERABLE != 0 {
			list = append(list, place{uint32(atom &^ atomTagged), i})
		}
	}
	slices.SortFunc(list, func(a, b place) int { return int(int64(a.index) - int64(b.index)) })
	for _, m := range list {
		err := w.member(*first, propValue(p, m.at), func() error {
			w.buf = append(w.buf, '"')
			w.buf = strconv.AppendUint(w.buf, uint64(m.index), 10)
			w.buf = append(w.buf, '"')
			return nil
		})
		if err != nil {
			return err
		}
		*first = *first && absent(propValue(p, m.at))
	}
	return nil
}

func (w *plainWriter) member(first bool, v jsValue, key func() error) error {
	if absent(v) {
		return nil
	}
	if isObject(v) && !w.plain(pointer(v)) {
		return errNotPlain // it may have no JSON form, and then its name counts nothing
	}
	if !first {
		w.buf = append(w.buf, ',')
	}
	if err := key(); err != nil {
		return err
	}
	w.buf = append(w.buf, ':')
	return w.value(v)
}

// withoutToJSON reports whether an object and its prototypes are ordinary and
// have no member toJSON.
func (w *plainWriter) withoutToJSON(p uintptr) bool {
	if hasProp(p, lib.EJS_ATOM_toJSON) {
		return false
	}
	for p, n := protoOf(p), 0; p != 0; p, n = protoOf(p), n+1 {
		if slices.Contains(w.known[:], p) {
			return true
		}
		if !ordinary(p) || n > plainDepth || hasProp(p, lib.EJS_ATOM_toJSON) {
			return false
		}
		if protoOf(p) == 0 {
			// Only the end of a chain is known: what lies before it was checked
			// for this object alone.
			w.known[w.next%len(w.known)] = p
			w.next++
		}
	}
	return true
}

// appendNumber writes a number as JSON.stringify does (ECMA-262
// Number::toString). The engine itself gives a few, such as 2 ** -24,
// more digits than they need.
func appendNumber(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(b, "null"...)
	case f == 0:
		return append(b, '0') // -0 too
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); b[n-4] == 'e' && b[n-2] == '0' {
		b[n-2] = b[n-1] // e-07 is written e-7
		b = b[:n-1]
	}
	return b
}

const hexDigits = "0123456789abcdef"

// string writes a flat string with its quotes.
func (w *plainWriter) string(v jsValue) error {
	p, n, wide := stringParts(v)
	w.buf = append(w.buf, '"')
	for n > 0 {
		k := min(n, plainChunk)
		if wide {
			units := unsafe.Slice((*uint16)(address(p)), n)
			if k < n && units[k-1]&0xFC00 == 0xD800 {
				k-- // the halves of a pair stay together
			}
			w.buf = appendUnits(w.buf, units[:k])
			p += uintptr(k) * 2
		} else {
			w.buf = appendLatin1(w.buf, memory(p, uintptr(k)))
			p += uintptr(k)
		}
		n -= k
		if err := w.room(); err != nil {
			return err
		}
	}
	w.buf = append(w.buf, '"')
	return w.room()
}

func appendLatin1(b, s []byte) []byte {
	start := 0
	for i, c := range s {
		if c >= 0x20 && c < 0x80 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		if c >= 0x80 {
			b = append(b, 0xC0|c>>6, 0x80|c&0x3F)
			continue
		}
		b = appendEscaped(b, uint16(c))
	}
	return append(b, s[start:]...)
}

func appendUnits(b []byte, units []uint16) []byte {
	for i := 0; i < len(units); i++ {
		u := units[i]
		switch {
		case u == '"' || u == '\\' || u < 0x20:
			b = appendEscaped(b, u)
		case u < 0x80:
			b = append(b, byte(u))
		case utf16.IsSurrogate(rune(u)):
			if i+1 < len(units) {
				if r := utf16.DecodeRune(rune(u), rune(units[i+1])); r != utf8.RuneError {
					b = utf8.AppendRune(b, r)
					i++
					continue
				}
			}
			b = appendEscaped(b, u)
		default:
			b = utf8.AppendRune(b, rune(u))
		}
	}
	return b
}

func appendEscaped(b []byte, u uint16) []byte {
	switch u {
	case '"', '\\':
		return append(b, '\\', byte(u))
	case '\b':
		return append(b, `\b`...)
	case '\f':
		return append(b, `\f`...)
	case '\n':
		return append(b, `\n`...)
	case '\r':
		return append(b, `\r`...)
	case '\t':
		return append(b, `\t`...)
	}
	return append(b, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}
