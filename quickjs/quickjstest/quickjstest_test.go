package quickjstest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// recorder is a testing.TB that takes note instead of failing.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   int
}

func (r *recorder) Cleanup(f func())      { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(string, ...any) { r.errors++ }
func (r *recorder) Helper()               {}
func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func TestALeftHandleFailsTheTest(t *testing.T) {
	for _, tt := range []struct {
		name   string
		free   bool
		errors int
	}{{"freed", true, 0}, {"left", false, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			r := &recorder{TB: t}
			c := quickjstest.Context(r)
			v, err := c.Object()
			require.NoError(t, err)
			if tt.free {
				v.Free()
			}
			r.end()
			require.Equal(t, tt.errors, r.errors)
			require.False(t, v.IsValid())
		})
	}
}

func ExampleContext() {
	_ = func(t *testing.T) {
		c := quickjstest.Context(t)
		v := quickjstest.Eval(t, c, "6 * 7")
		if n, _ := v.Int64(); n != 42 {
			t.Error("not the answer")
		}
		_ = quickjs.KindNumber
	}
	// Output:
}
