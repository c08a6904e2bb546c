//go:build amd64 || arm64 || loong64 || ppc64le || riscv64

package quickjs

import (
	"unsafe"

	lib "modernc.org/libquickjs"
)

// The layout of objects, for reading plain data without asking the engine for
// each member. Everything here only reads, inside an operation.

// Bits of the byte that holds an object's flags (struct JSObject).
const (
	objectFlags  = 16
	flagExotic   = 0x08
	flagFastArr  = 0x10
	shapeHash    = unsafe.Sizeof(lib.TJSShape{}) // the hash table follows the shape
	shapeProp    = 8                             // struct JSShapeProperty: flags and link; atom
	propShift    = 26                            // flags above the link
	sizeofProp   = unsafe.Sizeof(lib.TJSProperty{})
	atomTagged   = 1 << 31 // an atom that is an array index
	atomTypeBits = 30      // of the second word of an atom's string
)

func flagsOf(object uintptr) uint8 { return *(*uint8)(address(object + objectFlags)) }

// shapeOf returns where an object's property descriptions lie and how many
// there are, deleted ones included.
func shapeOf(object uintptr) (props uintptr, count int) {
	sh := (*lib.TJSShape)(address((*lib.TJSObject)(address(object)).Fshape))
	p := uintptr(unsafe.Pointer(sh)) + shapeHash + (uintptr(sh.Fprop_hash_mask)+1)*4
	return p, int(sh.Fprop_count)
}

func protoOf(object uintptr) uintptr {
	return (*lib.TJSShape)(address((*lib.TJSObject)(address(object)).Fshape)).Fproto
}

// propAt returns the flags and the name of a property by its place.
func propAt(props uintptr, i int) (flags uint32, atom lib.TJSAtom) {
	p := (*[2]uint32)(address(props + uintptr(i)*shapeProp))
	return p[0] >> propShift, p[1]
}

func propValue(object uintptr, i int) jsValue {
	return loadValue((*lib.TJSObject)(address(object)).Fprop + uintptr(i)*sizeofProp)
}

// fastElements returns the elements of an array that the engine keeps in a
// row, without holes.
func fastElements(object uintptr) (values uintptr, count int, ok bool) {
	if classOfObject(object) != lib.EJS_CLASS_ARRAY || flagsOf(object)&flagFastArr == 0 {
		return 0, 0, false
	}
	u := uintptr(unsafe.Pointer(&(*lib.TJSObject)(address(object)).Fu))
	return loadWord(u + 8), int(*(*uint32)(address(u + 16))), true
}

func classOfObject(object uintptr) uint16 { return (*lib.TJSObject)(address(object)).Fclass_id }

// atomString returns the text of an atom as a flat string, borrowed, and whether
// it names a property that is a string at all, and no array index.
func (c *Context) atomString(atom lib.TJSAtom) (v jsValue, ok bool) {
	p := loadWord(engineRuntime(c.rt.ptr).Fatom_array + uintptr(atom)*sizeofWord)
	if *(*uint32)(address(p + 4))>>atomTypeBits != atomTypeString {
		return v, false
	}
	v.Ftag = lib.EJS_TAG_STRING
	*(*uintptr)(unsafe.Pointer(&v.Fu)) = p
	return v, true
}

const atomTypeString = 1

// hasProp reports whether an object has an own property of that name, by the
// shape's hash table.
func hasProp(object uintptr, name lib.TJSAtom) bool {
	sh := (*lib.TJSShape)(address((*lib.TJSObject)(address(object)).Fshape))
	at := uintptr(unsafe.Pointer(sh)) + shapeHash
	props := at + (uintptr(sh.Fprop_hash_mask)+1)*4
	i := *(*uint32)(address(at + uintptr(name&sh.Fprop_hash_mask)*4))
	for i != 0 {
		p := (*[2]uint32)(address(props + uintptr(i-1)*shapeProp))
		if p[1] == name {
			return true
		}
		i = p[0] & (1<<propShift - 1)
	}
	return false
}

// opaqueOf and setOpaque read and write the word that an object of a class of
// ours holds.
func opaqueOf(v jsValue) uintptr { return (*lib.TJSObject)(address(pointer(v))).Fu.Fopaque }

func setOpaque(v jsValue, word uintptr) {
	(*lib.TJSObject)(address(pointer(v))).Fu.Fopaque = word
}

// isStringAtom reports whether an atom stands for a string, and no symbol.
func isStringAtom(rt uintptr, atom lib.TJSAtom) bool {
	if atom&atomTagged != 0 {
		return true
	}
	p := loadWord(engineRuntime(rt).Fatom_array + uintptr(atom)*sizeofWord)
	return *(*uint32)(address(p + 4))>>atomTypeBits == atomTypeString
}
