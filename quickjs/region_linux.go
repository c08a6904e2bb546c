package quickjs

import (
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/internal/fault"
)

// An arena promises address space, not memory: a host that forbids
// overcommitting still gets it.
const mapNoReserve = unix.MAP_NORESERVE

// release gives the pages of mem[from:to] back; they read as zero afterwards.
// Both ends are multiples of the page size.
func (r *region) release(from, to int) error {
	if err := fault.At(fault.Release); err != nil {
		return err
	}
	return unix.Madvise(r.mem[from:to], unix.MADV_DONTNEED)
}
