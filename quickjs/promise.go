package quickjs

import (
	lib "modernc.org/libquickjs"
)

// PromiseState says how far a promise is.
type PromiseState int8

// The states; NotPromise for a value that is not a native promise.
const (
	NotPromise PromiseState = iota - 1
	Pending
	Fulfilled
	Rejected
)

// PromiseState returns the state of a native promise (JS_PromiseState). It runs
// no guest code.
func (v Value) PromiseState() PromiseState {
	r := v.raw()
	s := NotPromise
	v.c.rt.mustOp(func() error {
		if isObject(r) {
			s = PromiseState(lib.XJS_PromiseState(v.c.rt.tls, v.c.ptr, r))
		}
		return nil
	})
	return s
}

// PromiseResult returns the value or reason of a settled promise, owned;
// undefined for any other (JS_PromiseResult). It runs no guest code.
func (v Value) PromiseResult() Value {
	r := v.raw()
	res := v.c.Undefined()
	v.c.rt.mustOp(func() error {
		if isObject(r) {
			res = v.c.keep(lib.XJS_PromiseResult(v.c.rt.tls, v.c.ptr, r))
		}
		return nil
	})
	return res
}

// MayBeThenable reports whether resolving a promise with the value could do more
// than fulfil it. It is false for what is no object, and for plain data - an
// object or array that, like its prototypes, is ordinary and has no member then.
// It runs no guest code.
func (v Value) MayBeThenable() bool {
	r := v.raw()
	may := false
	v.c.mustOp(func() error {
		may = isObject(r) && !withoutThen(pointer(r))
		return nil
	})
	return may
}

func withoutThen(p uintptr) bool {
	for n := 0; p != 0; p, n = protoOf(p), n+1 {
		switch classOfObject(p) {
		case lib.EJS_CLASS_OBJECT:
			if flagsOf(p)&flagExotic != 0 {
				return false
			}
		case lib.EJS_CLASS_ARRAY:
		default:
			return false
		}
		if n > plainDepth || hasProp(p, lib.EJS_ATOM_then) {
			return false
		}
	}
	return true
}

// Deferred is a promise that the host settles. Its three handles are owned.
type Deferred struct {
	Promise         Value
	resolve, reject Value
}

// Deferred makes a promise with the intrinsic constructor, whatever the guest
// did to Promise (JS_NewPromiseCapability).
func (c *Context) Deferred() (d Deferred, err error) {
	err = c.op(func() error {
		at := c.rt.hand + handValues
		p := lib.XJS_NewPromiseCapability(c.rt.tls, c.ptr, at)
		if isException(p) {
			return c.takeException()
		}
		d = Deferred{c.keep(p), c.keep(loadValue(at)), c.keep(loadValue(at + sizeofValue))}
		return nil
	})
	return d, err
}

// Resolve settles the promise with v, which stays the caller's. Resolving with
// an object reads its then member, which may run guest code (ECMA-262 promise
// resolve functions). The reactions run as jobs.
func (d Deferred) Resolve(v Value) error { return d.settle(d.resolve, v) }

// Reject settles the promise with a reason, which stays the caller's. It runs no
// guest code itself.
func (d Deferred) Reject(reason Value) error { return d.settle(d.reject, reason) }

func (d Deferred) settle(how, v Value) error {
	c := how.c
	fn, arg := how.raw(), v.rawFor(c)
	return c.op(func() error {
		argv := c.rt.arena.heap.malloc(uint64(sizeofValue))
		storeValue(argv, arg)
		r := lib.XJS_Call(c.rt.tls, c.ptr, fn, jsUndefined, 1, argv)
		c.rt.arena.heap.free(argv)
		if isException(r) {
			return c.takeException()
		}
		lib.XFreeValue(c.rt.tls, c.ptr, r)
		return nil
	})
}

// Free gives the handles back. A promise that was not settled stays pending for
// good.
func (d Deferred) Free() {
	d.Promise.Free()
	d.resolve.Free()
	d.reject.Free()
}
