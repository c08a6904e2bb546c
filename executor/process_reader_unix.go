//go:build unix

package executor

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeReader reads what a child says. It waits in the system itself, not as Go's
// own files do: to park a goroutine and have the poller wake it costs more than
// a small program takes. A thread waits for each run that is going. It is for one
// goroutine at a time.
type pipeReader struct {
	pipe syscall.RawConn
	try  func(fd uintptr) bool // made once, so that a read allocates nothing
	over atomic.Bool

	buf  []byte
	n    int
	err  error
	poll [1]unix.PollFd
}

// giveUpWithin is how long, in milliseconds, a reader may take to notice that it
// has been given up. Nearly always the end of the child tells it at once.
const giveUpWithin = 250

// newPipeReader replaces a pipe's reading end by one that Go's poller does not
// know: it would be woken, too, whenever something arrives.
func newPipeReader(end *os.File) (*os.File, *pipeReader, error) {
	fd, err := unix.FcntlInt(end.Fd(), unix.F_DUPFD_CLOEXEC, 0) // Fd makes it blocking, for both
	if err != nil {
		return end, nil, os.NewSyscallError("fcntl", err)
	}
	_ = end.Close() // there is another
	f := os.NewFile(uintptr(fd), end.Name())
	r := &pipeReader{}
	r.try = r.read
	r.pipe, err = f.SyscallConn()
	return f, r, err
}

// giveUp lets go of whoever reads. It may be called from anywhere.
func (r *pipeReader) giveUp() { r.over.Store(true) }

// Read implements io.Reader.
func (r *pipeReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	r.buf, r.n, r.err = b, 0, nil
	err := r.pipe.Read(r.try)
	r.buf = nil
	switch {
	case err != nil:
		return 0, err
	case r.err != nil:
		return 0, r.err
	case r.n == 0:
		return 0, io.EOF
	}
	return r.n, nil
}

// read waits until there is something to read, and reads it.
func (r *pipeReader) read(fd uintptr) bool {
	r.poll[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
	for {
		n, err := unix.Poll(r.poll[:], giveUpWithin)
		switch {
		case r.over.Load():
			r.err = os.ErrClosed
		case errors.Is(err, unix.EINTR), err == nil && n == 0:
			continue
		case err != nil:
			r.err = os.NewSyscallError("poll", err)
		default:
			r.n, r.err = unix.Read(int(fd), r.buf) // nobody else reads, so it does not block
			if errors.Is(r.err, unix.EINTR) {
				continue
			}
		}
		return true
	}
}
