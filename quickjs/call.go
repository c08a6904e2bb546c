package quickjs

import (
	lib "modernc.org/libquickjs"
)

// Call calls a function. Arguments stay the caller's. It runs guest code and
// may block for as long as that runs; a throw is an [*Exception] (JS_Call,
// ECMA-262 Call).
func (v Value) Call(this Value, args ...Value) (r Value, err error) {
	c := v.c
	fn, self := v.raw(), this.rawFor(c)
	c.check(args)
	err = c.rt.op(func() error {
		argv := c.arguments(args)
		r, err = c.own(lib.XJS_Call(c.rt.tls, c.ptr, fn, self, int32(len(args)), argv))
		c.freeArguments(argv, args)
		return err
	})
	return r, err
}

// New calls a function as a constructor. See Call (JS_CallConstructor).
func (v Value) New(args ...Value) (r Value, err error) {
	c := v.c
	fn := v.raw()
	c.check(args)
	err = c.rt.op(func() error {
		argv := c.arguments(args)
		r, err = c.own(lib.XJS_CallConstructor(c.rt.tls, c.ptr, fn, int32(len(args)), argv))
		c.freeArguments(argv, args)
		return err
	})
	return r, err
}

// check panics for a value that cannot be used here, before the engine is
// entered.
func (c *Context) check(args []Value) {
	for _, a := range args {
		a.rawFor(c)
	}
}

// arguments puts values in a row in C memory; they stay borrowed.
func (c *Context) arguments(args []Value) uintptr {
	if len(args) == 0 {
		return c.rt.hand
	}
	p := c.rt.arena.heap.malloc(uint64(len(args)) * uint64(sizeofValue))
	for i, a := range args {
		storeValue(p+uintptr(i)*sizeofValue, a.rawFor(c))
	}
	return p
}

func (c *Context) freeArguments(p uintptr, args []Value) {
	if len(args) != 0 {
		c.rt.arena.heap.free(p)
	}
}

// Throw makes the guest catch v: return its error from a [Func]. Outside one it
// is an error like any other.
func (v Value) Throw() error {
	return &Exception{Value: v.Dup()}
}
