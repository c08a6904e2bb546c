package bridge_test

import (
	"encoding/json"
	"fmt"
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

// wide is an expression, 0, that takes a frame of n values: where such code is,
// calls may go less deep.
func wide(n int) string { return "Math.max(" + strings.Repeat("0, ", n) + "0)" }

// patient bounds no time: the race detector and a busy machine take theirs.
var patient = contract.Limits{CPU: contract.Unlimited, Wall: contract.Unlimited}

// What a program's own code bounds, it bounds when it runs, and not before: globals
// and preludes have what they had the first time.
func TestKeptCodeDoesNotBoundWhatComesBefore(t *testing.T) {
	deep := "function down(n) { return n && 1 + down(n - 1) } globalThis.depth = down(500);"
	for name, p := range map[string]contract.Program{
		"a prelude": {Source: wide(4000) + " + depth", Providers: []contract.Provider{{Name: "tools", Prelude: deep}}},
		"a global": {Source: wide(8000) + " + 500", Globals: map[string]json.RawMessage{
			"nested": json.RawMessage(strings.Repeat("[", 600) + strings.Repeat("]", 600)),
		}},
	} {
		box := newBox(t)
		for i := range 5 {
			p.Limits = patient
			out, err := box.Run(t.Context(), p)
			require.NoError(t, err)
			require.NoError(t, out.Err, "%s, run %d", name, i)
			require.Equal(t, "500", string(out.Value), name)
		}
	}
}

// It does bound the program itself, the same each time.
func TestKeptCodeBoundsItself(t *testing.T) {
	box := newBox(t)
	var first string
	for i := range 5 {
		out, err := box.Run(t.Context(), contract.Program{
			Source: "let n = 0; function down() { n++; down(" + wide(4000) + ") } try { down() } catch {} return n", Limits: patient,
		})
		require.NoError(t, err)
		require.NoError(t, out.Err)
		if i == 0 {
			first = string(out.Value)
		}
		require.Equal(t, first, string(out.Value), "run %d", i)
	}
	require.Less(t, len(first), 4, "%s calls: the frames count", first)
}

// A prelude may leave less stack for the parser than there was when the code was
// kept.
func TestKeptCodeIsOfTheSamePreludes(t *testing.T) {
	source := "return " + strings.Repeat("(", 60) + "7" + strings.Repeat(")", 60)
	with := contract.Program{Source: source, Limits: patient, Providers: []contract.Provider{{Name: "tools", Prelude: "globalThis.f = () => " + wide(16_000)}}}
	outcome := func(box *bridge.Sandbox, p contract.Program) string {
		out, err := box.Run(t.Context(), p)
		require.NoError(t, err)
		return fmt.Sprint(string(out.Value), out.Err)
	}
	fresh := outcome(newBox(t), with)
	require.Contains(t, fresh, "stack overflow", "the source is deep enough")
	box := newBox(t)
	for range 5 {
		require.Equal(t, "7<nil>", outcome(box, contract.Program{Source: source, Limits: patient}))
		require.Equal(t, fresh, outcome(box, with))
	}
}

// What is kept is bounded, also where many programs that come again take turns, and
// nothing of it outlives the guest that it was made for.
func TestKeptCodeIsBounded(t *testing.T) {
	box := newBox(t)
	for i := range 200 {
		for range 4 {
			out, err := box.Run(t.Context(), contract.Program{Source: fmt.Sprintf("const o = {a%d: [%d]}; return JSON.stringify(o)", i, i)})
			require.NoError(t, err)
			require.JSONEq(t, fmt.Sprintf(`"{\"a%d\":[%d]}"`, i, i), string(out.Value))
		}
		programs, begun, size, counted := box.Kept()
		require.LessOrEqual(t, programs, 64)
		require.Equal(t, programs, begun, "each begins behind its code")
		require.LessOrEqual(t, size, 256<<10)
		require.Equal(t, counted, size)
	}
	_, err := box.RunFaulty(t.Context())
	require.NoError(t, err)
	programs, _, size, _ := box.Kept()
	require.Zero(t, programs)
	require.Zero(t, size)
}

// Each operation of a check that finds the code kept fails once.
func TestEngineFailsInACheckOfKeptCode(t *testing.T) {
	program := contract.Program{Source: "const a = 1; a"}
	for n := 1; ; n++ {
		box := newBox(t)
		for range 2 {
			_, err := box.Run(t.Context(), program)
			require.NoError(t, err)
		}
		restore := failAt(n, func() error { return errInjected })
		err := box.Check(t.Context(), program)
		fired := restore()
		if !fired {
			require.NoError(t, err)
			require.Greater(t, n, 2, "reading and the waypoint are two")
			return
		}
		require.ErrorIs(t, err, errInjected, "operation %d", n)
		out, err := box.Run(t.Context(), program)
		require.NoError(t, err)
		require.Equal(t, "1", string(out.Value))
	}
}
