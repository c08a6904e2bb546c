package quickjs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// ParseJSON agrees with JSON.parse on every text: the same value, or a
// SyntaxError from both.
func TestParseJSONLikeParse(t *testing.T) {
	c := quickjstest.Context(t)
	parse := quickjstest.Eval(t, c, "const real = JSON.parse; (s) => real(s, null)")
	for _, text := range []string{
		"1", "-1", "0", "-0", "01", "1.", ".5", "1.5", "-", "+1", "1e3", "1E+3", "1e-3", "1e", "1e999", "-1e999", "5e-324", "1e-400",
		"123456789", "1234567890", "999999999", "2147483648", "-2147483648", "9007199254740993", "0.1", "1 ", " 1", "\t\n\r 1", "\u00a01", "\ufeff1", "1 2", "0x1", "1_0", "Infinity", "NaN",
		"true", "false", "null", "tru", "nulll", "True", "undefined", "", " ", "'a'",
		`""`, `"a"`, `"é€😀"`, `"\u00e9\u20ac\ud83d\ude00"`, `"\ud83d"`, `"\ude00\ud83d"`, `"\ud83dx"`, `"\u0000"`, `"\b\f\n\r\t\/\\\""`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u+123"`, `"a`, `"a\`, "\"a\nb\"", "\"\x7f\"", `"é\n😀\u20ac"`, "\"\u2028\"",
		"[]", "[ ]", "[1,2]", "[1,]", "[,1]", "[1 2]", "[", "]", "[1", "[[[]]]", "[1,\"a\",null,{}]",
		"{}", "{ }", `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `{"__proto__":{"x":1},"k":2}`, `{"constructor":1,"toString":2}`,
		`{"10":1,"2":2,"a":3,"4294967295":4}`, `{"":1}`, `{"é":1,"\u00e9":2}`, `{"\ud800":1}`, `{"a\u0000b":1}`, `{"a":{"a":{"a":1}}}`, `{"length":1}`, `{"get":1}`, "{", `{"a"`, `{"a":1`, "/**/1", "1//",
		strings.Repeat("[", 255) + strings.Repeat("]", 255), strings.Repeat("[", 300) + strings.Repeat("]", 300), strings.Repeat("[", 300), strings.Repeat(`{"a":`, 300) + "1" + strings.Repeat("}", 300),
	} {
		t.Run(text[:min(len(text), 40)], func(t *testing.T) { sameAsParse(t, c, parse, text) })
	}
}

func sameAsParse(t require.TestingT, c *quickjs.Context, parse quickjs.Value, text string) {
	src, err := c.String(text)
	require.NoError(t, err)
	defer src.Free()
	want, wantErr := parse.Call(c.Undefined(), src)
	got, err := c.ParseJSON([]byte(text))
	var thrown *quickjs.Exception
	if wantErr != nil {
		require.ErrorAs(t, wantErr, &thrown)
		thrown.Free()
		require.ErrorAs(t, err, &thrown, "JSON.parse refuses it")
		require.Equal(t, "SyntaxError", thrown.Name)
		thrown.Free()
		return
	}
	require.NoError(t, err, "JSON.parse takes it")
	defer want.Free()
	defer got.Free()
	a, _, err := want.JSON(math.MaxInt)
	require.NoError(t, err)
	b, _, err := got.JSON(math.MaxInt)
	require.NoError(t, err)
	require.Equal(t, string(a), string(b))
	if f, ok := want.Float(); ok {
		g, _ := got.Float()
		require.Equal(t, math.Float64bits(f), math.Float64bits(g), "-0 is not 0")
	}
}

// A member's name is held while its value is read, however many other names that
// value has: the reader keeps only a few.
// However short the text is, it needs a Runtime that can be used.
func TestParseJSONNeedsARuntime(t *testing.T) {
	for _, text := range []string{"12", "-3", "[12]"} {
		rt, c := ready(t, quickjs.Limits{})
		stop := errors.New("stopped")
		rt.Kill(stop)
		_, err := c.Eval("1", quickjs.EvalOptions{})
		require.ErrorIs(t, err, stop)
		_, err = c.ParseJSON([]byte(text))
		require.ErrorIs(t, err, quickjs.ErrLeft, text)
		require.NoError(t, rt.Close())
		_, err = c.ParseJSON([]byte(text))
		require.ErrorIs(t, err, quickjs.ErrClosed, text)
	}
}

func TestParseJSONKeepsNamesWhileReadingValues(t *testing.T) {
	c := quickjstest.Context(t)
	parse := quickjstest.Eval(t, c, "const real3 = JSON.parse; (s) => real3(s, null)")
	inner := ""
	for i := range 400 {
		inner += fmt.Sprintf(`"k%d":{"n%d":%d},`, i, i, i)
	}
	inner = "{" + strings.TrimSuffix(inner, ",") + "}"
	sameAsParse(t, c, parse, `{"shop":1,"customers":[`+inner+`,`+inner+`],"last":{"customers":`+inner+`,"shop":2}}`)
}

func TestParseJSONLikeParseForAnyText(t *testing.T) {
	c := quickjstest.Context(t)
	parse := quickjstest.Eval(t, c, "const real2 = JSON.parse; (s) => real2(s, null)")
	piece := rapid.SampledFrom([]string{"{", "}", "[", "]", ":", ",", `"a"`, `"b\n"`, "1", "-", "0", ".5", "e3", "true", "null", " ", `\`, `"`, "é", "\u0001", `\u00`, "d8"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
		sameAsParse(t, c, parse, text)
	})
	type tree map[string]any
	var draw func(t *rapid.T, depth int) tree
	draw = func(t *rapid.T, depth int) tree {
		out := tree{}
		for range rapid.IntRange(0, 12).Draw(t, "members") {
			name := fmt.Sprintf("k%d", rapid.IntRange(0, 500).Draw(t, "name"))
			out[name] = rapid.IntRange(0, 9).Draw(t, "value")
			if depth > 0 {
				out[name] = draw(t, depth-1)
			}
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(draw(t, 2))
		require.NoError(t, err)
		sameAsParse(t, c, parse, string(text))
	})
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.Float64Range(-1e6, 1e6))).Draw(t, "value"))
		require.NoError(t, err)
		sameAsParse(t, c, parse, string(text))
	})
}

// What is built of a reply is ordinary: writable, enumerable, configurable own
// data, with the intrinsic prototypes, whatever the guest did to theirs.
func TestParseJSONBuildsOrdinaryData(t *testing.T) {
	c := quickjstest.Context(t)
	quickjstest.Eval(t, c, `
		Object.defineProperty(Object.prototype, 'a', {set() { throw 1 }, get() { throw 2 }, configurable: true});
		Object.defineProperty(Array.prototype, '0', {set() { throw 3 }, get() { throw 4 }, configurable: true})`)
	v, err := c.ParseJSON([]byte(`{"a":[1,{"a":2}]}`))
	require.NoError(t, err)
	defer v.Free()
	p, ok, err := v.OwnProperty("a")
	require.NoError(t, err)
	require.True(t, ok && p.Writable && p.Enumerable && p.Configurable && !p.Accessor)
	text, _, err := p.Value.JSON(100)
	p.Free()
	require.NoError(t, err)
	require.Equal(t, `[1,{"a":2}]`, string(text))
}

func TestMayBeThenable(t *testing.T) {
	c := quickjstest.Context(t)
	for src, want := range map[string]bool{
		"1": false, "'s'": false, "null": false, "({})": false, "[1, 2]": false, "Object.create(null)": false, "(class { x = 1 }, {y: 1})": false,
		"({then: 1})": true, "({get then() { throw 1 }})": true, "Object.create({then() {}})": true, "Promise.resolve(1)": true,
		"new Proxy({}, {})": true, "() => 1": true, "new Date(0)": true, "Object.create(new Proxy({}, {}))": true,
	} {
		require.Equal(t, want, quickjstest.Eval(t, c, "("+src+")").MayBeThenable(), src)
	}
	quickjstest.Eval(t, c, "Object.prototype.then = () => 1")
	require.True(t, quickjstest.Eval(t, c, "({})").MayBeThenable())
}
