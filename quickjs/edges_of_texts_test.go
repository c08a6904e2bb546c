package quickjs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// A long text is written piece by piece; a pair that lies across two of them is
// written as one character, as JSON.stringify writes it.
func TestJSONOfAPairAcrossTwoPieces(t *testing.T) {
	c := quickjstest.Context(t)
	for before := 65_534; before <= 65_537; before++ {
		n := c.Int(int32(before))
		v, err := quickjstest.Eval(t, c, "(n) => 'x'.repeat(n) + '😀\\ud83d'").Call(c.Undefined(), n)
		require.NoError(t, err)
		text, ok, err := v.JSON(1 << 20)
		v.Free()
		n.Free()
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, `"`+strings.Repeat("x", before)+`😀\ud83d"`, string(text))
	}
}

// The bound of a text is in bytes, whoever writes it.
func TestJSONThatTheEngineWritesIsBounded(t *testing.T) {
	c := quickjstest.Context(t)
	for _, src := range []string{"'éééé'", "({toJSON: () => 'éééé'})"} {
		v := quickjstest.Eval(t, c, src)
		for limit, want := range map[int]error{4: quickjs.ErrTooLarge, 9: quickjs.ErrTooLarge, 10: nil} {
			text, ok, err := v.AppendJSON([]byte("before"), limit)
			require.ErrorIs(t, err, want)
			require.Equal(t, want == nil, ok)
			if want == nil {
				require.Equal(t, `before"éééé"`, string(text))
			} else {
				require.Equal(t, "before", string(text))
			}
		}
	}
}

// Methods that return no error have no other way to say that a Runtime is not
// usable outside of a Do.
func TestAskingAValueOfAStoppedRuntime(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	v := mustEval(t, c, "() => 1")
	require.ErrorIs(t, run(c, "new Uint8Array(1e9)")(), quickjs.ErrOutOfMemory)
	const why = "quickjs: use of a Runtime that is not usable: quickjs: the runtime was stopped; rewind or close it (quickjs: out of memory)"
	for name, ask := range map[string]func(){
		"IsFunction": func() { v.IsFunction() },
		"Dup":        func() { v.Dup() },
		"Global":     func() { c.Global() },
	} {
		require.PanicsWithValue(t, why, ask, name)
	}
	require.Equal(t, quickjs.KindObject, v.Kind(), "what the handle itself knows")
	v.Free()
	nextRun(t, rt, c)
}
