package quickjs_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// The text that plain data is written with is what the engine's own writer
// gives. Values that are not plain come out of that writer anyway; here they
// show that nothing was run or written before it was asked.
func TestJSONLikeStringify(t *testing.T) {
	c := quickjstest.Context(t)
	stringify, err := c.Eval("const real = JSON.stringify; (v) => real(v, null)", quickjs.EvalOptions{})
	require.NoError(t, err)
	defer stringify.Free()
	for _, src := range []string{
		"1", "-0", "1.5", "1e21", "1e-7", "123456789012345680000", "0.000001", "5e-324", "NaN", "-Infinity", "true", "null",
		"undefined", "Symbol('s')", "(() => 1)", "'plain'", "'\\u00e9\\u20ac\\u{1F600}'", "'\\ud800'", "'x\\udc00y'", "'\\udc00\\ud800'",
		"'\\u0000\\u0001\\b\\f\\n\\r\\t\\u001f\\u007f\\\"\\\\'", "'\\u2028'", "'a' + 'b'.repeat(300) + '\\u20ac'.repeat(300)",
		"[]", "{}", "({})", "[1, , 3]", "[undefined, () => 1, Symbol()]", "new Array(3)", "Object.assign([1, 2], {x: 1})",
		"({b: 1, a: 2, 10: 3, 2: 4})", "({4294967294: 1, 4294967295: 2, x: 0, 1: 1})", "({'01': 1, '1': 2})", "({a: undefined, b: () => 1, c: Symbol(), d: 4})",
		"({a: undefined})", "({[Symbol('k')]: 1, k: 2})", "Object.create({inherited: 1})", "Object.create(null)",
		"({get g() { return 3 }})", "Object.defineProperty({a: 1}, 'hidden', {value: 1, enumerable: false})",
		"({toJSON() { return 'tj' }})", "({a: {toJSON(k) { return k }}})", "Object.create({toJSON() { return 1 }})",
		"[new Date(0)]", "new Map([[1, 2]])", "[/x/g, new Set()]", "new Uint8Array(3)", "[new String('s'), new Number(2), new Boolean(false)]",
		"class P { constructor() { this.x = 1 } get y() { return 2 } }; new P()", "class Q { #p = 1; q = 2 }; new Q()",
		"new Proxy({a: 1}, {})", "[new Proxy([1], {})]", "(function () { return arguments })(1, 2)", "[new Error('e')]",
		"JSON.parse('{\"__proto__\": 1, \"k\": 2}')", "let o = 1; for (let i = 0; i < 90; i++) o = [o]; o", "let o = 1; for (let i = 0; i < 500; i++) o = {o}; o",
		"const s = {v: 1}; [s, s]", "const d = {a: 1, b: 2, c: 3}; delete d.b; d", "const a = [1, 2, 3]; a.length = 2; a", "const f = Object.freeze([1, {a: 1}]); f",
		"const r = []; r[3] = 1; r", "const big = []; for (let i = 0; i < 5000; i++) big.push({i, s: 'v' + i}); big", "JSON.rawJSON('1')",
		"const y = []; for (let i = 0; i < 1000; i++) y.unshift(i); y", "({a: 'x'.repeat(70000) + '\\u{1F600}'.repeat(40000)})",
		"Array.from({length: 20}, (_, i) => 'k' + i).reduce((o, k) => (o[k] = k, o), {})",
		// Names that are left out with their members count against no bound.
		"({['k'.repeat(100)]: () => 1, a: 1})", "({a: 1, ['k'.repeat(100)]: class {}})", "({['k'.repeat(100)]: undefined, ['l'.repeat(100)]: Symbol(), a: 1})",
		"({['k'.repeat(100)]: {toJSON() {}}, a: 1})", "({['k'.repeat(100)]: new Proxy(() => 1, {}), a: [{['\\u20ac'.repeat(100)]: Math.max}]})", "({1: () => 1, 2: 3})",
	} {
		t.Run(src[:min(len(src), 60)], func(t *testing.T) {
			v, err := c.Eval("{"+src+"}", quickjs.EvalOptions{})
			if err != nil {
				v, err = c.Eval(src, quickjs.EvalOptions{})
			}
			require.NoError(t, err)
			defer v.Free()
			sameAsStringify(t, stringify, v)
		})
	}
	for _, src := range []string{"1n", "[1n]", "const a = {}; a.a = a; a", "[{get g() { throw 1 }}]", "[{toJSON() { throw 1 }}]"} {
		v, err := c.Eval(src, quickjs.EvalOptions{})
		require.NoError(t, err)
		_, _, err = v.JSON(math.MaxInt)
		var thrown *quickjs.Exception
		require.ErrorAs(t, err, &thrown, src)
		thrown.Free()
		v.Free()
	}
}

func sameAsStringify(t require.TestingT, stringify, v quickjs.Value) {
	c := v.Context()
	want, err := stringify.Call(c.Undefined(), v)
	require.NoError(t, err)
	defer want.Free()
	wantText, wantOK := want.Text()
	got, ok, err := v.JSON(math.MaxInt)
	require.NoError(t, err)
	require.Equal(t, wantOK, ok)
	require.Equal(t, wantText, string(got))
	if !ok {
		return
	}
	got, ok, err = v.JSON(len(wantText))
	require.NoError(t, err)
	require.True(t, ok)
	require.Len(t, got, len(wantText))
	_, _, err = v.JSON(len(wantText) - 1)
	require.ErrorIs(t, err, quickjs.ErrTooLarge)
}

// The bound is on the text alone, whatever it is appended to and however it is
// written: at once, or counted first because it is large.
func TestAppendJSONBoundsWhatItAppends(t *testing.T) {
	const large = 9 << 20 // more than is written without counting
	c := quickjstest.Context(t)
	for _, tt := range []struct {
		name, src string
		size      int
	}{
		{"small", "'xyz'", 5},
		{"large", "'x'.repeat(9 << 20)", large + 2},
		{"large with members left out", "({a: 'x'.repeat(9 << 20), ['k'.repeat(1e5)]: undefined})", large + len(`{"a":""}`)},
		{"by the engine", "({toJSON() { return 'xyz' }})", 5},
	} {
		v := mustEval(t, c, tt.src)
		for _, dst := range []string{"", "before"} {
			t.Run(tt.name+" after "+strconv.Quote(dst), func(t *testing.T) {
				for _, max := range []int{tt.size, tt.size + 1, math.MaxInt - len(dst), math.MaxInt} {
					text, ok, err := v.AppendJSON([]byte(dst), max)
					require.NoError(t, err)
					require.True(t, ok)
					require.Len(t, text, len(dst)+tt.size)
					require.Equal(t, dst, string(text[:len(dst)]))
				}
				for _, max := range []int{0, 1, tt.size - 1} {
					text, _, err := v.AppendJSON([]byte(dst), max)
					require.ErrorIs(t, err, quickjs.ErrTooLarge)
					require.Equal(t, dst, string(text))
				}
			})
		}
		v.Free()
	}
}

// A prototype that gains a toJSON between two values is noticed, and so is one
// that loses it.
func TestJSONSeesPatchedPrototypes(t *testing.T) {
	c := quickjstest.Context(t)
	for _, patch := range []string{"Object.prototype", "Array.prototype"} {
		v, err := c.Eval(patch+".toJSON = function () { return 'patched' }; [[{}]]", quickjs.EvalOptions{})
		require.NoError(t, err)
		text, _, err := v.JSON(math.MaxInt)
		require.NoError(t, err)
		require.Equal(t, `"patched"`, string(text))
		list, err := c.AppendJSONArray(nil, []quickjs.Value{v, c.Undefined(), v}, math.MaxInt)
		require.NoError(t, err)
		require.Equal(t, `["patched",null,"patched"]`, string(list), "the list itself stays a list")
		v.Free()
		v, err = c.Eval("delete "+patch+".toJSON; [[{}]]", quickjs.EvalOptions{})
		require.NoError(t, err)
		text, _, err = v.JSON(math.MaxInt)
		require.NoError(t, err)
		require.Equal(t, `[[{}]]`, string(text))
		v.Free()
	}
}

func TestJSONLikeStringifyForAnyValue(t *testing.T) {
	c := quickjstest.Context(t)
	stringify, err := c.Eval("const real = JSON.stringify; (v) => real(v, null)", quickjs.EvalOptions{})
	require.NoError(t, err)
	defer stringify.Free()
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, c, 4)
		defer v.Free()
		sameAsStringify(t, stringify, v)
	})
}

// The engine writes some numbers, most of them powers of two, with more digits than tell them from their
// neighbours. Ours are as few as can be (ECMA-262 6.1.6.1.20, Number::toString).
func TestJSONOfANumberHasNoMoreDigitsThanItNeeds(t *testing.T) {
	c := quickjstest.Context(t)
	for f, want := range map[float64][2]string{
		6.10987272699921e-151: {"6.10987272699921e-151", "6.1098727269992094e-151"},
		1.0 / (1 << 24):       {"5.960464477539063e-8", "5.9604644775390625e-8"},
		1 << 89:               {"6.189700196426902e+26", "6.1897001964269014e+26"},
	} {
		text, engines := numberBothWays(t, c, f)
		require.Equal(t, want[0], text)
		require.Equal(t, want[1], engines, "the engine has learnt it: hasTooManyDigits can go")
	}
}

func hasTooManyDigits(t require.TestingT, c *quickjs.Context, f float64) bool {
	text, engines := numberBothWays(t, c, f)
	return text != "null" && len(engines) > len(text)
}

func numberBothWays(t require.TestingT, c *quickjs.Context, f float64) (text, engines string) {
	v := c.Number(f)
	defer v.Free()
	json, _, err := v.JSON(100)
	require.NoError(t, err)
	engines, err = v.ToText()
	require.NoError(t, err)
	return string(json), engines
}

// drawValue makes plain data of any shape, with strings of any units.
func drawValue(t *rapid.T, c *quickjs.Context, depth int) quickjs.Value {
	kinds := 5
	if depth > 0 {
		kinds = 7
	}
	var v quickjs.Value
	var err error
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return c.Null()
	case 1:
		return c.Bool(rapid.Bool().Draw(t, "bool"))
	case 2:
		return c.Number(rapid.Float64().Filter(func(f float64) bool { return !hasTooManyDigits(t, c, f) }).Draw(t, "number"))
	case 3:
		return c.Int(rapid.Int32().Draw(t, "int"))
	case 4:
		v, err = c.StringUTF16(rapid.SliceOfN(rapid.Uint16(), 0, 20).Draw(t, "units"))
	case 5:
		items := make([]quickjs.Value, rapid.IntRange(0, 4).Draw(t, "items"))
		for i := range items {
			items[i] = drawValue(t, c, depth-1)
		}
		v, err = c.Array(items...)
		for _, item := range items {
			item.Free()
		}
	case 6:
		v, err = c.Object()
		require.NoError(t, err)
		for range rapid.IntRange(0, 5).Draw(t, "members") {
			m := drawValue(t, c, depth-1)
			name := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "0", "7", "10", "__proto__", "length", ""}), rapid.String()).Draw(t, "name")
			require.NoError(t, v.Define(name, m, quickjs.Ordinary))
			m.Free()
		}
	}
	require.NoError(t, err)
	return v
}
