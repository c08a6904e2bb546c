package quickjs

import (
	"fmt"

	lib "modernc.org/libquickjs"
)

// Value is a handle to a guest value: a slot in its Runtime's table and the
// generation the slot had. It is comparable, costs no allocation, and is found
// out when it is stale. Two handles to one value need not be equal; ask
// StrictEqual.
//
// A Value that a function of this package returned is owned: Free it, or let
// Rewind or Close take it. Free is idempotent. Arguments of a Go function that
// the guest called are borrowed: they end with the call, and Dup keeps one
// longer. Undefined, null, true and false need no Free.
//
// Methods of a Value may be called wherever its Runtime may be used; using a
// freed or rewound one, or one of another Runtime, panics.
type Value struct {
	c    *Context
	slot uint32
	gen  uint32
}

// Context returns the realm the handle was made in.
func (v Value) Context() *Context { return v.c }

// IsValid reports whether the handle may be used: it was made, and is neither
// freed nor from before a rewind that it did not survive.
func (v Value) IsValid() bool {
	if v.c == nil || v.c.rt.closed || int(v.slot) >= len(v.c.rt.table.slots) {
		return false
	}
	s := &v.c.rt.table.slots[v.slot]
	return s.used && s.gen == v.gen
}

// raw returns the engine's value, borrowed from the table.
func (v Value) raw() jsValue {
	if v.c == nil {
		panic("quickjs: use of the zero Value; it belongs to no Context")
	}
	if !v.IsValid() {
		panic("quickjs: use of a stale Value: it was freed, or its Runtime was rewound or closed")
	}
	return v.c.rt.table.slots[v.slot].value
}

// rawFor is raw for a value that goes into an operation on another Context.
func (v Value) rawFor(c *Context) jsValue {
	r := v.raw()
	if v.c.rt != c.rt {
		panic("quickjs: use of a Value of another Runtime")
	}
	return r
}

// keep makes a handle of a reference it takes over.
func (c *Context) keep(v jsValue) Value {
	switch tag(v) {
	case lib.EJS_TAG_UNDEFINED:
		return c.Undefined()
	case lib.EJS_TAG_NULL:
		return c.Null()
	case lib.EJS_TAG_BOOL:
		return c.Bool(intOf(v) != 0)
	case lib.EJS_TAG_EXCEPTION, lib.EJS_TAG_UNINITIALIZED:
		panic(damaged("value that is none"))
	}
	i, gen := c.rt.table.keep(v, false)
	return Value{c, i, gen}
}

// borrow makes a handle of a reference that stays somebody else's. The caller
// releases its slot.
func (c *Context) borrow(v jsValue) Value {
	i, gen := c.rt.table.keep(v, true)
	return Value{c, i, gen}
}

// Free gives the reference back. It may run no guest code: finalization
// callbacks are jobs. Freeing twice, after a rewind, or what is borrowed, does
// nothing.
func (v Value) Free() {
	if v.slot < slotConstants || !v.IsValid() || v.c.rt.table.slots[v.slot].borrowed {
		return
	}
	rt := v.c.rt
	if rt.left || !isCounted(rt.table.slots[v.slot].value) {
		rt.table.release(v.slot) // nothing of the engine is called any more, or needed
		return
	}
	_ = rt.surely(func() error {
		r, _ := rt.table.release(v.slot)
		lib.XFreeValue(rt.tls, v.c.ptr, r)
		return nil
	})
}

// Dup returns a second, owned handle to the same value (JS_DupValue).
func (v Value) Dup() Value {
	if v.slot < slotConstants {
		_ = v.raw()
		return v
	}
	r := v.raw()
	v.c.rt.peek(func() { lib.XDupValue(v.c.rt.tls, v.c.ptr, r) })
	return v.c.keep(r)
}

// mustOp is op for operations that a guest cannot make fail. Inside a Do a stop
// travels on as a panic; outside there is no budget that could cause one, and
// what is left is a Runtime that was stopped before.
func (rt *Runtime) mustOp(f func() error) {
	if err := rt.surely(f); err != nil {
		panic(fmt.Sprintf("quickjs: use of a Runtime that is not usable: %v", err))
	}
}

// Undefined, Null and Bool return constants, which need no Free.
func (c *Context) Undefined() Value { return Value{c, slotUndefined, 0} }

// Null returns the constant null.
func (c *Context) Null() Value { return Value{c, slotNull, 0} }

// Bool returns the constant true or false.
func (c *Context) Bool(b bool) Value {
	if b {
		return Value{c, slotTrue, 0}
	}
	return Value{c, slotFalse, 0}
}

// Number returns a number.
func (c *Context) Number(f float64) Value { return c.keep(jsNumber(f)) }

// Int returns a number that is whole.
func (c *Context) Int(n int32) Value { return c.keep(jsInt(n)) }

// Kind is the type of a value, finer than typeof.
type Kind uint8

// The kinds.
const (
	KindUndefined Kind = iota
	KindNull
	KindBool
	KindNumber
	KindBigInt
	KindString
	KindSymbol
	KindObject // functions, arrays and all else that is an object
	KindOther  // engine values that no guest sees: modules, compiled code
)

var kindNames = [...]string{"undefined", "null", "boolean", "number", "bigint", "string", "symbol", "object", "other"}

// String returns the kind's name.
func (k Kind) String() string { return kindNames[k] }

// Kind returns the type of the value. It runs no guest code.
func (v Value) Kind() Kind { return kindOf(v.raw()) }

func kindOf(v jsValue) Kind {
	switch tag(v) {
	case lib.EJS_TAG_UNDEFINED:
		return KindUndefined
	case lib.EJS_TAG_NULL:
		return KindNull
	case lib.EJS_TAG_BOOL:
		return KindBool
	case lib.EJS_TAG_INT, lib.EJS_TAG_FLOAT64:
		return KindNumber
	case lib.EJS_TAG_BIG_INT, lib.EJS_TAG_SHORT_BIG_INT:
		return KindBigInt
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		return KindString
	case lib.EJS_TAG_SYMBOL:
		return KindSymbol
	case lib.EJS_TAG_OBJECT:
		return KindObject
	}
	return KindOther
}

// IsUndefined reports whether the value is undefined.
func (v Value) IsUndefined() bool { return v.Kind() == KindUndefined }

// IsFunction reports whether the value can be called (JS_IsFunction). A proxy
// of a function is one.
func (v Value) IsFunction() bool {
	r := v.raw()
	is := false
	v.c.rt.mustOp(func() error { is = lib.XJS_IsFunction(v.c.rt.tls, v.c.ptr, r) != 0; return nil })
	return is
}

// IsError reports whether the value has the native error brand (JS_IsError). No
// proxy has it.
func (v Value) IsError() bool {
	r := v.raw()
	is := false
	v.c.rt.mustOp(func() error { is = lib.XJS_IsError(v.c.rt.tls, v.c.ptr, r) != 0; return nil })
	return is
}

// IsProxy reports whether the value is a Proxy object. The guest cannot tell.
func (v Value) IsProxy() bool { return v.hasClass(lib.EJS_CLASS_PROXY) }

// IsPromise reports whether the value is a native promise. No proxy is one.
func (v Value) IsPromise() bool { return v.hasClass(lib.EJS_CLASS_PROMISE) }

// IsArray reports whether the value is an array exotic object. Unlike
// Array.isArray it does not look through a proxy.
func (v Value) IsArray() bool { return v.hasClass(lib.EJS_CLASS_ARRAY) }

func (v Value) hasClass(class uint16) bool {
	r := v.raw()
	is := false
	v.c.rt.peek(func() { is = isObject(r) && classOf(r) == class })
	return is
}

// Bool returns the value as a boolean (ECMA-262 ToBoolean); it runs no guest
// code.
func (v Value) Bool() bool {
	r := v.raw()
	is := false
	v.c.rt.mustOp(func() error { is = lib.XJS_ToBool(v.c.rt.tls, v.c.ptr, r) > 0; return nil })
	return is
}

// Float returns the value of a number, and whether it is one. It converts
// nothing and runs no guest code.
func (v Value) Float() (f float64, ok bool) {
	switch r := v.raw(); tag(r) {
	case lib.EJS_TAG_INT:
		return float64(intOf(r)), true
	case lib.EJS_TAG_FLOAT64:
		return floatOf(r), true
	}
	return 0, false
}

// StrictEqual reports whether a === b (JS_StrictEq). It runs no guest code.
func (v Value) StrictEqual(w Value) bool {
	a, b := v.raw(), w.rawFor(v.c)
	is := false
	v.c.rt.mustOp(func() error { is = lib.XJS_StrictEq(v.c.rt.tls, v.c.ptr, a, b) != 0; return nil })
	return is
}

// SameValue reports whether Object.is(a, b) (JS_SameValue). It runs no guest
// code.
func (v Value) SameValue(w Value) bool {
	a, b := v.raw(), w.rawFor(v.c)
	is := false
	v.c.rt.mustOp(func() error { is = lib.XJS_SameValue(v.c.rt.tls, v.c.ptr, a, b) != 0; return nil })
	return is
}

// Identity returns a number that is the same for two handles to one object and
// different for two objects that live at the same time; zero for what is not an
// object. Keep the object alive for as long as the number means something.
func (v Value) Identity() uintptr {
	if r := v.raw(); isObject(r) {
		return pointer(r)
	}
	return 0
}
