//go:build linux || darwin || freebsd

package quickjs

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/internal/fault"
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
	var whole []byte
	err := fault.At(fault.Map)
	if err == nil {
		whole, err = unix.Mmap(-1, 0, size+2*page, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|mapNoReserve)
	}
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
func (r *region) revoke() error { return r.protect(fault.Revoke, unix.PROT_NONE) }

// allow gives access back.
func (r *region) allow() error { return r.protect(fault.Open, unix.PROT_READ|unix.PROT_WRITE) }

func (r *region) protect(point string, how int) error {
	if err := fault.At(point); err != nil {
		return err
	}
	return unix.Mprotect(r.mem, how)
}

// unmap gives the whole mapping back to the system.
func (r *region) unmap() error {
	if err := fault.At(fault.Unmap); err != nil {
		return err
	}
	whole := r.whole
	r.whole, r.mem = nil, nil
	return unix.Munmap(whole)
}
