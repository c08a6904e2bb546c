package quickjs

import (
	"errors"
	"math"

	lib "modernc.org/libquickjs"
)

// ErrNoBytes is returned for a value that is no ArrayBuffer, typed array or
// DataView, or whose buffer is detached or no longer long enough.
var ErrNoBytes = errors.New("quickjs: the value is no buffer or view of one, or its buffer is gone")

// ArrayBuffer makes an ArrayBuffer that holds a copy of data
// (JS_NewArrayBufferCopy).
func (c *Context) ArrayBuffer(data []byte) (v Value, err error) {
	err = c.op(func() error {
		v, err = c.own(c.newBuffer(data))
		return err
	})
	return v, err
}

// Uint8Array makes a Uint8Array over a buffer of its own that holds a copy of
// data (JS_NewTypedArray). It runs no guest code.
func (c *Context) Uint8Array(data []byte) (v Value, err error) {
	err = c.op(func() error {
		b := c.newBuffer(data)
		if isException(b) {
			return c.takeException()
		}
		// Offset and length undefined: all of the buffer.
		argv := c.rt.hand + handValues
		storeValue(argv, b)
		storeValue(argv+sizeofValue, jsUndefined)
		storeValue(argv+2*sizeofValue, jsUndefined)
		v, err = c.own(lib.XJS_NewTypedArray(c.rt.tls, c.ptr, 3, argv, lib.EJS_TYPED_ARRAY_UINT8))
		lib.XFreeValue(c.rt.tls, c.ptr, b)
		return err
	})
	return v, err
}

// newBuffer gives an ArrayBuffer. The data are copied once: the buffer is made
// empty, by the engine, and filled in place.
func (c *Context) newBuffer(data []byte) jsValue {
	if uint64(len(data)) > math.MaxInt32 {
		return throwRangeError(c.rt.tls, c.ptr, "invalid array buffer length")
	}
	b := lib.XJS_NewArrayBufferCopy(c.rt.tls, c.ptr, 0, lib.Tsize_t(len(data)))
	if isException(b) {
		return b
	}
	p, n, _ := bytesOf(b)
	copy(memory(p, n), data)
	return b
}

// Bytes returns a copy of what an ArrayBuffer, SharedArrayBuffer, typed array or
// DataView holds. It runs no guest code. Anything else is ErrNoBytes.
func (v Value) Bytes() (data []byte, err error) {
	r := v.raw()
	err = v.c.rt.op(func() error {
		p, n, ok := bytesOf(r)
		if !ok {
			return ErrNoBytes
		}
		data = append(make([]byte, 0, n), memory(p, n)...)
		return nil
	})
	return data, err
}

// WithBytes lets f see and change the bytes of an ArrayBuffer, SharedArrayBuffer,
// typed array or DataView where they lie. Nothing is copied. The slice is the
// guest's memory: it must not be kept, and f must not use the Runtime, which
// panics, since the guest could move or detach the buffer. A stop that comes
// while f touches the bytes ends f there, with a panic that Do recovers.
func (v Value) WithBytes(f func(data []byte)) error {
	r := v.raw()
	rt := v.c.rt
	return rt.op(func() error {
		p, n, ok := bytesOf(r)
		if !ok {
			return ErrNoBytes
		}
		view := []byte{}
		if n > 0 {
			view = memory(p, n)[:n:n]
		}
		rt.outside(func() { f(view) })
		return nil
	})
}
