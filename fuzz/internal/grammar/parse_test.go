package grammar_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"modernc.org/quickjs"

	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// Nearly every program parses: the fuzzer's time goes to what runs.
func TestProgramsParse(t *testing.T) {
	vm, err := quickjs.NewVM()
	require.NoError(t, err)
	defer vm.Close()
	for _, c := range []struct {
		name   string
		o      grammar.Options
		before string
		after  string
	}{
		{"body", grammar.Options{}, "async function main() {", "\n}"},
		{"deep body", grammar.Options{Size: 1 << 14, Depth: 30, Endless: true}, "async function main() {", "\n}"},
		{"script", grammar.Options{Script: true, Fixed: true}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			good, all := 0, 0
			tapes(500, 1500, func(_ int, tape []byte) {
				text := c.before + grammar.Program(tape, c.o) + c.after
				all++
				if _, err := vm.Compile(text, quickjs.EvalGlobal); err == nil {
					good++
				} else if all-good <= 5 {
					t.Logf("%v\n%s", err, text)
				}
			})
			t.Logf("%d of %d parse", good, all)
			require.Greater(t, good*1000, all*995)
		})
	}
}

func TestThrownValuesParse(t *testing.T) {
	vm, err := quickjs.NewVM()
	require.NoError(t, err)
	defer vm.Close()
	good, all := 0, 0
	tapes(1500, 300, func(_ int, tape []byte) {
		text := "function main() {throw " + grammar.Throw(tape, grammar.Options{Depth: 10}) + "}"
		all++
		if _, err := vm.Compile(text, quickjs.EvalGlobal); err == nil {
			good++
		} else if all-good <= 5 {
			t.Logf("%v\n%s", err, text)
		}
	})
	t.Logf("%d of %d parse", good, all)
	require.Greater(t, good*1000, all*995)
}

// The engine's own JSON.stringify agrees with the JSON of a value.
func TestValuesAreWhatTheySay(t *testing.T) {
	vm, err := quickjs.NewVM()
	require.NoError(t, err)
	defer vm.Close()
	tapes(1500, 200, func(_ int, tape []byte) {
		expr, want := grammar.Value(tape)
		// Escapes of lone surrogates decode to U+FFFD in Go, too.
		got, err := vm.Eval("JSON.stringify("+expr+") ?? ''", quickjs.EvalGlobal)
		require.NoError(t, err, expr)
		if want == "" {
			require.Equal(t, "", got, expr)
			return
		}
		var a, b any
		require.NoError(t, json.Unmarshal([]byte(got.(string)), &a), expr)
		require.NoError(t, json.Unmarshal([]byte(want), &b), expr)
		require.Equal(t, b, a, expr)
	})
}
