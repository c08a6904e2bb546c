package quickjs

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// A bound function copies its own arguments and those it is called with onto
// the C stack, once for each of a chain: a megabyte a call, where the engine
// counts one slot. So a call through one counts what it copies, too, against
// frameBudget.

// hookBound stands in front of the calls of bound functions.
func (rt *Runtime) hookBound() {
	class := boundClass(rt.ptr)
	rt.callBound, class.Fcall = class.Fcall, engineFunc(boundCall)
}

func boundClass(rt uintptr) *lib.TJSClass {
	return (*lib.TJSClass)(address(engineRuntime(rt).Fclass_array + lib.EJS_CLASS_BOUND_FUNCTION*sizeofClass))
}

func boundCall(tls *libc.TLS, ctx uintptr, f, this jsValue, argc int32, argv uintptr, flags int32) jsValue {
	rt := runtimeAt(lib.XJS_GetRuntimeOpaque(tls, engineContext(ctx).Frt))
	bound := (*lib.TJSBoundFunction)(address(loadWord(objectUnion(pointer(f)))))
	size := (int64(argc) + int64(bound.Fargc)) * int64(sizeofValue)
	if rt.copied+size > rt.limits.Stack*frameBudget {
		return throwInternalError(tls, ctx, "stack overflow")
	}
	rt.copied += size
	v := callClass(rt.callBound, tls, ctx, f, this, argc, argv, flags)
	rt.copied -= size
	return v
}
