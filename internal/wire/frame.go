package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// FrameError is a length that no frame may have. What follows it on the stream
// cannot be read.
type FrameError struct{ Length uint32 }

// Error implements error.
func (e *FrameError) Error() string {
	return fmt.Sprintf("wire: a frame of %d bytes; at least 1 and at most %d are allowed", e.Length, MaxMessage)
}

// Reader reads messages from a stream.
type Reader struct {
	in  *bufio.Reader
	buf []byte
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReaderSize(r, 32<<10)} }

// Next blocks for the next frame and decodes it. The error is io.EOF at the
// clean end of the stream, io.ErrUnexpectedEOF inside a frame, a [*FrameError]
// for an impossible length, or what [Decode] says; after a [*RefusedError] the
// next frame can be read.
func (r *Reader) Next() (Message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return Message{}, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n == 0 || n > MaxMessage {
		return Message{}, &FrameError{Length: n}
	}
	if int(n) > cap(r.buf) {
		r.buf = make([]byte, n)
	}
	frame := r.buf[:n]
	if _, err := io.ReadFull(r.in, frame); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Message{}, err
	}
	m, err := Decode(frame)
	if cap(r.buf) > 64<<10 {
		r.buf = nil // one large message must not be paid for by all small ones
	}
	return m, err
}
