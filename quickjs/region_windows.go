package quickjs

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/guestjs/guestjs/internal/fault"
)

// region is one private mapping with a page that cannot be touched at each end.
// Its memory is the system's, not Go's: the collector never looks at it.
type region struct {
	whole uintptr // with the guard pages
	mem   []byte  // between them
}

// newRegion reserves size bytes and two guard pages, and commits what lies
// between. Pages cost physical memory only once they are touched.
func newRegion(size int) (*region, error) {
	page := os.Getpagesize()
	whole, err := allocate(fault.Map, 0, size+2*page, windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return nil, fmt.Errorf("quickjs: reserving an arena of %d bytes: %w", size, err)
	}
	p := whole + uintptr(page)
	if _, err := allocate(fault.Open, p, size, windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		_ = windows.VirtualFree(whole, 0, windows.MEM_RELEASE)
		return nil, fmt.Errorf("quickjs: committing an arena of %d bytes: %w", size, err)
	}
	return &region{whole: whole, mem: unsafe.Slice((*byte)(unsafe.Add(nil, p)), size)}, nil
}

func allocate(point string, p uintptr, size int, how, access uint32) (uintptr, error) {
	if err := fault.At(point); err != nil {
		return 0, err
	}
	return windows.VirtualAlloc(p, uintptr(size), how, access)
}

func (r *region) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(r.mem))) }

// revoke takes all access away: the next touch faults. It may be called from
// any goroutine while another one computes in the region.
func (r *region) revoke() error { return r.protect(fault.Revoke, windows.PAGE_NOACCESS) }

// allow gives access back.
func (r *region) allow() error { return r.protect(fault.Open, windows.PAGE_READWRITE) }

// protect fails while release, on the guest's own goroutine, has pages of the
// range decommitted. That is soon over.
func (r *region) protect(point string, how uint32) error {
	err := fault.At(point)
	if err != nil {
		return err
	}
	var old uint32
	for range 1000 {
		if err = windows.VirtualProtect(r.base(), uintptr(len(r.mem)), how, &old); err == nil {
			return nil
		}
		runtime.Gosched()
	}
	return err
}

// release gives the pages of mem[from:to] back; they read as zero afterwards.
// Both ends are multiples of the page size.
func (r *region) release(from, to int) error {
	if from >= to {
		return nil
	}
	p, n := r.base()+uintptr(from), uintptr(to-from)
	if err := fault.At(fault.Release); err != nil {
		return fmt.Errorf("quickjs: giving memory back: %w", err)
	}
	if err := windows.VirtualFree(p, n, windows.MEM_DECOMMIT); err != nil {
		return fmt.Errorf("quickjs: giving memory back: %w", err)
	}
	if _, err := windows.VirtualAlloc(p, n, windows.MEM_COMMIT, windows.PAGE_READWRITE); err != nil {
		return fmt.Errorf("quickjs: taking memory again: %w", err)
	}
	return nil
}

// unmap gives the whole mapping back to the system.
func (r *region) unmap() error {
	if err := fault.At(fault.Unmap); err != nil {
		return err
	}
	whole := r.whole
	r.whole, r.mem = 0, nil
	return windows.VirtualFree(whole, 0, windows.MEM_RELEASE)
}
