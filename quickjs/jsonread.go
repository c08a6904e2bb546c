package quickjs

import (
	"bytes"
	"errors"
	"math"
	"strconv"

	lib "modernc.org/libquickjs"
)

// A textReader builds the value of JSON text with the engine's constructors, in
// the way its parser would: own data properties, a key __proto__ an ordinary
// one. It saves the parser's tokens and looks each name up once. At anything that
// is not JSON to the letter, or nested deep, it gives everything back and the
// engine's parser says what is wrong.
type textReader struct {
	c     *Context
	at    uintptr // the text, in C memory, with a zero byte behind it
	text  []byte  // the same
	pos   int
	depth int
	names [64]readName
}

// readName is an atom the reader owns.
type readName struct {
	key  []byte
	atom lib.TJSAtom
}

var errNotJSON = errors.New("quickjs: not JSON to the letter")

const readDepth = 256

// readJSON returns the value of n bytes at p, owned; errNotJSON when the engine
// has to look. The caller is inside an operation.
func (c *Context) readJSON(p uintptr, n int) (v jsValue, err error) {
	r := textReader{c: c, at: p, text: memory(p, uintptr(n))}
	if v, err = r.value(); err == nil {
		if r.space(); r.pos != n {
			r.free(v)
			err = errNotJSON
		}
	}
	for _, name := range r.names {
		if name.atom != lib.MJS_ATOM_NULL {
			lib.XJS_FreeAtom(c.rt.tls, c.ptr, name.atom)
		}
	}
	return v, err
}

func (r *textReader) free(v jsValue) { lib.XFreeValue(r.c.rt.tls, r.c.ptr, v) }

// made turns what an engine constructor returned into a result.
func (r *textReader) made(v jsValue) (jsValue, error) {
	if isException(v) {
		return v, r.c.takeException()
	}
	return v, nil
}

func (r *textReader) space() {
	for r.pos < len(r.text) {
		switch r.text[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space; zero at the end.
func (r *textReader) peek() byte {
	r.space()
	if r.pos == len(r.text) {
		return 0
	}
	return r.text[r.pos]
}

func (r *textReader) value() (jsValue, error) {
	switch b := r.peek(); b {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.string()
	case 't':
		return jsBool(true), r.word("true")
	case 'f':
		return jsBool(false), r.word("false")
	case 'n':
		return jsNull, r.word("null")
	default:
		if b == '-' || b >= '0' && b <= '9' {
			return r.number()
		}
	}
	return jsNull, errNotJSON
}

func (r *textReader) word(w string) error {
	if !bytes.HasPrefix(r.text[r.pos:], []byte(w)) {
		return errNotJSON
	}
	r.pos += len(w)
	return nil
}

func (r *textReader) enter() error {
	r.pos++
	if r.depth++; r.depth > readDepth {
		return errNotJSON
	}
	return nil
}

func (r *textReader) object() (jsValue, error) {
	if err := r.enter(); err != nil {
		return jsNull, err
	}
	obj, err := r.made(lib.XJS_NewObject(r.c.rt.tls, r.c.ptr))
	if err != nil {
		return obj, err
	}
	if r.peek() == '}' {
		r.pos++
		r.depth--
		return obj, nil
	}
	for {
		if err = r.member(obj); err != nil {
			break
		}
		switch r.peek() {
		case ',':
			r.pos++
			continue
		case '}':
			r.pos++
			r.depth--
			return obj, nil
		}
		err = errNotJSON
		break
	}
	r.free(obj)
	return obj, err
}

func (r *textReader) member(obj jsValue) error {
	if r.peek() != '"' {
		return errNotJSON
	}
	atom, err := r.name()
	if err != nil {
		return err
	}
	if r.peek() == ':' {
		r.pos++
		var v jsValue
		if v, err = r.value(); err == nil && lib.XJS_DefinePropertyValue(r.c.rt.tls, r.c.ptr, obj, atom, v, int32(Ordinary)) < 0 {
			err = r.c.takeException()
		}
	} else {
		err = errNotJSON
	}
	lib.XJS_FreeAtom(r.c.rt.tls, r.c.ptr, atom)
	return err
}

// name reads a member's name as an atom, which is the caller's to free. Most
// names come again soon, so a few atoms are kept as well; the caller's own
// reference outlives them, since members inside the value have names too.
func (r *textReader) name() (atom lib.TJSAtom, err error) {
	start := r.pos + 1
	n := plainRun(r.text[start:])
	if start+n >= len(r.text) || r.text[start+n] != '"' || n == 0 {
		v, err := r.string()
		if err != nil {
			return 0, err
		}
		atom = lib.XJS_ValueToAtom(r.c.rt.tls, r.c.ptr, v)
		r.free(v)
		if atom == lib.MJS_ATOM_NULL {
			return 0, r.c.takeException()
		}
		return atom, nil
	}
	key := r.text[start : start+n]
	r.pos = start + n + 1
	h := uint(key[0])*31 + uint(key[n-1])*7 + uint(n)
	slot := &r.names[h%uint(len(r.names))]
	if slot.atom != lib.MJS_ATOM_NULL && bytes.Equal(slot.key, key) {
		return lib.XJS_DupAtom(r.c.rt.tls, r.c.ptr, slot.atom), nil
	}
	atom = lib.XJS_NewAtomLen(r.c.rt.tls, r.c.ptr, r.at+uintptr(start), lib.Tsize_t(n))
	if atom == lib.MJS_ATOM_NULL {
		return 0, r.c.takeException()
	}
	if slot.atom != lib.MJS_ATOM_NULL {
		lib.XJS_FreeAtom(r.c.rt.tls, r.c.ptr, slot.atom)
	}
	*slot = readName{key, atom}
	return lib.XJS_DupAtom(r.c.rt.tls, r.c.ptr, atom), nil
}

func (r *textReader) array() (jsValue, error) {
	if err := r.enter(); err != nil {
		return jsNull, err
	}
	a, err := r.made(lib.XJS_NewArray(r.c.rt.tls, r.c.ptr))
	if err != nil {
		return a, err
	}
	if r.peek() == ']' {
		r.pos++
		r.depth--
		return a, nil
	}
	for i := uint32(0); ; i++ {
		var v jsValue
		if v, err = r.value(); err != nil {
			break
		}
		if lib.XJS_DefinePropertyValueUint32(r.c.rt.tls, r.c.ptr, a, i, v, int32(Ordinary)) < 0 {
			err = r.c.takeException()
			break
		}
		b := r.peek()
		r.pos++
		if b == ',' {
			continue
		}
		if b == ']' {
			r.depth--
			return a, nil
		}
		err = errNotJSON
		break
	}
	r.free(a)
	return a, err
}

func (r *textReader) number() (jsValue, error) {
	s := r.text[r.pos:]
	i, n := 0, 0
	negative := s[0] == '-'
	if negative {
		i++
	}
	digits := func() int {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i - from
	}
	first := i
	if n = digits(); n == 0 || n > 1 && s[first] == '0' {
		return jsNull, errNotJSON
	}
	whole := true
	if i < len(s) && s[i] == '.' {
		i++
		if whole = false; digits() == 0 {
			return jsNull, errNotJSON
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if whole = false; digits() == 0 {
			return jsNull, errNotJSON
		}
	}
	r.pos += i
	if whole && n <= 9 {
		x := int32(0)
		for _, b := range s[first:i] {
			x = x*10 + int32(b-'0')
		}
		switch {
		case !negative:
			return jsInt(x), nil
		case x != 0:
			return jsInt(-x), nil
		}
		return jsNumber(math.Copysign(0, -1)), nil
	}
	// What was read is a number; the one error left is that it is too large, and
	// then it is infinite, as in JSON.parse.
	f, _ := strconv.ParseFloat(string(s[:i]), 64)
	return jsNumber(f), nil
}
