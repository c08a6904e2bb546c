package quickjs_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// Each of the four says what the engine's own function says, which a second
// argument of another type than the commonest still reaches.
const bothWays = `(() => {
	const told = f => { try { return f() } catch (e) { return 'threw ' + (e instanceof Error ? e.name + ': ' + e.message : String(e)) } };
	const plain = v => JSON.stringify(v, null);
	return {
		stringify: v => [told(() => JSON.stringify(v)), told(() => JSON.stringify(v, null))],
		parse: s => [told(() => plain(JSON.parse(s))), told(() => plain(JSON.parse(s, null)))],
		indexOf: (s, x, p) => p === undefined ? [s.indexOf(x), s.indexOf(x, '0')] : [s.indexOf(x, p), s.indexOf(x, String(p))],
		includes: (s, x, p) => p === undefined ? [s.includes(x), s.includes(x, '0')] : [s.includes(x, p), s.includes(x, String(p))],
	};
})()`

func agree(t require.TestingT, both quickjs.Value, name string, args ...quickjs.Value) {
	f, err := both.Get(name)
	require.NoError(t, err)
	defer f.Free()
	pair, err := f.Call(both, args...)
	require.NoError(t, err)
	defer pair.Free()
	ours, err := pair.Index(0)
	require.NoError(t, err)
	defer ours.Free()
	engines, err := pair.Index(1)
	require.NoError(t, err)
	defer engines.Free()
	if !ours.SameValue(engines) {
		a, _ := ours.ToText()
		b, _ := engines.ToText()
		require.Equal(t, b, a, name)
	}
}

func TestGuestJSONLikeTheEngines(t *testing.T) {
	c := quickjstest.Context(t)
	both := quickjstest.Eval(t, c, bothWays)
	for _, src := range []string{
		"undefined", "null", "-0", "NaN", "1e21", "1e-7", "'x'", "'\\u0000\\u2028\\ud800\\u{1f600}é'", "Symbol()", "1n", "() => 1", "new String('s')",
		"[]", "{}", "[1, , 3]", "[undefined, () => 1]", "{a: undefined, b: [null]}", "new Date(0)", "new Proxy([1], {})", "{toJSON: () => 7}", "[1n]",
		"Object.create({toJSON: () => 8})", "{get a() { return 1 }}", "{get a() { throw new TypeError('no') }}", "(() => { const a = []; a.push(a); return a })()",
		"'x'.repeat(262142)", "'x'.repeat(262143)", "'€'.repeat(90000)", "Array(3e4).fill('0123456789')", "'a' + 'b'.repeat(500)",
	} {
		agree(t, both, "stringify", quickjstest.Eval(t, c, "("+src+")"))
	}
	for _, text := range []string{
		"1", "[1,2", "", "{\"a\":1}", " [ ] ", "\"é\"", "\"€😀\"", "\"\\ud800\"", "{\"é\":\"\\n\"}", "{\"😀\":{\"__proto__\":1}}", "[1,]", "nul", "\"\x00\"", "\"\\u00e9\n\"",
		strings.Repeat("[", 300) + strings.Repeat("]", 300), "\"" + strings.Repeat("x", 262142) + "\"", "\"" + strings.Repeat("x", 262143) + "\"", "\"" + strings.Repeat("é", 262142) + "\"",
	} {
		s, err := c.String(text)
		require.NoError(t, err)
		agree(t, both, "parse", s)
		s.Free()
	}
	for _, src := range []string{ // texts that Go has no way to write
		"'\"\\ud800\"'", "'\"\\udc00\\ud800\"'", "'[\"\\ud83d\\\\ude00\"]'", "'\"a' + 'b'.repeat(1000) + '\"'", "'[' + '1,'.repeat(1000) + '\\u20ac]'",
		"undefined", "null", "12", "({toString: () => '[3]'})", "({toString() { throw 4 }})", "Symbol()", "['[5]']", "new String('{}')", "true",
	} {
		agree(t, both, "parse", quickjstest.Eval(t, c, src))
	}
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, c, 4)
		defer v.Free()
		agree(t, both, "stringify", v)
		text, ok, err := v.JSON(1 << 20)
		require.NoError(t, err)
		require.True(t, ok)
		s, err := c.String(string(text))
		require.NoError(t, err)
		defer s.Free()
		agree(t, both, "parse", s)
	})
}

func TestGuestSearchLikeTheEngines(t *testing.T) {
	c := quickjstest.Context(t)
	both := quickjstest.Eval(t, c, bothWays)
	for _, args := range []string{
		"'', ''", "'abc', ''", "'abc', '', 2", "'abc', '', 3", "'abc', '', 9", "'abc', 'c', 2", "'abc', 'c', 3", "'abc', 'a', -5", "'abc', 'abcd'",
		"'aaab', 'ab'", "'aéb', 'é'", "'aéb', 'b'", "'a€b', 'b'", "'a€b', '€'", "'abc', '€'", "'\\u0000x', 'x'", "'ab'.repeat(600) + 'c', 'bc'",
		"'x'.repeat(600), 'x'.repeat(300) + 'x'.repeat(301)", "'abc', 'b', 1e9", "'abc', 'b', 4294967296", "'abc', 'b', 0.5", "'abc', 'c', NaN", "'1undefined', undefined", "'a1', 1", "'null', null",
		"'x'.repeat(3e6) + 'y', 'y'", "'x'.repeat(3e6) + 'y' + 'x'.repeat(9), 'xy', 1048575", "'x'.repeat(2 ** 20 - 1) + 'yz', 'yz'",
	} {
		for _, name := range []string{"indexOf", "includes"} {
			f := quickjstest.Eval(t, c, "(f => f("+args+"))")
			g, err := both.Get(name)
			require.NoError(t, err)
			pair, err := f.Call(c.Undefined(), g)
			require.NoError(t, err)
			text, _, err := pair.JSON(100)
			require.NoError(t, err)
			halves := strings.Split(strings.Trim(string(text), "[]"), ",")
			require.Equal(t, halves[1], halves[0], name+" "+args)
			g.Free()
			pair.Free()
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]string{"a", "b", "é", "ab", "aab", "€"})
		text := strings.Join(rapid.SliceOfN(letters, 0, 40).Draw(t, "text"), "")
		wanted := strings.Join(rapid.SliceOfN(letters, 0, 4).Draw(t, "wanted"), "")
		s, err := c.String(text)
		require.NoError(t, err)
		defer s.Free()
		x, err := c.String(wanted)
		require.NoError(t, err)
		defer x.Free()
		for _, name := range []string{"indexOf", "includes"} {
			agree(t, both, name, s, x)
			from := c.Int(int32(rapid.IntRange(-2, 50).Draw(t, "from")))
			agree(t, both, name, s, x, from)
			from.Free()
		}
	})
}

// What a program sees of them is what the engine made.
func TestGuestBuiltinsLookTheSame(t *testing.T) {
	c := quickjstest.Context(t)
	for _, f := range []string{"JSON.stringify 3", "JSON.parse 2", "String.prototype.indexOf 1", "String.prototype.includes 1"} {
		name, length, _ := strings.Cut(f, " ")
		last := name[strings.LastIndex(name, ".")+1:]
		got := quickjstest.Eval(t, c, fmt.Sprintf(`[%[1]s.name, %[1]s.length, typeof %[1]s.prototype, String(%[1]s), (() => { try { new %[1]s } catch (e) { return e.name } })()].join('|')`, name))
		text, _ := got.Text()
		require.Equal(t, last+"|"+length+"|undefined|function "+last+"() {\n    [native code]\n}|TypeError", text)
	}
	for src, want := range map[string]string{
		"String.prototype.indexOf.call(null, 'x')":                    "TypeError",
		"String.prototype.includes.call(undefined, 'x')":              "TypeError",
		"'x'.includes(/x/)":                                           "TypeError",
		"JSON.parse()":                                                "SyntaxError",
		"String.prototype.indexOf.call({toString() { throw 1 }}, '')": "number",
	} {
		got := quickjstest.Eval(t, c, "(() => { try { return "+src+" } catch (e) { return e.name ?? typeof e } })()")
		text, _ := got.Text()
		require.Equal(t, want, text, src)
	}
	// Few arguments, and calls from the engine.
	require.Equal(t, `[0,"a",true,[1]]`, evalText(t, c, `JSON.stringify(['undefined'.indexOf(), JSON.parse('"a"'), 'undefined'.includes(), ['1'].map(JSON.parse)])`))
}

func evalText(t *testing.T, c *quickjs.Context, src string) string {
	t.Helper()
	text, ok := quickjstest.Eval(t, c, src).Text()
	require.True(t, ok)
	return text
}

// Of what it takes outside the guest's memory, little is there at any time and
// nothing after a rewind.
func TestGuestTextTakesLittle(t *testing.T) {
	rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 64 << 20})
	require.NoError(t, err)
	defer rt.Close()
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	for _, src := range []string{
		"JSON.stringify('\\u0001'.repeat(3e5)).length", "JSON.stringify(Array(7e4).fill('x')).length", "JSON.stringify({a: 1}).length",
	} {
		v, err := c.Eval(src, quickjs.EvalOptions{})
		require.NoError(t, err)
		v.Free()
		require.Less(t, rt.GuestText(), 2<<20, src)
	}
	require.NotZero(t, rt.GuestText())
	require.NoError(t, rt.Rewind())
	require.Zero(t, rt.GuestText())
}

// A search is as long as its text and no longer, and ends when it has to.
func TestGuestSearchEnds(t *testing.T) {
	rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 256 << 20})
	require.NoError(t, err)
	defer rt.Close()
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	start := time.Now()
	spent, err := rt.Do(quickjs.Budget{Limited: true, CPU: 20 * time.Second}, func() error {
		v, err := c.Eval("'a'.repeat(1e7).indexOf('a'.repeat(3e6) + 'b')", quickjs.EvalOptions{})
		if err == nil {
			n, _ := v.Float()
			require.Equal(t, -1.0, n)
			v.Free()
		}
		return err
	})
	require.NoError(t, err, "after %v", time.Since(start))
	require.Less(t, spent.CPU, 20*time.Second)

	_, err = rt.Do(quickjs.Budget{Limited: true, CPU: 50 * time.Millisecond}, func() error {
		_, err := c.Eval("const s = 'ab'.repeat(1e7); for (;;) s.includes('ba'.repeat(99) + 'x')", quickjs.EvalOptions{})
		return err
	})
	require.ErrorIs(t, err, quickjs.ErrCPU)
}
