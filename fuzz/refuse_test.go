package fuzz_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// FuzzRefuse: a guest whose next byte of memory is refused, wherever that is,
// ends there with out of memory, and the Runtime is as good as new after a
// rewind. What fits runs to its end.
func FuzzRefuse(f *testing.F) {
	e := newEngine(f)
	f.Add([]byte{0, 2}, uint32(5000))
	f.Fuzz(func(t *testing.T, tape []byte, bytes uint32) {
		require.NoError(t, e.rt.Rewind())
		room := int64(bytes % (300 << 10))
		if bytes%5 == 0 {
			room = int64(bytes % (8 << 20))
		}
		start := e.rt.Memory().Used
		e.rt.SetMemoryLimit(start + room)
		err := e.drive(program(tape), quickjs.Budget{Wall: time.Now().Add(300 * time.Millisecond)})
		require.LessOrEqual(t, e.rt.Memory().Used, start+room)
		require.LessOrEqual(t, e.rt.Memory().Peak, start+room)
		switch {
		case err == nil, errors.Is(err, quickjs.ErrWall):
		case errors.Is(err, quickjs.ErrOutOfMemory):
			require.ErrorIs(t, e.drive("0", quickjs.Budget{}), quickjs.ErrLeft)
		default:
			t.Fatal(err)
		}
		e.next(t)
	})
}
