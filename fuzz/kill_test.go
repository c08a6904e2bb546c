package fuzz_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// FuzzKill: access to a guest's memory that is taken away at any moment ends it
// there, soon, for the given cause, and the Runtime is as good as new after a
// rewind. A guest that was done before is done.
func FuzzKill(f *testing.F) {
	e := newEngine(f)
	f.Add([]byte{1, 2}, uint16(100))
	f.Fuzz(func(t *testing.T, tape []byte, micros uint16) {
		require.NoError(t, e.rt.Rewind())
		cause := errors.New("that is enough")
		killed := make(chan time.Time, 1)
		at := time.AfterFunc(time.Duration(micros%20_000)*time.Microsecond, func() {
			now := time.Now()
			e.rt.Kill(cause)
			killed <- now
		})
		err := e.drive(program(tape), quickjs.Budget{})
		end := time.Now()
		if !at.Stop() {
			// From the kill, which a busy machine lets come late. It must be over
			// before the next program begins.
			require.Less(t, end.Sub(<-killed), promptly, "the guest stayed")
		}
		var stopped *quickjs.InterruptError
		switch {
		case err == nil, errors.Is(err, quickjs.ErrOutOfMemory):
		case errors.As(err, &stopped):
			require.ErrorIs(t, err, cause)
		default:
			t.Fatal(err)
		}
		e.next(t)
	})
}

// promptly is how late a kill may be. It is far more than it takes, since the
// machine may be busy with other things.
const promptly = 2 * time.Second
