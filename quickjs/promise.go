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
	v.c.rt.peek(func() {
		if isObject(r) {
			s = PromiseState(lib.XJS_PromiseState(v.c.rt.tls, v.c.ptr, r))
		}
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
	v.c.rt.peek(func() { may = isObject(r) && !withoutThen(pointer(r)) })
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

// Deferred is a promise that the host settles. Its handle is owned.
type Deferred struct {
	Promise Value
}

// Deferred makes a promise of the intrinsic class, whatever the guest did to
// Promise.
func (c *Context) Deferred() (d Deferred, err error) {
	err = c.op(func() error {
		d.Promise, err = c.own(c.newPromise(Pending, jsUndefined))
		return err
	})
	return d, err
}

// Fulfilled makes a promise of the intrinsic class that is fulfilled with v, as it
// is: no member then is read. V stays the caller's.
func (c *Context) Fulfilled(v Value) (p Value, err error) {
	r := v.rawFor(c)
	err = c.op(func() error {
		p, err = c.own(c.newPromise(Fulfilled, lib.XDupValue(c.rt.tls, c.ptr, r)))
		return err
	})
	return p, err
}

// Resolve settles the promise with v, which stays the caller's. Resolving with
// an object reads its then member, which may run guest code (ECMA-262 promise
// resolve functions). The reactions run as jobs. A promise is settled once:
// resolve and reject it no more than that.
func (d Deferred) Resolve(v Value) error { return d.settle(settleResolve, v) }

// Reject settles the promise with a reason, which stays the caller's. It runs no
// guest code itself.
func (d Deferred) Reject(reason Value) error { return d.settle(settleReject, reason) }

func (d Deferred) settle(how int, v Value) error {
	c := d.Promise.c
	p, arg := d.Promise.raw(), v.rawFor(c)
	return c.op(func() error { return c.settle(p, how, arg) })
}

// Free gives the handle back. A promise that was not settled stays pending for
// good.
func (d Deferred) Free() { d.Promise.Free() }
