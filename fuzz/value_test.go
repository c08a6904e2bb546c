package fuzz_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzValue: a value that a guest returns comes out as the JSON that JavaScript
// gives it; JSON that goes in as a global, as a reply and as an argument comes
// back the same; and so does any Go string, U+0000 and all, with one U+FFFD for
// each thing in it that is no text.
func FuzzValue(f *testing.F) {
	w := newWorld(f, bridge.Options{})
	f.Add([]byte{9, 3, 2}, "text")
	f.Fuzz(func(t *testing.T, tape []byte, text string) {
		if len(text) > 100_000 {
			return
		}
		expr, want := grammar.Value(tape)
		ctx := context.Background()
		out, err := w.run(ctx, contract.Program{Source: "return " + expr, Limits: plenty})
		require.NoError(t, err)
		w.sound(t, out)
		if want == "" {
			hasNone(t, out)
			want = "null"
		} else {
			require.NoError(t, out.Err, expr)
			sameJSON(t, want, string(out.Value))
		}

		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		out, err = w.run(ctx, contract.Program{
			Source:  "const back = await tools.echo(given); const units = text.length; return {given, text, back, echo: await tools.quick(text), units}",
			Globals: map[string]json.RawMessage{"given": json.RawMessage(want), "text": quoted},
			Limits:  plenty,
		})
		require.NoError(t, err)
		w.sound(t, out)
		if len(quoted) > 200_000 || len(want) > 200_000 {
			return // it may be too long for an argument
		}
		require.NoError(t, out.Err)
		var got struct {
			Given, Back json.RawMessage
			Text, Echo  string
			Units       int
		}
		require.NoError(t, json.Unmarshal(out.Value, &got))
		sameJSON(t, want, string(got.Given))
		sameJSON(t, want, string(got.Back))
		wantText := string([]rune(text)) // U+FFFD for a byte that is no text
		require.Equal(t, wantText, got.Text)
		require.Equal(t, wantText, got.Echo)
		require.Equal(t, units(wantText), got.Units)
		require.True(t, utf8.Valid(out.Value))
		w.next(t)
	})
}

// hasNone checks the outcome of a program whose value has no JSON form: nothing
// for undefined and symbols, an error that says so for all else.
func hasNone(t *testing.T, out contract.Outcome) {
	require.Nil(t, out.Value)
	if out.Err != nil {
		var result *contract.ResultError
		require.ErrorAs(t, out.Err, &result)
	}
}
