//go:build darwin || freebsd

package quickjs

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/internal/fault"
)

const mapNoReserve = 0

// release gives the pages of mem[from:to] back; they read as zero afterwards.
// Both ends are multiples of the page size. MADV_FREE would leave the old bytes
// readable, so the range is mapped anew in place.
func (r *region) release(from, to int) error {
	if from >= to {
		return nil
	}
	err := fault.At(fault.Release)
	if err == nil {
		_, err = unix.MmapPtr(-1, 0, unsafe.Pointer(unsafe.SliceData(r.mem[from:])), uintptr(to-from),
			unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_FIXED)
	}
	if err != nil {
		return fmt.Errorf("quickjs: giving memory back: %w", err)
	}
	return nil
}
