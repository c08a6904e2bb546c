package quickjs

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Programs read and write JSON and look for text in text more than they do
// anything else that takes long. For these four the guest's own functions -
// their identity, name and properties are untouched - take the way that the host
// takes where they can: the plainWriter, the textReader and Go's search. At
// anything but the commonest arguments the engine's function does it all.

// builtinFuncs are what the engine had in those places.
type builtinFuncs struct {
	stringify, parse  uintptr // JSON's
	indexOf, includes uintptr // String.prototype's
}

// maxGuestText bounds a JSON text that is written, or read, with the help of
// memory outside the guest's, in bytes or units. A longer one is the engine's.
const maxGuestText = 256 << 10

func patchBuiltins(tls *libc.TLS, ctx uintptr, b *builtinFuncs) error {
	p := &patcher{tls: tls, ctx: ctx}
	global := lib.XJS_GetGlobalObject(tls, ctx)
	json := p.member(global, "JSON")
	b.stringify = p.replace(json, "stringify", lib.EJS_CFUNC_generic, engineFunc(guestStringify))
	b.parse = p.replace(json, "parse", lib.EJS_CFUNC_generic, engineFunc(guestParse))
	str := p.member(global, "String")
	proto := p.member(str, "prototype")
	b.indexOf = p.replace(proto, "indexOf", lib.EJS_CFUNC_generic_magic, engineFunc(guestIndexOf))
	b.includes = p.replace(proto, "includes", lib.EJS_CFUNC_generic_magic, engineFunc(guestIncludes))
	for _, v := range []jsValue{proto, str, json, global} {
		lib.XFreeValue(tls, ctx, v)
	}
	return p.err
}

// guestStringify is JSON.stringify (ECMA-262 section 25.5.2). The engine hands it
// at least three arguments.
func guestStringify(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	c := contextOf(tls, ctx)
	if given(argv, 1) == lib.EJS_TAG_UNDEFINED && given(argv, 2) == lib.EJS_TAG_UNDEFINED {
		if text, ok := c.guestJSON(loadValue(argv)); ok {
			return c.newString(text)
		}
	}
	return callGeneric(c.builtins.stringify, tls, ctx, this, argc, argv)
}

// given is the tag of an argument that is there.
func given(argv uintptr, i uintptr) int32 { return tag(loadValue(argv + i*sizeofValue)) }

func isString(v jsValue) bool {
	return tag(v) == lib.EJS_TAG_STRING || tag(v) == lib.EJS_TAG_STRING_ROPE
}

// guestJSON returns the text of plain data, good until the next one.
func (c *Context) guestJSON(v jsValue) (text string, ok bool) {
	w := plainWriter{c: c, buf: c.rt.text[:0], max: maxGuestText}
	err := w.value(v)
	if c.rt.text = w.buf; err != nil {
		return "", false
	}
	return unsafe.String(unsafe.SliceData(w.buf), len(w.buf)), true
}

// guestParse is JSON.parse (ECMA-262 section 25.5.1). The engine hands it at least
// two arguments.
func guestParse(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	c := contextOf(tls, ctx)
	if s := loadValue(argv); isString(s) && given(argv, 1) == lib.EJS_TAG_UNDEFINED {
		flat := c.flat(s)
		v, err := c.guestRead(flat)
		lib.XFreeValue(tls, ctx, flat)
		switch err {
		case nil:
			return v
		case errNotJSON:
		default:
			return c.throwError(err)
		}
	}
	return callGeneric(c.builtins.parse, tls, ctx, this, argc, argv)
}

// guestRead reads a flat string as JSON text, or returns errNotJSON.
func (c *Context) guestRead(text jsValue) (v jsValue, err error) {
	p, n, wide := stringParts(text)
	if n > maxGuestText {
		return v, errNotJSON
	}
	if !wide && isASCII(memory(p, uintptr(n))) {
		return c.readJSON(p, n) // there is a zero behind it
	}
	q := c.rt.arena.heap.malloc(uint64(3*n + 1)) // three bytes a unit are the most
	utf := memory(q, uintptr(3*n))[:0]
	if wide {
		utf = appendWTF8(utf, unsafe.Slice((*uint16)(address(p)), n))
	} else {
		utf = appendPlain(utf, memory(p, uintptr(n)))
	}
	*(*byte)(address(q + uintptr(len(utf)))) = 0
	if err = errNotJSON; utf8.Valid(utf) { // no half of a pair
		v, err = c.readJSON(q, len(utf))
	}
	c.rt.arena.heap.free(q)
	return v, err
}

// guestIndexOf is String.prototype.indexOf (ECMA-262 section 22.1.3.9), and with
// another magic lastIndexOf.
func guestIndexOf(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue {
	c := contextOf(tls, ctx)
	if magic == 0 {
		if at, ok := c.search(this, argc, argv); ok {
			return jsInt(int32(at))
		}
	}
	return callMagic(c.builtins.indexOf, tls, ctx, this, argc, argv, magic)
}

// guestIncludes is String.prototype.includes (ECMA-262 section 22.1.3.8), and with
// another magic startsWith or endsWith.
func guestIncludes(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue {
	c := contextOf(tls, ctx)
	if magic == 0 {
		if at, ok := c.search(this, argc, argv); ok {
			return jsBool(at >= 0)
		}
	}
	return callMagic(c.builtins.includes, tls, ctx, this, argc, argv, magic)
}

// search looks for a string in a string, both of one byte a unit, from the
// position that the second argument has if there is one. It returns -1 for what
// is not there, and false when the engine has to look. The engine hands it at
// least one argument.
func (c *Context) search(this jsValue, argc int32, argv uintptr) (at int, ok bool) {
	s := loadValue(argv)
	if !isString(this) || !isString(s) {
		return 0, false
	}
	from := 0
	if argc > 1 {
		switch v := loadValue(argv + sizeofValue); tag(v) {
		case lib.EJS_TAG_UNDEFINED:
		case lib.EJS_TAG_INT:
			from = max(int(intOf(v)), 0)
		default:
			return 0, false
		}
	}
	text, wanted := c.flat(this), c.flat(s)
	p, n, wide := stringParts(text)
	q, m, wideToo := stringParts(wanted)
	if ok = !wide && !wideToo; ok {
		at = searchFrom(memory(p, uintptr(n)), memory(q, uintptr(m)), min(from, n))
	}
	lib.XFreeValue(c.rt.tls, c.ptr, wanted)
	lib.XFreeValue(c.rt.tls, c.ptr, text)
	return at, ok
}

// searchFrom is bytes.Index from a place on. It goes in steps, since a search in
// assembly cannot be preempted and the whole process may be waiting for that.
func searchFrom(text, wanted []byte, from int) int {
	step := max(1<<20, len(wanted))
	for ; from+len(wanted) <= len(text); from += step {
		if i := bytes.Index(text[from:min(from+step+len(wanted)-1, len(text))], wanted); i >= 0 {
			return from + i
		}
	}
	return -1
}

// isASCII reports whether all bytes are below 128.
func isASCII(b []byte) bool {
	const high = 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}
