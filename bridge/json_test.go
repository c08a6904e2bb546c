package bridge_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A JSON value goes through a program unchanged, whichever way it takes: as the
// text of the program, through a host call on a goroutine, through an immediate
// one, and as a global.
func TestJSONGoesThroughUnchanged(t *testing.T) {
	box := newBox(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawJSON(t, rapid.IntRange(0, 6).Draw(t, "depth"))
		want := canonical(t, []byte(text))
		for _, source := range []string{
			"return g",
			"return await t.echo(g)",
			"return await t.now(g)",
			"return (await t.args(g))[0]",
			"return JSON.parse(" + literal(text) + ")",
			"return JSON.parse(JSON.stringify(g))",
		} {
			out, err := box.Run(t.Context(), contract.Program{
				Source: source, Providers: providers(), Globals: map[string]json.RawMessage{"g": json.RawMessage(text)},
			})
			if err != nil || out.Err != nil {
				t.Fatalf("%s: %v, %v", source, err, out.Err)
			}
			if got := canonical(t, out.Value); got != want {
				t.Fatalf("%s gave\n%s\nof\n%s", source, got, want)
			}
		}
	})
}

// literal writes a text as a JavaScript string literal.
func literal(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}

// drawJSON draws JSON text that has one form only when written by JSON.stringify.
func drawJSON(t *rapid.T, depth int) string {
	kinds := []string{"null", "bool", "int", "float", "string"}
	if depth > 0 {
		kinds = append(kinds, "array", "object", "array", "object")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "bool":
		return strconv.FormatBool(rapid.Bool().Draw(t, "bool"))
	case "int":
		return strconv.Itoa(rapid.IntRange(-1<<53+1, 1<<53-1).Draw(t, "int"))
	case "float":
		text, err := json.Marshal(rapid.Float64().Draw(t, "float"))
		if err != nil {
			return "0.5"
		}
		return string(text)
	case "string":
		return drawString(t)
	case "array":
		return "[" + strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return drawJSON(t, depth-1) }), 0, 4).Draw(t, "array"), ",") + "]"
	case "object":
		var members []string
		seen := map[string]bool{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			name := rapid.OneOf(rapid.SampledFrom([]string{
				`"__proto__"`, `"constructor"`, `"then"`, `"length"`, `"0"`, `"-0"`, `"4294967295"`, `""`, `"a"`, `"get"`, `"\u0000"`, `"\ud800"`,
			}), rapid.Custom(drawString)).Draw(t, "name")
			// A member named toJSON or then with a value that is no function is data.
			if key := canonical(t, []byte(name)); !seen[key] {
				seen[key] = true
				members = append(members, name+":"+drawJSON(t, depth-1))
			}
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return "null"
}

func drawString(t *rapid.T) string {
	units := rapid.SliceOfN(rapid.OneOf(
		rapid.Uint16Range(0, 0x7F), rapid.Uint16(), rapid.Uint16Range(0xD7F0, 0xE010), rapid.SampledFrom([]uint16{0, '"', '\\', 0x2028, 0xFEFF, '<'}),
	), 0, 12).Draw(t, "units")
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range units {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	return b.String() + `"`
}

// canonical writes JSON text in one form: members sorted, numbers as Go has
// them, strings as units.
func canonical(t interface{ Fatalf(string, ...any) }, text []byte) string {
	var b strings.Builder
	if err := writeCanonical(&b, json.RawMessage(text)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return b.String()
}

func writeCanonical(b *strings.Builder, text json.RawMessage) error {
	switch text[0] {
	case '"':
		return writeUnits(b, string(text))
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return err
		}
		b.WriteByte('[')
		for _, e := range list {
			if err := writeCanonical(b, e); err != nil {
				return err
			}
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case '{':
		return writeMembers(b, text)
	default:
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			return err
		}
		if f, is := v.(float64); is && f == 0 {
			v = 0.0 // -0 is written as 0
		}
		fmt.Fprint(b, v)
	}
	return nil
}

// writeMembers keeps the order in which JavaScript lists members out of the
// comparison. Names that differ in lone surrogates only are kept apart, which
// encoding/json would not do.
func writeMembers(b *strings.Builder, text json.RawMessage) error {
	members := map[string]string{}
	var names []string
	for _, m := range splitMembers(string(text)) {
		var name, value strings.Builder
		if err := writeUnits(&name, m[0]); err != nil {
			return err
		}
		if err := writeCanonical(&value, json.RawMessage(m[1])); err != nil {
			return err
		}
		members[name.String()] = value.String()
		names = append(names, name.String())
	}
	b.WriteByte('{')
	for _, n := range sorted(names) {
		b.WriteString(n + ":" + members[n] + ",")
	}
	b.WriteByte('}')
	return nil
}

func TestDeepJSON(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, depth := range []int{10, 100, 500} {
		text := strings.Repeat(`{"a":[`, depth) + strings.Repeat("]}", depth)
		out, err := box.Run(t.Context(), contract.Program{
			Source: "return [await t.echo(g), await t.now(g), g]", Providers: providers(), Globals: map[string]json.RawMessage{"g": json.RawMessage(text)},
		})
		require.NoError(t, err)
		require.NoError(t, out.Err)
		require.Equal(t, "["+text+","+text+","+text+"]", string(out.Value))
	}
}
