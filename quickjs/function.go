package quickjs

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// Func is a Go function that a guest can call. It runs on the guest's goroutine
// with the guest standing still, inside its budget, and may use the Runtime.
//
// This and args are borrowed, the slice too: they end with the call, and Dup
// keeps a value longer.
// The result is taken over; the zero Value means undefined. An [*Exception]
// error is thrown as its value, any other as an Error with the error's text. A
// panic ends the guest at once, uncatchably, and is raised again by Do.
type Func func(c *Context, this Value, args []Value) (Value, error)

const maxFunctions = math.MaxInt16 // the engine keeps the number in 16 bits, with a sign

// Function makes a function object that calls f (JS_NewCFunction2). The name
// and length are what the guest sees. It is no constructor: new is a TypeError. A Runtime can make 32,767 of them between
// two rewinds.
func (c *Context) Function(name string, length int, f Func) (v Value, err error) {
	if f == nil {
		return Value{}, errors.New("quickjs: Function of nil")
	}
	rt := c.rt
	if len(rt.natives) >= maxFunctions {
		return Value{}, fmt.Errorf("quickjs: more than %d Go functions in one Runtime", maxFunctions)
	}
	err = c.op(func() error {
		rt.withText(name, func(p uintptr) {
			v, err = c.own(lib.XJS_NewCFunction2(rt.tls, c.ptr, engineFunc(callNative), p, int32(length), lib.EJS_CFUNC_generic_magic, int32(len(rt.natives))))
		})
		if err == nil {
			rt.natives = append(rt.natives, f)
		}
		return err
	})
	return v, err
}

// callNative is where the engine enters Go functions: the trampoline.
func callNative(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue {
	rt := runtimeAt(lib.XJS_GetRuntimeOpaque(tls, engineContext(ctx).Frt))
	c := rt.contextAt(ctx)
	if int(magic) >= len(rt.natives) || magic < 0 {
		panic(damaged("function number"))
	}
	return c.callGo(rt.natives[magic], this, argc, argv)
}

// callGo calls a Go function with borrowed values. The caller is the engine.
func (c *Context) callGo(f Func, this jsValue, argc int32, argv uintptr) jsValue {
	rt := c.rt
	// Each argument takes a handle, and calls may be nested.
	size := int64(argc) * int64(unsafe.Sizeof(slot{})+unsafe.Sizeof(Value{}))
	if rt.copied+size > rt.limits.Stack*frameBudget {
		return throwInternalError(rt.tls, c.ptr, "stack overflow")
	}
	rt.copied += size
	base := len(rt.args)
	for i := range uintptr(argc) {
		rt.args = append(rt.args, c.borrow(loadValue(argv+i*sizeofValue)))
	}
	args := rt.args[base:len(rt.args):len(rt.args)]
	self := c.borrow(this)
	r, err := jsUndefined, error(nil)
	rt.host(func() {
		var result Value
		if result, err = f(c, self, args); err == nil && result.c != nil {
			r = result.rawFor(c)
			if result.slot >= slotConstants {
				// Its reference goes to the engine, unless it is somebody else's: one
				// of the arguments.
				if rt.table.slots[result.slot].borrowed {
					result = result.Dup()
				}
				rt.table.release(result.slot)
			}
		}
	})
	if err != nil {
		r = c.throwError(err)
	}
	rt.table.release(self.slot)
	for _, a := range args {
		rt.table.release(a.slot)
	}
	clear(args)
	rt.args = rt.args[:base]
	rt.copied -= size
	return r
}

// throwError makes err the pending exception and returns the marker.
func (c *Context) throwError(err error) jsValue {
	rt := c.rt
	var e *Exception
	if errors.As(err, &e) && e.Value.c != nil && e.Value.c.rt == rt && e.Value.IsValid() {
		v := lib.XDupValue(rt.tls, c.ptr, e.Value.raw())
		if e.Value.slot >= slotConstants && !rt.table.slots[e.Value.slot].borrowed {
			old, _ := rt.table.release(e.Value.slot)
			lib.XFreeValue(rt.tls, c.ptr, old)
		}
		return lib.XJS_Throw(rt.tls, c.ptr, v)
	}
	obj := lib.XJS_NewError(rt.tls, c.ptr)
	if isException(obj) {
		return obj
	}
	text := c.newString(toValid(err.Error()))
	if isException(text) {
		return text
	}
	if c.withAtom("message", func(a lib.TJSAtom) error {
		return c.done(lib.XJS_DefinePropertyValue(rt.tls, c.ptr, obj, a, text, int32(Writable|Configurable)))
	}) != nil {
		return jsException
	}
	return lib.XJS_Throw(rt.tls, c.ptr, obj)
}

// Error makes a native Error with the given message as an own, writable,
// configurable and not enumerable property, as its constructor would, but
// without running anything (JS_NewError).
func (c *Context) Error(message string) (v Value, err error) {
	err = c.op(func() error {
		v, err = c.own(lib.XJS_NewError(c.rt.tls, c.ptr))
		return err
	})
	if err != nil {
		return v, err
	}
	text, err := c.String(message)
	if err == nil {
		err = v.Define("message", text, Writable|Configurable)
		text.Free()
	}
	if err != nil {
		v.Free()
		return Value{}, err
	}
	return v, nil
}
