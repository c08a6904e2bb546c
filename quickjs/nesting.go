package quickjs

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Nearly all recursion of the engine passes a function that looks at the stack.
// Three kinds do not, since they go from one native function to the next along
// a chain of objects that a guest can make as long as its memory allows:
//
//   - the next of an iterator helper calls that of the iterator below it
//     directly (JS_IteratorNext2): here it looks first;
//   - the realm of a bound function or proxy is that of its target
//     (JS_GetFunctionRealm), and instanceof asks the target of a bound function
//     (JS_OrdinaryIsInstanceOf). Neither can be hooked, so the chain is bounded
//     where it is made: bind, Proxy and Proxy.revocable.

// nestingFuncs are what the engine had in those places.
type nestingFuncs struct {
	helper, wrap, concat   uintptr // next and return of the three kinds of iterator
	bind, proxy, revocable uintptr
}

// maxTargets is how many bound functions and proxies may stand one behind the
// other. The engine's own stack limit ends a call through fewer than twice that.
const maxTargets = 1000

func patchNesting(tls *libc.TLS, ctx uintptr, n *nestingFuncs) error {
	p := &patcher{tls: tls, ctx: ctx}
	for _, it := range []struct {
		class uint32
		next  uintptr
		save  *uintptr
		both  bool
	}{
		{lib.EJS_CLASS_ITERATOR_HELPER, engineFunc(helperNext), &n.helper, true},
		{lib.EJS_CLASS_ITERATOR_WRAP, engineFunc(wrapNext), &n.wrap, true},
		{lib.EJS_CLASS_ITERATOR_CONCAT, engineFunc(concatNext), &n.concat, false},
	} {
		proto := lib.XJS_GetClassProto(tls, ctx, it.class)
		*it.save = p.replace(proto, "next", lib.EJS_CFUNC_iterator_next, it.next)
		if it.both {
			if p.replace(proto, "return", lib.EJS_CFUNC_iterator_next, it.next) != *it.save {
				p.fail("iterator return", "is another function than next")
			}
		}
		lib.XFreeValue(tls, ctx, proto)
	}
	global := lib.XJS_GetGlobalObject(tls, ctx)
	function := p.member(global, "Function")
	proto := p.member(function, "prototype")
	n.bind = p.replace(proto, "bind", lib.EJS_CFUNC_generic, engineFunc(boundedBind))
	proxy := p.member(global, "Proxy")
	if isObject(proxy) { // a realm may do without
		n.revocable = p.replace(proxy, "revocable", lib.EJS_CFUNC_generic, engineFunc(boundedRevocable))
		n.proxy = p.replace(global, "Proxy", lib.EJS_CFUNC_constructor, engineFunc(boundedProxy))
	}
	for _, v := range []jsValue{proxy, proto, function, global} {
		lib.XFreeValue(tls, ctx, v)
	}
	return p.err
}

func nestingFuncsOf(tls *libc.TLS, ctx uintptr) *nestingFuncs { return &contextOf(tls, ctx).nesting }

// next calls an iterator's own function unless the stack is used up, as
// js_check_stack_overflow has it.
func next(f uintptr, tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv, done uintptr, magic int32) jsValue {
	limit := engineRuntime(engineContext(ctx).Frt).Fstack_size
	if limit == 0 {
		limit = lib.MaxStackSlots
	}
	if lib.Tuintptr_t(tls.StackSlots()) >= limit {
		*(*int32)(address(done)) = 0
		return throwInternalError(tls, ctx, "stack overflow")
	}
	return callNext(f, tls, ctx, this, argc, argv, done, magic)
}

func helperNext(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv, done uintptr, magic int32) jsValue {
	return next(nestingFuncsOf(tls, ctx).helper, tls, ctx, this, argc, argv, done, magic)
}

func wrapNext(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv, done uintptr, magic int32) jsValue {
	return next(nestingFuncsOf(tls, ctx).wrap, tls, ctx, this, argc, argv, done, magic)
}

func concatNext(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv, done uintptr, magic int32) jsValue {
	return next(nestingFuncsOf(tls, ctx).concat, tls, ctx, this, argc, argv, done, magic)
}

func boundedBind(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	if tooDeep(this) {
		return throwInternalError(tls, ctx, "stack overflow")
	}
	return callGeneric(nestingFuncsOf(tls, ctx).bind, tls, ctx, this, argc, argv)
}

func boundedProxy(tls *libc.TLS, ctx uintptr, newTarget jsValue, argc int32, argv uintptr) jsValue {
	if tooDeep(loadValue(argv)) {
		return throwInternalError(tls, ctx, "stack overflow")
	}
	return callGeneric(nestingFuncsOf(tls, ctx).proxy, tls, ctx, newTarget, argc, argv)
}

func boundedRevocable(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	if tooDeep(loadValue(argv)) {
		return throwInternalError(tls, ctx, "stack overflow")
	}
	return callGeneric(nestingFuncsOf(tls, ctx).revocable, tls, ctx, this, argc, argv)
}

// tooDeep reports whether maxTargets bound functions and proxies stand between
// a value and what it stands for.
func tooDeep(v jsValue) bool {
	for range maxTargets {
		if !isObject(v) {
			return false
		}
		switch classOf(v) {
		case lib.EJS_CLASS_BOUND_FUNCTION:
			v = (*lib.TJSBoundFunction)(address(loadWord(objectUnion(pointer(v))))).Ffunc_obj
		case lib.EJS_CLASS_PROXY:
			data := loadWord(objectUnion(pointer(v)))
			if data == 0 {
				return false
			}
			v = (*lib.TJSProxyData)(address(data)).Ftarget
		default:
			return false
		}
	}
	return true
}
