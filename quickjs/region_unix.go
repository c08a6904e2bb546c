//go:build linux || darwin || freebsd

package quickjs

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// region is one private mapping with a page that cannot be touched at each end.
// Its memory is the system's, not Go's: the collector never looks at it.
type region struct {
	whole []byte // with the guard pages
	mem   []byte // between them
}

// newRegion maps size bytes, a multiple of the page size. Pages cost memory
// only once they are touched.
func newRegion(size int) (*region, error) {
	page := os.Getpagesize()
	whole, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|mapNoReserve)
	if err != nil {
		return nil, fmt.Errorf("quickjs: mapping an arena of %d bytes: %w", size, err)
	}
	r := &region{whole: whole, mem: whole[page : page+size : page+size]}
	if err := r.allow(); err != nil {
		_ = unix.Munmap(whole)
		return nil, fmt.Errorf("quickjs: opening an arena of %d bytes: %w", size, err)
	}
	return r, nil
}

func (r *region) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r.mem))) }

// revoke takes all access away: the next touch faults. It may be called from
// any goroutine while another one computes in the region.
func (r *region) revoke() error { return unix.Mprotect(r.mem, unix.PROT_NONE) }

// allow gives access back.
func (r *region) allow() error { return unix.Mprotect(r.mem, unix.PROT_READ|unix.PROT_WRITE) }

// unmap gives the whole mapping back to the system.
func (r *region) unmap() error {
	whole := r.whole
	r.whole, r.mem = nil, nil
	return unix.Munmap(whole)
}
