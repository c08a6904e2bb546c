package quickjs

import (
	"errors"
	"fmt"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// MemberFunc is a Go function behind all members of a namespace. Name is that of
// the member that was called. What [Func] says holds for it too.
type MemberFunc func(c *Context, name Value, args []Value) (Value, error)

// Two classes of the engine's, made for this. A namespace is an object whose
// reads of properties come here; what it gives for one is a function that holds
// no more than the name's atom. A Proxy and closures would do the same, with two
// more calls of guest code and an array for the arguments.
const (
	classNamespace = lib.EJS_CLASS_INIT_COUNT + iota
	classMember
)

// MaxHostNamespaces is how many namespaces a Runtime can make between two rewinds.
const MaxHostNamespaces = 1 << 16

// HostNamespace makes an object that has a member for every name a guest asks for:
// reading any string key gives a fresh function, and calling that calls f with
// the name. The keys then and toJSON, and all symbols, read as undefined, so
// that a namespace can be awaited, returned and logged. It has no own keys and no
// prototype, and writing to it fails as for a frozen object. Such a function has
// no properties of its own and is no constructor.
func (c *Context) HostNamespace(f MemberFunc) (v Value, err error) {
	if f == nil {
		return Value{}, errors.New("quickjs: HostNamespace of nil")
	}
	rt := c.rt
	if len(rt.spaces) >= MaxHostNamespaces {
		return Value{}, fmt.Errorf("quickjs: more than %d namespaces in one Runtime", MaxHostNamespaces)
	}
	err = c.op(func() error {
		obj := lib.XJS_NewObjectProtoClass(rt.tls, c.ptr, jsNull, classNamespace)
		if isException(obj) {
			return c.takeException()
		}
		lib.XJS_PreventExtensions(rt.tls, c.ptr, obj)
		setOpaque(obj, uintptr(len(rt.spaces)))
		rt.spaces = append(rt.spaces, space{c, f})
		v = c.keep(obj)
		return nil
	})
	return v, err
}

// space is what stands behind a namespace; its place in Runtime.spaces is the
// namespace's number.
type space struct {
	realm *Context
	call  MemberFunc
}

// A member's opaque word holds the namespace's number above the name's atom.
const atomBits = 32

// addNamespaces tells the engine of the two classes.
func (rt *Runtime) addNamespaces() error {
	exotic := rt.arena.heap.malloc(uint64(unsafe.Sizeof(lib.TJSClassExoticMethods{})))
	*(*lib.TJSClassExoticMethods)(address(exotic)) = lib.TJSClassExoticMethods{Fget_property: engineFunc(getMember)}
	name := rt.arena.heap.malloc(uint64(len("Object") + 1))
	copy(memory(name, uintptr(len("Object")+1)), "Object\x00")
	def := rt.arena.heap.malloc(uint64(unsafe.Sizeof(lib.TJSClassDef{})))
	for i, d := range []lib.TJSClassDef{
		{Fclass_name: name, Fexotic: exotic},
		{Fclass_name: name, Ffinalizer: engineFunc(freeMember), Fcall: engineFunc(callMember)},
	} {
		*(*lib.TJSClassDef)(address(def)) = d
		if lib.XJS_NewClass(rt.tls, rt.ptr, uint32(classNamespace+i), def) != 0 {
			return ErrOutOfMemory
		}
	}
	rt.arena.heap.free(def)
	rt.arena.heap.free(name)
	return nil
}

// getMember is a namespace's internal method Get.
func getMember(tls *libc.TLS, ctx uintptr, obj jsValue, key lib.TJSAtom, _ jsValue) jsValue {
	if key == lib.EJS_ATOM_then || key == lib.EJS_ATOM_toJSON || !isStringAtom(engineContext(ctx).Frt, key) {
		return jsUndefined
	}
	rt := runtimeAt(lib.XJS_GetRuntimeOpaque(tls, engineContext(ctx).Frt))
	number := opaqueOf(obj)
	if number >= uintptr(len(rt.spaces)) {
		panic(damaged("namespace number"))
	}
	realm := rt.spaces[number].realm.ptr
	f := lib.XJS_NewObjectProtoClass(tls, realm, engineContext(realm).Ffunction_proto, classMember)
	if isException(f) {
		return f
	}
	setOpaque(f, number<<atomBits|uintptr(lib.XJS_DupAtom(tls, realm, key)))
	return f
}

func freeMember(tls *libc.TLS, rt uintptr, f jsValue) {
	lib.XJS_FreeAtomRT(tls, rt, lib.TJSAtom(opaqueOf(f)))
}

func callMember(tls *libc.TLS, ctx uintptr, f, _ jsValue, argc int32, argv uintptr, _ int32) jsValue {
	rt := runtimeAt(lib.XJS_GetRuntimeOpaque(tls, engineContext(ctx).Frt))
	opaque := opaqueOf(f)
	number := opaque >> atomBits
	if number >= uintptr(len(rt.spaces)) {
		panic(damaged("namespace number"))
	}
	s := rt.spaces[number]
	name := lib.XJS_AtomToString(tls, s.realm.ptr, lib.TJSAtom(opaque))
	if isException(name) {
		return name
	}
	v := s.realm.callGo(Func(s.call), name, argc, argv)
	lib.XFreeValue(tls, s.realm.ptr, name)
	return v
}
