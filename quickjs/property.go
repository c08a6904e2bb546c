package quickjs

import (
	"errors"
	"fmt"
	"math"

	lib "modernc.org/libquickjs"
)

// Property is an own property as a descriptor. Value, Getter and Setter are
// owned handles; those that do not apply are the zero Value.
type Property struct {
	Value          Value // of a data property
	Getter, Setter Value // of an accessor; undefined when absent
	Accessor       bool
	Writable       bool
	Enumerable     bool
	Configurable   bool
}

// Free gives the handles back.
func (p Property) Free() {
	for _, v := range []Value{p.Value, p.Getter, p.Setter} {
		if v.c != nil {
			v.Free()
		}
	}
}

// ownProperty reads a descriptor of an object into Go. The caller frees it.
func (c *Context) ownProperty(obj jsValue, name string) (d lib.TJSPropertyDescriptor, ok bool, err error) {
	err = c.withAtom(name, func(a lib.TJSAtom) error {
		d, ok, err = c.ownPropertyAtom(obj, a)
		return err
	})
	return d, ok, err
}

func (c *Context) ownPropertyAtom(obj jsValue, a lib.TJSAtom) (d lib.TJSPropertyDescriptor, ok bool, err error) {
	at := c.rt.hand + handDesc
	switch lib.XJS_GetOwnProperty(c.rt.tls, c.ptr, at, obj, a) {
	case 0:
		return d, false, nil
	case 1:
		return *(*lib.TJSPropertyDescriptor)(address(at)), true, nil
	}
	return d, false, c.takeException()
}

func (c *Context) freeDescriptor(d lib.TJSPropertyDescriptor) {
	for _, v := range []jsValue{d.Fvalue, d.Fgetter, d.Fsetter} {
		lib.XFreeValue(c.rt.tls, c.ptr, v)
	}
}

// withAtom runs f with the atom of a property name. There is no defer here or
// in any operation: a stop that passes through must find no engine call left to
// make.
func (c *Context) withAtom(name string, f func(lib.TJSAtom) error) error {
	a := c.atom(name)
	if a == lib.MJS_ATOM_NULL {
		return c.takeException()
	}
	err := f(a)
	lib.XJS_FreeAtom(c.rt.tls, c.ptr, a)
	return err
}

// OwnProperty returns the named own property, and whether there is one. On a
// proxy it runs the guest's trap; ask IsProxy first where that matters
// (JS_GetOwnProperty, ECMA-262 [[GetOwnProperty]]).
func (v Value) OwnProperty(name string) (p Property, ok bool, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		if !isObject(r) {
			return nil
		}
		d, found, err := c.ownProperty(r, name)
		if err != nil || !found {
			return err
		}
		ok = true
		p = Property{
			Accessor:     d.Fflags&lib.MJS_PROP_GETSET != 0,
			Writable:     d.Fflags&lib.MJS_PROP_WRITABLE != 0,
			Enumerable:   d.Fflags&lib.MJS_PROP_ENUMERABLE != 0,
			Configurable: d.Fflags&lib.MJS_PROP_CONFIGURABLE != 0,
		}
		if p.Accessor {
			p.Getter, p.Setter = c.keep(d.Fgetter), c.keep(d.Fsetter)
		} else {
			p.Value = c.keep(d.Fvalue)
		}
		return nil
	})
	return p, ok, err
}

// Get returns a property, inherited or own. It may run guest code: getters and
// traps (JS_GetProperty).
func (v Value) Get(name string) (p Value, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		return c.withAtom(name, func(a lib.TJSAtom) error {
			p, err = c.own(lib.XJS_GetPropertyInternal(c.rt.tls, c.ptr, r, a, r, 0))
			return err
		})
	})
	return p, err
}

// Index returns an element. It may run guest code (JS_GetPropertyUint32).
func (v Value) Index(i uint32) (p Value, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		p, err = c.own(lib.XJS_GetPropertyUint32(c.rt.tls, c.ptr, r, i))
		return err
	})
	return p, err
}

// Set assigns a property as strict code would. The value stays the caller's.
// It may run guest code: setters and traps (JS_SetProperty).
func (v Value) Set(name string, to Value) error {
	r, w := v.raw(), to.rawFor(v.c)
	c := v.c
	return c.rt.op(func() error {
		return c.withAtom(name, func(a lib.TJSAtom) error {
			return c.done(lib.XJS_SetPropertyInternal(c.rt.tls, c.ptr, r, a, lib.XDupValue(c.rt.tls, c.ptr, w), r, lib.MJS_PROP_THROW))
		})
	})
}

// SetIndex assigns an element as Set does (JS_SetPropertyUint32).
func (v Value) SetIndex(i uint32, to Value) error {
	r, w := v.raw(), to.rawFor(v.c)
	c := v.c
	return c.rt.op(func() error {
		return c.done(lib.XJS_SetPropertyUint32(c.rt.tls, c.ptr, r, i, lib.XDupValue(c.rt.tls, c.ptr, w)))
	})
}

// Flags of a defined property.
type Flags int32

// The flags; combine them with |.
const (
	Writable     Flags = lib.MJS_PROP_WRITABLE
	Enumerable   Flags = lib.MJS_PROP_ENUMERABLE
	Configurable Flags = lib.MJS_PROP_CONFIGURABLE
	// Ordinary is what assignment gives.
	Ordinary = Writable | Enumerable | Configurable
)

// Define makes or replaces an own data property, whatever setters are
// inherited. On a proxy it runs the guest's trap (JS_DefinePropertyValue).
func (v Value) Define(name string, to Value, f Flags) error {
	r, w := v.raw(), to.rawFor(v.c)
	c := v.c
	return c.rt.op(func() error {
		return c.withAtom(name, func(a lib.TJSAtom) error {
			return c.done(lib.XJS_DefinePropertyValue(c.rt.tls, c.ptr, r, a, lib.XDupValue(c.rt.tls, c.ptr, w), int32(f)|lib.MJS_PROP_THROW))
		})
	})
}

// Delete removes an own property as strict code would (JS_DeleteProperty).
func (v Value) Delete(name string) error {
	r := v.raw()
	c := v.c
	return c.rt.op(func() error {
		return c.withAtom(name, func(a lib.TJSAtom) error {
			return c.done(lib.XJS_DeleteProperty(c.rt.tls, c.ptr, r, a, lib.MJS_PROP_THROW))
		})
	})
}

// Has reports whether the property exists, inherited or own (JS_HasProperty).
func (v Value) Has(name string) (has bool, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		return c.withAtom(name, func(a lib.TJSAtom) error {
			n := lib.XJS_HasProperty(c.rt.tls, c.ptr, r, a)
			has = n > 0
			return c.done(n)
		})
	})
	return has, err
}

// OwnKeysMax is OwnKeys for the first max names, as long as they have no more
// than that many UTF-16 units together. When they have, it returns those before
// and ErrTooLarge: a name can be as long as the arena, and many objects can have
// the same.
func (v Value) OwnKeysMax(enumerable bool, max, units int) (names []string, err error) {
	return v.ownKeys(enumerable, max, units)
}

// OwnKeys returns the names of own properties that are strings, in order; with
// enumerable set, only those that are enumerable. On a proxy it runs the guest's
// trap (JS_GetOwnPropertyNames).
func (v Value) OwnKeys(enumerable bool) (names []string, err error) {
	return v.ownKeys(enumerable, math.MaxInt, math.MaxInt)
}

var errEnough = errors.New("quickjs: enough names")

func (v Value) ownKeys(enumerable bool, max, units int) (names []string, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		if !isObject(r) {
			return nil
		}
		flags := int32(lib.MJS_GPN_STRING_MASK)
		if enumerable {
			flags |= lib.MJS_GPN_ENUM_ONLY
		}
		err := c.eachKey(r, flags, func(a lib.TJSAtom) error {
			if len(names) >= max {
				return errEnough
			}
			s := lib.XJS_AtomToString(c.rt.tls, c.ptr, a)
			if isException(s) {
				return c.takeException()
			}
			if units -= stringLen(s); units < 0 {
				lib.XFreeValue(c.rt.tls, c.ptr, s)
				return ErrTooLarge
			}
			text, _ := c.text(s, MaxString)
			names = append(names, text)
			lib.XFreeValue(c.rt.tls, c.ptr, s)
			return nil
		})
		if err == errEnough {
			return nil
		}
		return err
	})
	return names, err
}

// Prototype returns the prototype, owned; null when there is none. On a proxy it
// runs the guest's trap (JS_GetPrototype).
func (v Value) Prototype() (p Value, err error) {
	r := v.raw()
	c := v.c
	err = c.rt.op(func() error {
		p, err = c.own(lib.XJS_GetPrototype(c.rt.tls, c.ptr, r))
		return err
	})
	return p, err
}

// InstanceOf reports whether v instanceof class. It may run guest code
// (JS_IsInstanceOf).
func (v Value) InstanceOf(class Value) (is bool, err error) {
	a, b := v.raw(), class.rawFor(v.c)
	c := v.c
	err = c.rt.op(func() error {
		n := lib.XJS_IsInstanceOf(c.rt.tls, c.ptr, a, b)
		is = n > 0
		return c.done(n)
	})
	return is, err
}

// Object makes an empty object (JS_NewObject).
func (c *Context) Object() (v Value, err error) {
	err = c.op(func() error {
		v, err = c.own(lib.XJS_NewObject(c.rt.tls, c.ptr))
		return err
	})
	return v, err
}

// ObjectWithProto makes an empty object with the given prototype, an object or
// null (JS_NewObjectProto).
func (c *Context) ObjectWithProto(proto Value) (v Value, err error) {
	p := proto.rawFor(c)
	if k := kindOf(p); k != KindObject && k != KindNull {
		return Value{}, fmt.Errorf("quickjs: a prototype must be an object or null, not %v", k)
	}
	err = c.op(func() error {
		v, err = c.own(lib.XJS_NewObjectProto(c.rt.tls, c.ptr, p))
		return err
	})
	return v, err
}

// Array makes an array of the given values, which stay the caller's
// (JS_NewArray).
func (c *Context) Array(items ...Value) (v Value, err error) {
	raw := make([]jsValue, len(items))
	for i, item := range items {
		raw[i] = item.rawFor(c)
	}
	err = c.op(func() error {
		a := lib.XJS_NewArray(c.rt.tls, c.ptr)
		if isException(a) {
			return c.takeException()
		}
		for i, item := range raw {
			n := lib.XJS_DefinePropertyValueUint32(c.rt.tls, c.ptr, a, uint32(i), lib.XDupValue(c.rt.tls, c.ptr, item), int32(Ordinary))
			if n < 0 {
				lib.XFreeValue(c.rt.tls, c.ptr, a)
				return c.takeException()
			}
		}
		v = c.keep(a)
		return nil
	})
	return v, err
}

// done turns the result of an engine call that says -1 for an exception into an
// error.
func (c *Context) done(n int32) error {
	if n < 0 {
		return c.takeException()
	}
	return nil
}
