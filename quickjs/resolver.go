package quickjs

import (
	"unsafe"

	lib "modernc.org/libquickjs"
)

// A promise of the engine's own making comes with two functions that settle it,
// each an object with properties: most of its cost, for functions that nobody
// but the host calls. So the host makes promises by themselves, and settles
// them with one pair of such functions that is pointed at the promise for the
// moment. All that settling means - reading then, queueing the reactions,
// telling the tracker - is still the engine's.

// resolver is such a pair. No guest ever sees it.
type resolver struct {
	funcs    [2]jsValue // resolve and reject, owned
	resolved uintptr    // JSPromiseFunctionDataResolved, shared by both
}

const (
	settleResolve = iota
	settleReject
)

func (r *resolver) data(how int) *lib.TJSPromiseFunctionData {
	return (*lib.TJSPromiseFunctionData)(address((*lib.TJSObject)(address(pointer(r.funcs[how]))).Fu.Fopaque))
}

// newResolver takes the functions from a promise that is thrown away. The caller
// is inside an operation.
func (c *Context) newResolver() error {
	at := c.rt.hand + handValues
	p := lib.XJS_NewPromiseCapability(c.rt.tls, c.ptr, at)
	if isException(p) {
		return c.takeException()
	}
	r := &resolver{funcs: [2]jsValue{loadValue(at), loadValue(at + sizeofValue)}}
	r.resolved = r.data(settleResolve).Fpresolved
	for how := range r.funcs {
		d := r.data(how)
		lib.XFreeValue(c.rt.tls, c.ptr, d.Fpromise)
		d.Fpromise = jsUndefined
	}
	lib.XFreeValue(c.rt.tls, c.ptr, p)
	c.resolvers = append(c.resolvers, r)
	return nil
}

// settle resolves or rejects a promise that newPromise made. Both values are
// borrowed. Resolving may run guest code, which may settle other promises
// meanwhile: each has a pair of its own then.
func (c *Context) settle(promise jsValue, how int, arg jsValue) error {
	if c.settling == len(c.resolvers) {
		if err := c.newResolver(); err != nil {
			return err
		}
	}
	r := c.resolvers[c.settling]
	c.settling++
	(*lib.TJSPromiseFunctionDataResolved)(address(r.resolved)).Falready_resolved = 0
	r.data(how).Fpromise = lib.XDupValue(c.rt.tls, c.ptr, promise)
	argv := c.rt.tls.Alloc(int(sizeofValue))
	storeValue(argv, arg)
	class := (*lib.TJSClass)(address(engineRuntime(c.rt.ptr).Fclass_array + uintptr(classOf(r.funcs[how]))*sizeofClass))
	v := callClass(class.Fcall, c.rt.tls, c.ptr, r.funcs[how], jsUndefined, 1, argv, 0) // as JS_Call would
	c.rt.tls.Free(int(sizeofValue))
	d := r.data(how)
	lib.XFreeValue(c.rt.tls, c.ptr, d.Fpromise)
	d.Fpromise = jsUndefined
	c.settling--
	if isException(v) {
		return c.takeException()
	}
	lib.XFreeValue(c.rt.tls, c.ptr, v)
	return nil
}

// newPromise makes a promise of the intrinsic class that is pending, or settled
// with a value it takes over. The caller is inside an operation.
func (c *Context) newPromise(state PromiseState, result jsValue) jsValue {
	obj := lib.XJS_NewObjectClass(c.rt.tls, c.ptr, lib.EJS_CLASS_PROMISE)
	if isException(obj) {
		return obj
	}
	p := lib.Xjs_mallocz(c.rt.tls, c.ptr, lib.Tsize_t(unsafe.Sizeof(lib.TJSPromiseData{})))
	s := (*lib.TJSPromiseData)(address(p))
	s.Fpromise_state = lib.TJSPromiseStateEnum(state)
	for i := range s.Fpromise_reactions {
		l := &s.Fpromise_reactions[i]
		l.Fprev, l.Fnext = uintptr(unsafe.Pointer(l)), uintptr(unsafe.Pointer(l))
	}
	s.Fpromise_result = result
	lib.XJS_SetOpaque(c.rt.tls, obj, p)
	return obj
}
