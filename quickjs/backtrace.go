package quickjs

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// The engine writes an error's backtrace into its property "stack" when the error
// is made or first thrown, under a predefined atom. A guest may overwrite a
// property of that name, and the host needs to know where an error came from. So
// that atom is made a private name, as of a class's private members, before
// anything has used it: what the engine writes under it no guest can see, change
// or delete, and the text "stack" is interned anew like any other. For guests,
// stack becomes an accessor of Error.prototype that reads the private one, as it
// is in other engines.

const (
	atomPrivate = 1<<32 - 1 // type symbol, and the hash that marks private names
	atomHash    = 1<<30 - 1
)

// hideStack turns the predefined atom into a private name. Nothing has used it
// yet but the table of atoms.
func (rt *Runtime) hideStack() {
	const stack = lib.EJS_ATOM_stack
	r := engineRuntime(rt.ptr)
	atom := func(i uint32) *lib.TJSAtomStruct {
		return (*lib.TJSAtomStruct)(address(loadWord(r.Fatom_array + uintptr(i)*sizeofWord)))
	}
	p := atom(stack)
	link := (*uint32)(address(r.Fatom_hash + 4*uintptr(p.F__ccgo4&atomHash&uint32(r.Fatom_hash_size-1))))
	for *link != stack {
		if *link == 0 {
			panic(damaged("atom table"))
		}
		link = &atom(*link).Fhash_next
	}
	*link = p.Fhash_next
	p.Fhash_next = stack // a symbol's own number
	p.F__ccgo4 = atomPrivate
}

// defineStack gives Error.prototype its accessor.
func (c *Context) defineStack() error {
	tls := c.rt.tls
	ctor := lib.XJS_GetPropertyInternal(tls, c.ptr, engineContext(c.ptr).Fglobal_obj, lib.EJS_ATOM_Error, jsUndefined, 0)
	proto := lib.XJS_GetPropertyInternal(tls, c.ptr, ctor, lib.EJS_ATOM_prototype, ctor, 0)
	lib.XFreeValue(tls, c.ptr, ctor)
	err := c.withAtom("stack", func(a lib.TJSAtom) error {
		var get, set jsValue
		c.rt.withText("get stack", func(p uintptr) {
			get = lib.XJS_NewCFunction2(tls, c.ptr, engineFunc(stackGetter), p, 0, lib.EJS_CFUNC_generic, 0)
		})
		c.rt.withText("set stack", func(p uintptr) {
			set = lib.XJS_NewCFunction2(tls, c.ptr, engineFunc(stackSetter), p, 1, lib.EJS_CFUNC_generic, 0)
		})
		return c.done(lib.XJS_DefinePropertyGetSet(tls, c.ptr, proto, a, get, set, lib.MJS_PROP_CONFIGURABLE))
	})
	lib.XFreeValue(tls, c.ptr, proto)
	return err
}

func stackGetter(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	if !isObject(this) {
		return throwTypeError(tls, ctx, "not an object")
	}
	if lib.XJS_IsError(tls, ctx, this) == 0 {
		return jsUndefined
	}
	// Its own, never an inherited one: a proxy among its prototypes would be
	// handed the private name.
	d, ok, err := contextOf(tls, ctx).ownPropertyAtom(this, lib.EJS_ATOM_stack)
	if err != nil || !ok {
		return jsUndefined
	}
	return d.Fvalue // a data property: nobody else can define it
}

// stackSetter makes an own property of that name, which then hides the accessor.
func stackSetter(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	if !isObject(this) {
		return throwTypeError(tls, ctx, "not an object")
	}
	a := contextOf(tls, ctx).atom("stack")
	if a == lib.MJS_ATOM_NULL {
		return jsException
	}
	n := lib.XJS_DefinePropertyValue(tls, ctx, this, a, lib.XDupValue(tls, ctx, loadValue(argv)), int32(Writable|Configurable)|lib.MJS_PROP_THROW)
	lib.XJS_FreeAtom(tls, ctx, a)
	if n < 0 {
		return jsException
	}
	return jsUndefined
}

// Backtrace returns what the engine wrote when a native error was made or first
// thrown: a line "    at name (file:line:column)" for each frame, the innermost
// first; for a syntax error the first is "    at file:line:column". At most max
// UTF-16 units are copied. It is empty for any other value, and for an error that
// the host made and no guest has thrown.
//
// A guest can neither change nor delete it. The names of functions in it are
// what the guest called them and may hold any text.
func (v Value) Backtrace(max int) string {
	c := v.c
	r := v.raw()
	s := ""
	c.rt.mustOp(func() error {
		if lib.XJS_IsError(c.rt.tls, c.ptr, r) != 0 {
			s = c.backtrace(r, max)
		}
		return nil
	})
	return s
}

// backtrace reads the private property of a value with the error brand.
func (c *Context) backtrace(v jsValue, max int) string {
	d, ok, err := c.ownPropertyAtom(v, lib.EJS_ATOM_stack)
	if err != nil || !ok {
		return ""
	}
	s := ""
	if kindOf(d.Fvalue) == KindString {
		s, _ = c.text(d.Fvalue, max)
	}
	c.freeDescriptor(d)
	return s
}
