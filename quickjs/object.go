package quickjs

import (
	lib "modernc.org/libquickjs"
)

// DefineAccessor makes or replaces an own accessor property; a getter or setter
// may be undefined. Of the flags, Writable means nothing here. On a proxy it runs
// the guest's trap (JS_DefinePropertyGetSet).
func (v Value) DefineAccessor(name string, getter, setter Value, f Flags) error {
	c := v.c
	r, g, s := v.raw(), getter.rawFor(c), setter.rawFor(c)
	return c.rt.op(func() error {
		return c.withAtom(name, func(a lib.TJSAtom) error {
			return c.done(lib.XJS_DefineProperty(c.rt.tls, c.ptr, r, a, jsUndefined, g, s, accessorFlags(f)|lib.MJS_PROP_THROW))
		})
	})
}

// accessorFlags says that both functions and both flags are given.
func accessorFlags(f Flags) int32 {
	return int32(f)&^lib.MJS_PROP_WRITABLE | lib.MJS_PROP_HAS_GET | lib.MJS_PROP_HAS_SET |
		lib.MJS_PROP_HAS_CONFIGURABLE | lib.MJS_PROP_HAS_ENUMERABLE
}

// GetKey returns a property by a key that is any value: a symbol, or what
// ToPropertyKey makes of it. It may run guest code (JS_GetProperty).
func (v Value) GetKey(key Value) (p Value, err error) {
	c := v.c
	r, k := v.raw(), key.rawFor(c)
	err = c.rt.op(func() error {
		return c.withKey(k, func(a lib.TJSAtom) error {
			p, err = c.own(lib.XJS_GetPropertyInternal(c.rt.tls, c.ptr, r, a, r, 0))
			return err
		})
	})
	return p, err
}

// DefineKey is Define by a key that is any value. See GetKey.
func (v Value) DefineKey(key, to Value, f Flags) error {
	c := v.c
	r, k, w := v.raw(), key.rawFor(c), to.rawFor(c)
	return c.rt.op(func() error {
		return c.withKey(k, func(a lib.TJSAtom) error {
			return c.done(lib.XJS_DefinePropertyValue(c.rt.tls, c.ptr, r, a, lib.XDupValue(c.rt.tls, c.ptr, w), int32(f)|lib.MJS_PROP_THROW))
		})
	})
}

func (c *Context) withKey(key jsValue, f func(lib.TJSAtom) error) error {
	a := lib.XJS_ValueToAtom(c.rt.tls, c.ptr, key)
	if a == lib.MJS_ATOM_NULL {
		return c.takeException()
	}
	err := f(a)
	lib.XJS_FreeAtom(c.rt.tls, c.ptr, a)
	return err
}

// wellKnown are the engine's atoms of well-known symbols.
var wellKnown = map[string]lib.TJSAtom{
	"asyncIterator": lib.EJS_ATOM_Symbol_asyncIterator,
	"hasInstance":   lib.EJS_ATOM_Symbol_hasInstance,
	"iterator":      lib.EJS_ATOM_Symbol_iterator,
	"species":       lib.EJS_ATOM_Symbol_species,
	"toPrimitive":   lib.EJS_ATOM_Symbol_toPrimitive,
	"toStringTag":   lib.EJS_ATOM_Symbol_toStringTag,
	"unscopables":   lib.EJS_ATOM_Symbol_unscopables,
}

// Symbol returns the well-known symbol of that name, such as "iterator"; it
// panics for a name that it does not know. It reads nothing that a guest could
// have changed.
func (c *Context) Symbol(name string) Value {
	a, ok := wellKnown[name]
	if !ok {
		panic("quickjs: there is no well-known symbol " + name)
	}
	var v Value
	c.mustOp(func() error {
		v = c.keep(lib.XJS_AtomToValue(c.rt.tls, c.ptr, a))
		return nil
	})
	return v
}

// PreventExtensions keeps new own properties off an object, as strict code would
// (JS_PreventExtensions). On a proxy it runs the guest's trap.
func (v Value) PreventExtensions() error {
	c := v.c
	r := v.raw()
	return c.rt.op(func() error { return c.preventExtensions(r) })
}

func (c *Context) preventExtensions(r jsValue) error {
	n := lib.XJS_PreventExtensions(c.rt.tls, c.ptr, r)
	if n == 0 {
		throwTypeError(c.rt.tls, c.ptr, "object cannot be made inextensible")
		n = -1
	}
	return c.done(n)
}

// IsExtensible reports whether an object takes new own properties; false for
// what is no object. On a proxy it runs the guest's trap (JS_IsExtensible).
func (v Value) IsExtensible() (is bool, err error) {
	c := v.c
	r := v.raw()
	err = c.rt.op(func() error {
		n := lib.XJS_IsExtensible(c.rt.tls, c.ptr, r)
		is = n > 0
		return c.done(n)
	})
	return is, err
}

// Freeze makes an object inextensible and all its own properties, symbols
// included, fixed (ECMA-262 SetIntegrityLevel frozen). On a proxy it runs the
// guest's traps.
func (v Value) Freeze() error {
	c := v.c
	r := v.raw()
	return c.rt.op(func() error {
		if !isObject(r) {
			return nil
		}
		if err := c.preventExtensions(r); err != nil {
			return err
		}
		return c.eachKey(r, lib.MJS_GPN_STRING_MASK|lib.MJS_GPN_SYMBOL_MASK, func(a lib.TJSAtom) error {
			d, ok, err := c.ownPropertyAtom(r, a)
			if err != nil || !ok {
				return err
			}
			flags := int32(lib.MJS_PROP_HAS_CONFIGURABLE | lib.MJS_PROP_THROW)
			if d.Fflags&lib.MJS_PROP_GETSET == 0 {
				flags |= lib.MJS_PROP_HAS_WRITABLE
			}
			c.freeDescriptor(d)
			return c.done(lib.XJS_DefineProperty(c.rt.tls, c.ptr, r, a, jsUndefined, jsUndefined, jsUndefined, flags))
		})
	})
}

// eachKey calls f with the atom of each own key of an object, borrowed.
func (c *Context) eachKey(obj jsValue, flags int32, f func(lib.TJSAtom) error) error {
	tab, n := c.rt.hand+handLen+8, c.rt.hand+handLen
	if err := c.done(lib.XJS_GetOwnPropertyNames(c.rt.tls, c.ptr, tab, n, obj, flags)); err != nil {
		return err
	}
	list, count := loadWord(tab), *(*uint32)(address(n))
	var err error
	for i := uintptr(0); i < uintptr(count) && err == nil; i++ {
		err = f((*lib.TJSPropertyEnum)(address(list + i*sizeofPropertyEnum)).Fatom)
	}
	lib.XJS_FreePropertyEnum(c.rt.tls, c.ptr, list, count)
	return err
}

// ClassName returns the name of an object's built-in class, such as "Map", as
// the engine knows it; "" for what is no object. No guest can change it, and a
// proxy is "Proxy" or "Object" by what the engine calls it. It runs no guest
// code.
func (v Value) ClassName() string {
	c := v.c
	r := v.raw()
	name := ""
	c.rt.mustOp(func() error {
		if !isObject(r) {
			return nil
		}
		s := lib.XJS_AtomToString(c.rt.tls, c.ptr, classAtom(c.rt.ptr, classOf(r)))
		name, _ = c.text(s, 256)
		lib.XFreeValue(c.rt.tls, c.ptr, s)
		return nil
	})
	return name
}

// Namespace returns the namespace object of a module, which Compile returned and
// which was Run or imported (JS_GetModuleNamespace, ECMA-262
// GetModuleNamespace).
func (v Value) Namespace() (ns Value, err error) {
	c := v.c
	r := v.raw()
	if tag(r) != lib.EJS_TAG_MODULE {
		return Value{}, errNotModule
	}
	err = c.rt.op(func() error {
		if !moduleLinked(pointer(r)) {
			return errNotModule
		}
		ns, err = c.own(lib.XJS_GetModuleNamespace(c.rt.tls, c.ptr, pointer(r)))
		return err
	})
	return ns, err
}
