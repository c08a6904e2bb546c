package bridge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// Kept code is used for the stack under which it was made. What a program comes
// down to must not depend on who ran it before.
func TestKeptCodeIsOfTheSameStack(t *testing.T) {
	source := "return " + strings.Repeat("(", 200) + "7" + strings.Repeat(")", 200)
	small := contract.Limits{Stack: 64 << 10}
	outcome := func(box *bridge.Sandbox, l contract.Limits) string {
		out, err := box.Run(t.Context(), contract.Program{Source: source, Limits: l})
		require.NoError(t, err)
		if out.Err != nil {
			return out.Err.Error()
		}
		return string(out.Value)
	}
	fresh := outcome(newBox(t), small)
	require.NotEqual(t, "7", fresh, "the source is deep enough")
	box := newBox(t)
	for range 3 { // the third time it is kept
		require.Equal(t, "7", outcome(box, contract.Limits{}))
	}
	require.Equal(t, fresh, outcome(box, small))
	for range 3 { // a program that is only checked has the same stack, and may be kept as well
		require.EqualError(t, box.Check(t.Context(), contract.Program{Source: source, Limits: small}), fresh)
	}
	require.Equal(t, fresh, outcome(box, small))
	require.Equal(t, "7", outcome(box, contract.Limits{}))
}
