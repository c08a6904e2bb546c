//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package quickjs

import (
	lib "modernc.org/libquickjs"
)

// elementShift is the size of an element of each typed array, as a power of two,
// in the order of their classes.
var elementShift = [...]uint8{0, 0, 0, 1, 1, 2, 2, 3, 3, 1, 2, 3}

// bytesOf returns where the bytes of a buffer or view lie; false for any other
// value, and for one whose buffer is detached or was made too short. A resize or
// detach moves them. The value is borrowed.
func bytesOf(v jsValue) (p, n uintptr, ok bool) {
	if !isObject(v) {
		return 0, 0, false
	}
	obj := pointer(v)
	switch class := classOf(v); {
	case class == lib.EJS_CLASS_ARRAY_BUFFER || class == lib.EJS_CLASS_SHARED_ARRAY_BUFFER:
		b := bufferOf(obj)
		return b.Fdata, uintptr(b.Fbyte_length), b.Fdetached == 0
	case class >= lib.EJS_CLASS_UINT8C_ARRAY && class <= lib.EJS_CLASS_FLOAT64_ARRAY:
		a := (*fastArray)(address(objectUnion(obj)))
		view := (*lib.TJSTypedArray)(address(a.view))
		b := bufferOf(view.Fbuffer)
		n = uintptr(a.count) << elementShift[class-lib.EJS_CLASS_UINT8C_ARRAY]
		// The engine empties an array that no longer fits its buffer.
		fits := b.Fdetached == 0 && uintptr(view.Foffset)+n <= uintptr(b.Fbyte_length) &&
			(view.Ftrack_rab != 0 || n == uintptr(view.Flength))
		return a.data, n, fits
	case class == lib.EJS_CLASS_DATAVIEW:
		view := (*lib.TJSTypedArray)(address(loadWord(objectUnion(obj))))
		b := bufferOf(view.Fbuffer)
		from, end := uintptr(view.Foffset), uintptr(view.Foffset)+uintptr(view.Flength)
		if view.Ftrack_rab != 0 {
			end = max(uintptr(b.Fbyte_length), from)
		}
		if b.Fdetached != 0 || end > uintptr(b.Fbyte_length) {
			return 0, 0, false
		}
		return b.Fdata + from, end - from, true
	}
	return 0, 0, false
}

// fastArray is the part of an object that a typed array uses.
type fastArray struct {
	view  uintptr
	data  uintptr
	count uint32
}

// objectUnion is where the part of an object begins that depends on its class.
func objectUnion(obj uintptr) uintptr {
	return obj + offsetofUnion
}

func bufferOf(obj uintptr) *lib.TJSArrayBuffer {
	return (*lib.TJSArrayBuffer)(address(loadWord(objectUnion(obj))))
}
