// Package quickjstest opens Runtimes for tests and fails the test that leaves a
// handle behind.
package quickjstest

import (
	"errors"
	"testing"

	"github.com/guestjs/guestjs/quickjs"
)

// New makes a Runtime that is closed at the end of the test. The test fails if a
// handle is live then: every owned Value has to be freed or taken by a rewind. A
// Runtime that was stopped and not rewound is excused, since a stop loses
// handles by its nature.
func New(t testing.TB, l quickjs.Limits) *quickjs.Runtime {
	t.Helper()
	rt, err := quickjs.NewRuntime(l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, err := rt.Do(quickjs.Budget{}, func() error { return nil })
		if n := rt.Handles(); n != 0 && err == nil {
			t.Errorf("quickjstest: %d handles were not freed", n)
		}
		if err := rt.Close(); err != nil && !errors.Is(err, quickjs.ErrClosed) {
			t.Error(err)
		}
	})
	return rt
}

// Context is New with default limits and one realm that has everything.
func Context(t testing.TB) *quickjs.Context {
	t.Helper()
	c, err := New(t, quickjs.Limits{}).NewContext(quickjs.ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Eval runs a script and returns its completion value, which the end of the test
// frees. The test fails if the script throws.
func Eval(t testing.TB, c *quickjs.Context, src string) quickjs.Value {
	t.Helper()
	v, err := c.Eval(src, quickjs.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.Free)
	return v
}
