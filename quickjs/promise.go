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
	r, err := how.Call(how.c.Undefined(), v)
	if err == nil {
		r.Free()
	}
	return err
}

// Free gives the handles back. A promise that was not settled stays pending for
// good.
func (d Deferred) Free() {
	d.Promise.Free()
	d.resolve.Free()
	d.reject.Free()
}
