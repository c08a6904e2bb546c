package quickjs

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:noescape
func copyRun(to, from unsafe.Pointer, n uintptr)

// copyImage is copy of a whole image. A processor that says that it copies fast
// by itself takes a fifth less time for it than the runtime's loop does.
func copyImage(to, from []byte) {
	if !cpu.X86.HasERMS {
		copy(to, from)
		return
	}
	n := min(len(to), len(from))
	copyRun(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), uintptr(n))
}
