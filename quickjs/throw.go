package quickjs

import (
	"strings"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// throwTypeError throws a TypeError and returns the exception marker. The engine
// keeps at most 255 bytes of the text.
func throwTypeError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowTypeError, tls, ctx, text)
}

func throwRangeError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowRangeError, tls, ctx, text)
}

func throwInternalError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowInternalError, tls, ctx, text)
}

func throwReferenceError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowReferenceError, tls, ctx, text)
}

func throwWith(throw func(*libc.TLS, uintptr, uintptr, uintptr) jsValue, tls *libc.TLS, ctx uintptr, text string) jsValue {
	text = strings.ReplaceAll(text, "%", "%%") // it is a format
	p := tls.Alloc(len(text) + 1)
	copy(memory(p, uintptr(len(text))), text)
	*(*byte)(address(p + uintptr(len(text)))) = 0
	v := throw(tls, ctx, p, 0)
	tls.Free(len(text) + 1)
	return v
}
