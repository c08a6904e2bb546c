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
		killed := make(chan struct{})
		at := time.AfterFunc(time.Duration(micros%20_000)*time.Microsecond, func() {
			defer close(killed)
			e.rt.Kill(cause)
		})
		start := time.Now()
		err := e.drive(program(tape), quickjs.Budget{})
		took := time.Since(start)
		if !at.Stop() {
			<-killed // it must not reach the next program
		}
		var stopped *quickjs.InterruptError
		switch {
		case err == nil, errors.Is(err, quickjs.ErrOutOfMemory):
		case errors.As(err, &stopped):
			require.ErrorIs(t, err, cause)
		default:
			t.Fatal(err)
		}
		require.Less(t, took, 20*time.Millisecond+promptly, "the guest stayed")
		e.next(t)
	})
}

// promptly is how late a kill may be. It is far more than it takes, since the
// machine may be busy with other things.
const promptly = 2 * time.Second
