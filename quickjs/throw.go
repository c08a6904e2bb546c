package quickjs

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// throwTypeError throws a TypeError and returns the exception marker. The text
// must not contain a per cent sign.
func throwTypeError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowTypeError, tls, ctx, text)
}

func throwRangeError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowRangeError, tls, ctx, text)
}

func throwInternalError(tls *libc.TLS, ctx uintptr, text string) jsValue {
	return throwWith(lib.XJS_ThrowInternalError, tls, ctx, text)
}

func throwWith(throw func(*libc.TLS, uintptr, uintptr, uintptr) jsValue, tls *libc.TLS, ctx uintptr, text string) jsValue {
	p := tls.Alloc(len(text) + 1)
	defer tls.Free(len(text) + 1)
	copy(memory(p, uintptr(len(text))), text)
	*(*byte)(address(p + uintptr(len(text)))) = 0
	return throw(tls, ctx, p, 0)
}
