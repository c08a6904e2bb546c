package quickjs_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// full asks for the long forms of the tests that try many places.
func full() bool { return os.Getenv("GUESTJS_FULL") != "" }

// mustEval runs a script that must not throw. The caller frees the value.
func mustEval(t testing.TB, c *quickjs.Context, src string) quickjs.Value {
	t.Helper()
	v, err := c.Eval(src, quickjs.EvalOptions{Name: "test.js"})
	require.NoError(t, err)
	return v
}

// textOf runs a script and returns its completion value as text.
func textOf(t testing.TB, c *quickjs.Context, src string) string {
	t.Helper()
	v := mustEval(t, c, src)
	defer v.Free()
	s, err := v.ToText()
	require.NoError(t, err)
	return s
}

// ready makes a Runtime with one realm and a checkpoint. The test closes it.
func ready(t testing.TB, l quickjs.Limits) (*quickjs.Runtime, *quickjs.Context) {
	t.Helper()
	rt, err := quickjs.NewRuntime(l)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	return rt, c
}
