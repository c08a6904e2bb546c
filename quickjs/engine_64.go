//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package quickjs

import (
	"math"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// This file and its neighbours engine_*.go are the only seam to the engine's
// representation of values. On these platforms a JSValue is two words: a
// payload and a tag. A 32-bit engine packs both into one and is not supported.

// jsValue is an engine value. Holding one says nothing about ownership: each
// function here says whether it gives, takes or borrows a reference.
type jsValue = lib.TJSValue

const sizeofValue = unsafe.Sizeof(jsValue{})

const sizeofWord = unsafe.Sizeof(uintptr(0))

const sizeofHeapState = unsafe.Sizeof(heapState{})

var (
	jsUndefined = jsValue{Ftag: lib.EJS_TAG_UNDEFINED}
	jsNull      = jsValue{Ftag: lib.EJS_TAG_NULL}
	jsException = jsValue{Ftag: lib.EJS_TAG_EXCEPTION}
)

func tag(v jsValue) int32 { return int32(v.Ftag) }

func isException(v jsValue) bool { return tag(v) == lib.EJS_TAG_EXCEPTION }

// isCounted reports whether a value has a reference count.
func isCounted(v jsValue) bool { return uint32(v.Ftag) >= 1<<32+lib.EJS_TAG_FIRST }

func isObject(v jsValue) bool { return tag(v) == lib.EJS_TAG_OBJECT }

// pointer is the payload of a reference-counted value.
func pointer(v jsValue) uintptr { return *(*uintptr)(unsafe.Pointer(&v.Fu)) }

func jsPointer(tag int64, p uintptr) jsValue {
	v := jsValue{Ftag: tag}
	*(*uintptr)(unsafe.Pointer(&v.Fu)) = p
	return v
}

func jsBool(b bool) jsValue {
	v := jsValue{Ftag: lib.EJS_TAG_BOOL}
	if b {
		*(*int32)(unsafe.Pointer(&v.Fu)) = 1
	}
	return v
}

func jsInt(n int32) jsValue {
	v := jsValue{Ftag: lib.EJS_TAG_INT}
	*(*int32)(unsafe.Pointer(&v.Fu)) = n
	return v
}

// jsNumber makes an int where the engine would: it compares tags in places.
func jsNumber(f float64) jsValue {
	if n := int32(f); float64(n) == f && (n != 0 || !math.Signbit(f)) {
		return jsInt(n)
	}
	v := jsValue{Ftag: lib.EJS_TAG_FLOAT64}
	*(*float64)(unsafe.Pointer(&v.Fu)) = f
	return v
}

func intOf(v jsValue) int32 { return *(*int32)(unsafe.Pointer(&v.Fu)) }

func floatOf(v jsValue) float64 { return *(*float64)(unsafe.Pointer(&v.Fu)) }

// address turns an address in C memory into a pointer. The memory is mapped by
// us or by libc, never by Go, so the collector neither moves nor frees it.
func address(p uintptr) unsafe.Pointer { return unsafe.Add(nil, p) }

func loadWord(p uintptr) uintptr { return *(*uintptr)(address(p)) }

func loadValue(p uintptr) jsValue { return *(*jsValue)(address(p)) }

func storeValue(p uintptr, v jsValue) { *(*jsValue)(address(p)) = v }

// memory is n bytes of C memory as a slice, for copying from or to at once. A
// slice kept longer would outlive the memory.
func memory(p, n uintptr) []byte { return unsafe.Slice((*byte)(address(p)), n) }

func copyMemory(to, from, n uintptr) { copy(memory(to, n), memory(from, n)) }

// engineFunc turns a static Go function into what the engine calls a function
// pointer. It must not be a closure: the number is all that is left of it, and
// the collector does not see a closure through a number.
func engineFunc(f any) uintptr { return (*[2]uintptr)(unsafe.Pointer(&f))[1] }

// Layout of a string (struct JSString): length and width in the first word,
// text after twelve bytes.
const (
	stringText     = 12
	stringWideFlag = 1 << 31
)

// stringParts returns where the text of a flat string lies, how many units it
// has, and whether a unit has two bytes. The value is borrowed.
func stringParts(v jsValue) (text uintptr, units int, wide bool) {
	p := pointer(v)
	head := *(*uint32)(address(p))
	return p + stringText, int(head &^ stringWideFlag), head&stringWideFlag != 0
}

// classOf returns the class of an object.
func classOf(v jsValue) uint16 {
	return (*lib.TJSObject)(address(pointer(v))).Fclass_id
}

// classAtom is the atom of a class's name, borrowed.
func classAtom(rt uintptr, class uint16) lib.TJSAtom {
	r := engineRuntime(rt)
	if int32(class) >= r.Fclass_count {
		panic(damaged("class"))
	}
	return (*lib.TJSClass)(address(r.Fclass_array + uintptr(class)*unsafe.Sizeof(lib.TJSClass{}))).Fclass_name
}

// moduleLinked reports whether the bindings of a module were made.
func moduleLinked(m uintptr) bool {
	return (*lib.TJSModuleDef)(address(m)).F__ccgo144>>24 >= lib.EJS_MODULE_STATUS_LINKED
}

// cfunction is the part of a native function object that says what to call.
type cfunction struct {
	realm uintptr
	call  uintptr
	len   uint8
	proto uint8
	magic int16
}

func cfunctionOf(v jsValue) *cfunction {
	return (*cfunction)(unsafe.Pointer(&(*lib.TJSObject)(address(pointer(v))).Fu))
}

func engineRuntime(p uintptr) *lib.TJSRuntime { return (*lib.TJSRuntime)(address(p)) }

func engineContext(p uintptr) *lib.TJSContext { return (*lib.TJSContext)(address(p)) }

// frameBytes is the largest stack frame, in bytes, of a compiled function and
// of those nested in it, as JS_CallInternal allocates it: arguments, variables
// and operands.
func frameBytes(code uintptr, depth int) uint64 {
	b := (*lib.TJSFunctionBytecode)(address(code))
	size := uint64(sizeofValue) * (uint64(b.Farg_count) + uint64(b.Fvar_count) + uint64(b.Fstack_size))
	if depth > 1000 {
		return size // the parser does not nest deeper
	}
	for i := range uintptr(b.Fcpool_count) {
		if v := loadValue(b.Fcpool + i*sizeofValue); tag(v) == lib.EJS_TAG_FUNCTION_BYTECODE {
			size = max(size, frameBytes(pointer(v), depth+1))
		}
	}
	return size
}

type evalFunc = func(tls *libc.TLS, ctx uintptr, this jsValue, src uintptr, n lib.Tsize_t, name uintptr, flags, scope int32) jsValue

// callEval calls the engine's compiler through the pointer a context had before
// it was hooked.
func callEval(f uintptr, tls *libc.TLS, ctx uintptr, this jsValue, src uintptr, n lib.Tsize_t, name uintptr, flags, scope int32) jsValue {
	return (*(*evalFunc)(unsafe.Pointer(&struct{ uintptr }{f})))(tls, ctx, this, src, n, name, flags, scope)
}

type (
	genericFunc = func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue
	magicFunc   = func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue
	nextFunc    = func(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv, done uintptr, magic int32) jsValue
)

func callGeneric(f uintptr, tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	return (*(*genericFunc)(unsafe.Pointer(&struct{ uintptr }{f})))(tls, ctx, this, argc, argv)
}

func callMagic(f uintptr, tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue {
	return (*(*magicFunc)(unsafe.Pointer(&struct{ uintptr }{f})))(tls, ctx, this, argc, argv, magic)
}

func callNext(f uintptr, tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv, done uintptr, magic int32) jsValue {
	return (*(*nextFunc)(unsafe.Pointer(&struct{ uintptr }{f})))(tls, ctx, this, argc, argv, done, magic)
}

type classFunc = func(tls *libc.TLS, ctx uintptr, f, this jsValue, argc int32, argv uintptr, flags int32) jsValue

func callClass(call uintptr, tls *libc.TLS, ctx uintptr, f, this jsValue, argc int32, argv uintptr, flags int32) jsValue {
	return (*(*classFunc)(unsafe.Pointer(&struct{ uintptr }{call})))(tls, ctx, f, this, argc, argv, flags)
}

// callWith calls a native function with one argument, borrowed.
func callWith(f uintptr, tls *libc.TLS, ctx uintptr, this, arg jsValue) jsValue {
	argv := tls.Alloc(int(sizeofValue))
	storeValue(argv, arg)
	v := callGeneric(f, tls, ctx, this, 1, argv)
	tls.Free(int(sizeofValue))
	return v
}

const offsetofUnion = unsafe.Offsetof(lib.TJSObject{}.Fu)

const (
	sizeofPropertyEnum = unsafe.Sizeof(lib.TJSPropertyEnum{})
	sizeofClass        = unsafe.Sizeof(lib.TJSClass{})
)
