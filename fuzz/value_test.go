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
// each thing in it that is no text. What a program's own JSON and search make of
// them is what the engine makes of them.
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
			Source: `const back = await tools.echo(given), units = text.length;
				return {given, text, back, echo: await tools.quick(text), units, differ: ` + differs + `}`,
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
			Differ      []string
		}
		require.NoError(t, json.Unmarshal(out.Value, &got))
		sameJSON(t, want, string(got.Given))
		sameJSON(t, want, string(got.Back))
		wantText := string([]rune(text)) // U+FFFD for a byte that is no text
		require.Equal(t, wantText, got.Text)
		require.Equal(t, wantText, got.Echo)
		require.Equal(t, units(wantText), got.Units)
		require.Empty(t, got.Differ)
		require.True(t, utf8.Valid(out.Value))
		w.next(t)
	})
}

// differs lists what a program's own functions say otherwise than the engine's,
// which a second argument that says nothing leads to. The engine writes some numbers,
// such as 2 ** -24, with more digits than they need; those count as alike.
const differs = `(() => {
	const digits = (text) => typeof text === 'string' ? text.replace(/\d[\d.]{15,}(e[-+]\d+)?/g, (n) => String(Number(n))) : text;
	const told = (f) => { try { return f() } catch (e) { return e.name + ': ' + e.message } };
	const written = (v) => JSON.stringify(v, null), json = written(given), middle = text.slice(units >> 1), end = text.slice(-2);
	return Object.entries({
		stringify: [told(() => JSON.stringify(given)), told(() => JSON.stringify(given, null))],
		quote: [JSON.stringify(text), JSON.stringify(text, null)],
		parse: [told(() => written(JSON.parse(json))), told(() => written(JSON.parse(json, null)))],
		parseText: [told(() => written(JSON.parse(text))), told(() => written(JSON.parse(text, null)))],
		parseHalf: [told(() => written(JSON.parse(json.slice(0, -1)))), told(() => written(JSON.parse(json.slice(0, -1), null)))],
		indexOf: [text.indexOf(middle), text.indexOf(middle, '0')],
		indexOfEnd: [text.indexOf(end, 1), text.indexOf(end, '1')],
		includes: [text.includes(end + middle), text.includes(end + middle, '0')],
	}).filter(([, [ours, engines]]) => digits(ours) !== digits(engines)).map(([name]) => name);
})()`

// hasNone checks the outcome of a program whose value has no JSON form: nothing
// for undefined and symbols, an error that says so for all else.
func hasNone(t *testing.T, out contract.Outcome) {
	require.Nil(t, out.Value)
	if out.Err != nil {
		var result *contract.ResultError
		require.ErrorAs(t, out.Err, &result)
	}
}
