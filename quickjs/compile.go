package quickjs

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Every source the engine compiles - the program, eval, Function, a module -
// goes through one function pointer of its context. We stand in front of it:
// the text is bounded, and the largest frame of what was compiled bounds how
// deep calls may go. The engine counts calls, not the bytes of their frames: a
// function with 60,000 locals that calls itself would take gigabytes of C stack
// that no limit sees.

// frameBudget is how many bytes of frames may be on the emulated C stack, per
// byte of Limits.Stack.
const frameBudget = 16

// fewestSlots keeps enough depth for built-ins however large a frame is.
const fewestSlots = 24

func (c *Context) hookCompiler() {
	ctx := engineContext(c.ptr)
	c.compile = ctx.Feval_internal
	ctx.Feval_internal = engineFunc(compileHook)
}

func compileHook(tls *libc.TLS, ctx uintptr, this jsValue, src uintptr, n lib.Tsize_t, name uintptr, flags, scope int32) jsValue {
	rt := runtimeAt(lib.XJS_GetRuntimeOpaque(tls, engineContext(ctx).Frt))
	c := rt.contextAt(ctx)
	if c.noEval && !c.hostEval {
		return throwTypeError(tls, ctx, "code generation from strings is not allowed here")
	}
	if int64(n) > rt.limits.Source {
		return throwRangeError(tls, ctx, "source text is too long")
	}
	c.hostEval = false // what the text itself compiles is the guest's
	compileOnly := flags&lib.MJS_EVAL_FLAG_COMPILE_ONLY != 0
	direct := flags&3 == evalDirect
	if direct && !compileOnly && uint64(n)*uint64(sizeofValue)*uint64(slots(rt.limits.Stack)) < uint64(rt.limits.Stack)*frameBudget {
		// Too short for a frame that matters; a variable takes two characters.
		return callEval(c.compile, tls, ctx, this, src, n, name, flags, scope)
	}
	v := callEval(c.compile, tls, ctx, this, src, n, name, flags|lib.MJS_EVAL_FLAG_COMPILE_ONLY, scope)
	if isException(v) {
		return v
	}
	rt.boundDepth(v)
	switch {
	case compileOnly:
		return v
	case direct:
		// Only the compiler itself knows the scope that a direct eval runs in.
		lib.XFreeValue(tls, ctx, v)
		return callEval(c.compile, tls, ctx, this, src, n, name, flags, scope)
	}
	return lib.XJS_EvalFunction(tls, ctx, v)
}

const evalDirect = 2 // JS_EVAL_TYPE_DIRECT

// boundDepth lowers the slot limit so that the deepest recursion through the
// largest frame stays within the budget. The value is borrowed.
func (rt *Runtime) boundDepth(v jsValue) {
	code := v
	if tag(v) == lib.EJS_TAG_MODULE {
		code = (*lib.TJSModuleDef)(address(pointer(v))).Ffunc_obj
	}
	if tag(code) != lib.EJS_TAG_FUNCTION_BYTECODE {
		return
	}
	budget := uint64(rt.limits.Stack) * frameBudget
	fit := lib.Tuintptr_t(max(budget/max(frameBytes(pointer(code), 0), 1), fewestSlots))
	if r := engineRuntime(rt.ptr); fit < r.Fstack_size {
		r.Fstack_size = fit
	}
}
