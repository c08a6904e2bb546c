package fuzz_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// FuzzInterrupt: a guest that is stopped at the n-th poll is stopped there: no
// handler of its own runs, it is not polled again, the cause is the host's own
// error, and the Runtime is as good as new after a rewind.
func FuzzInterrupt(f *testing.F) {
	e := newEngine(f)
	f.Add([]byte{1, 2}, uint8(1))
	f.Fuzz(func(t *testing.T, tape []byte, at uint8) {
		stop := errors.New("this poll")
		polls := 0
		e.rt.SetInterrupt(func() error {
			if polls++; polls == int(at)%40+1 {
				return stop
			}
			return nil
		})
		defer e.rt.SetInterrupt(nil)
		require.NoError(t, e.rt.Rewind())
		err := e.drive(program(tape), quickjs.Budget{Wall: time.Now().Add(300 * time.Millisecond)})
		var stopped *quickjs.InterruptError
		switch {
		case err == nil:
			require.Less(t, polls, int(at)%40+1)
		case errors.Is(err, stop):
			require.ErrorAs(t, err, &stopped)
			require.Equal(t, int(at)%40+1, polls)
			require.ErrorIs(t, e.drive("0", quickjs.Budget{}), quickjs.ErrLeft)
		case errors.Is(err, quickjs.ErrWall), errors.Is(err, quickjs.ErrOutOfMemory):
		default:
			t.Fatal(err)
		}
		e.rt.SetInterrupt(nil)
		e.next(t)
	})
}
