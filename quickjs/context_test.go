package quickjs_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

func TestEval(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		o         quickjs.EvalOptions
		want      string
	}{
		{"completion value", "1; if (true) { 2 }", quickjs.EvalOptions{}, "2"},
		{"empty", "", quickjs.EvalOptions{}, "undefined"},
		{"sloppy", "x = 1; typeof this + x", quickjs.EvalOptions{}, "object1"},
		{"strict", "x = 1", quickjs.EvalOptions{Strict: true}, "quickjs: ReferenceError: 'x' is not defined"},
		{"throw", "throw new RangeError('m')", quickjs.EvalOptions{}, "quickjs: RangeError: m"},
		{"throw text", "throw 'm'", quickjs.EvalOptions{}, "quickjs: the guest threw m"},
		{"throw number", "throw -0.5", quickjs.EvalOptions{}, "quickjs: the guest threw -0.5"},
		{"throw null", "throw null", quickjs.EvalOptions{}, "quickjs: the guest threw null"},
		{"throw undefined", "throw undefined", quickjs.EvalOptions{}, "quickjs: the guest threw undefined"},
		{"throw true", "throw true", quickjs.EvalOptions{}, "quickjs: the guest threw true"},
		{"throw object", "throw { message: 'no' }", quickjs.EvalOptions{}, "quickjs: the guest threw a value that is not an error"},
		{"syntax error", "a b", quickjs.EvalOptions{Name: "f.js"}, "quickjs: SyntaxError: expecting ';'"},
		{"await without async", "await 1", quickjs.EvalOptions{}, "quickjs: SyntaxError: expecting ';'"},
		{"not UTF-8", "'\xff'", quickjs.EvalOptions{}, "quickjs: source is not UTF-8 or contains U+0000 in its name"},
		{"NUL in the name", "1", quickjs.EvalOptions{Name: "a\x00"}, "quickjs: source is not UTF-8 or contains U+0000 in its name"},
		{"NUL in the source", "'a\x00b'.length", quickjs.EvalOptions{}, "3"},
		{"name", "new Error().stack", quickjs.EvalOptions{Name: "some file.js"}, "    at <eval> (some file.js:1:10)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := quickjstest.Context(t)
			v, err := c.Eval(tt.src, tt.o)
			if err != nil {
				require.EqualError(t, err, tt.want)
				var e *quickjs.Exception
				if errors.As(err, &e) {
					e.Free()
				}
				return
			}
			s, err := v.ToText()
			require.NoError(t, err)
			require.Equal(t, tt.want, s)
			v.Free()
		})
	}
}

func TestEvalOfAnAsyncScript(t *testing.T) {
	c := quickjstest.Context(t)
	p, err := c.Eval("const x = await Promise.resolve(20); x + 1", quickjs.EvalOptions{Async: true})
	require.NoError(t, err)
	defer p.Free()
	require.Equal(t, quickjs.Pending, p.PromiseState())
	require.Equal(t, c.Undefined(), p.PromiseResult())
	require.True(t, c.Runtime().JobPending())
	n, err := c.Runtime().RunJobs(1)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = c.Runtime().RunJobs(0)
	require.NoError(t, err)
	require.Equal(t, quickjs.Fulfilled, p.PromiseState())
	r := p.PromiseResult()
	defer r.Free()
	v, err := r.Get("value")
	require.NoError(t, err)
	defer v.Free()
	got, _ := v.Int64()
	require.Equal(t, int64(21), got)
	require.Equal(t, quickjs.NotPromise, r.PromiseState())
}

func TestNoEval(t *testing.T) {
	rt := quickjstest.New(t, quickjs.Limits{})
	c, err := rt.NewContext(quickjs.ContextOptions{NoEval: true})
	require.NoError(t, err)
	for _, src := range []string{
		"eval('1')", "(0, eval)('1')", "Function('1')", "new (async () => {}).constructor('1')",
		"(function* () {}).constructor('1')()", "Reflect.construct(Function, ['1'])", "eval('x y')",
	} {
		require.Equal(t, "TypeError: code generation from strings is not allowed here", textOf(t, c, "try { "+src+" } catch (e) { String(e) }"), src)
	}
	require.Equal(t, "7", textOf(t, c, "eval(7)"))
}

func TestOptionalGlobals(t *testing.T) {
	rt := quickjstest.New(t, quickjs.Limits{})
	c, err := rt.NewContext(quickjs.ContextOptions{NoProxy: true, NoTypedArrays: true, NoWeakRef: true})
	require.NoError(t, err)
	require.Equal(t, "undefined,undefined,undefined", textOf(t, c, "[typeof Proxy, typeof Uint8Array, typeof WeakRef].join()"))
	require.Equal(t, "3", textOf(t, c, "[1, 2, 3].map(x => x).length"))
}

func TestRealmsShareAHeap(t *testing.T) {
	rt := quickjstest.New(t, quickjs.Limits{})
	a, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	b, err := rt.NewContext(quickjs.ContextOptions{NoEval: true})
	require.NoError(t, err)
	arr := mustEval(t, a, "[1, 2]")
	defer arr.Free()
	global := b.Global()
	defer global.Free()
	require.NoError(t, global.Set("foreign", arr))
	require.Equal(t, "false true 2", textOf(t, b, "`${foreign instanceof Array} ${Array.isArray(foreign)} ${foreign.length}`"))
	require.Equal(t, "undefined", textOf(t, a, "typeof foreign"))
	// An error of either realm is known by its prototype.
	_, err = b.Eval("foreign.constructor.from(null)", quickjs.EvalOptions{})
	require.ErrorContains(t, err, "TypeError")
	freeException(t, err)
	// A Go function is called with the realm it was made in.
	f, err := a.Function("f", 0, func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
		return c.Bool(c == a), nil
	})
	require.NoError(t, err)
	require.NoError(t, global.Set("f", f))
	f.Free()
	require.Equal(t, "true", textOf(t, b, "f()"))
	// What is compiled from text obeys the realm of the function that compiles.
	require.Equal(t, "TypeError", textOf(t, b, "try { Function('1') } catch (e) { e.name }"))
	require.Equal(t, "2", textOf(t, b, "foreign.constructor.constructor('return 1 + 1')()"))
}

func TestModules(t *testing.T) {
	rt := quickjstest.New(t, quickjs.Limits{})
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	var asked []string
	rt.SetModuleLoader(func(name string) (string, error) {
		asked = append(asked, name)
		switch name {
		case "lib/a":
			return "import b from './b'; export default b + 1; export { b as original }", nil
		case "lib/b":
			return "export default 41", nil
		case "broken":
			return "export x y", nil
		}
		return "", fmt.Errorf("there is no %s 100%%", name)
	})
	jobs := func() {
		_, err := rt.RunJobs(0)
		require.NoError(t, err)
	}
	m, err := c.Compile("import a, * as all from 'lib/a'; export let x = a; export const keys = Object.keys(all).join()", quickjs.EvalOptions{Module: true, Name: "main.js"})
	require.NoError(t, err)
	defer m.Free()
	require.Equal(t, quickjs.KindOther, m.Kind())
	_, err = m.Namespace()
	require.EqualError(t, err, "quickjs: Namespace of a value that is no module or was not run yet")
	p, err := c.Run(m)
	require.NoError(t, err)
	defer p.Free()
	jobs()
	require.Equal(t, quickjs.Fulfilled, p.PromiseState())
	ns, err := m.Namespace()
	require.NoError(t, err)
	defer ns.Free()
	text, ok, err := ns.JSON(1000)
	require.NoError(t, err)
	require.True(t, ok)
	require.JSONEq(t, `{"keys":"default,original","x":42}`, string(text))
	require.Equal(t, []string{"lib/a", "lib/b"}, asked)

	for name, want := range map[string]string{"none": "Error: there is no none 100%", "broken": "SyntaxError"} {
		p := mustEval(t, c, "import('"+name+"').catch(e => { globalThis.failure = e })")
		jobs()
		require.Contains(t, textOf(t, c, "String(failure)"), want)
		p.Free()
	}
	rt.SetModuleLoader(nil)
	_, err = c.Eval("import 'some%snew'", quickjs.EvalOptions{Module: true})
	require.EqualError(t, err, "quickjs: ReferenceError: could not load module 'some%snew': there is no module loader")
	freeException(t, err)
	three := c.Int(3)
	defer three.Free()
	_, err = three.Namespace()
	require.Error(t, err)
}

func TestCode(t *testing.T) {
	c := quickjstest.Context(t)
	code, err := c.Compile("var n = (globalThis.n ?? 0) + 1; `${n} stack ${({ stack: 1 }).stack} ${[1n, /x/.source]}`", quickjs.EvalOptions{Name: "code.js"})
	require.NoError(t, err)
	defer code.Free()
	require.Equal(t, "undefined", textOf(t, c, "typeof n"))
	for i := range 2 {
		v, err := c.Run(code)
		require.NoError(t, err)
		s, _ := v.Text()
		require.Equal(t, fmt.Sprintf("%d stack 1 1,x", i+1), s)
		v.Free()
	}
	data, err := c.WriteCode(code)
	require.NoError(t, err)
	other := quickjstest.Context(t)
	again, err := other.ReadCode(data)
	require.NoError(t, err)
	defer again.Free()
	v, err := other.Run(again)
	require.NoError(t, err)
	s, _ := v.Text()
	require.Equal(t, "1 stack 1 1,x", s)
	v.Free()

	text, err := c.String("x")
	require.NoError(t, err)
	defer text.Free()
	_, err = c.Run(text)
	require.EqualError(t, err, "quickjs: Run of a value that is not compiled code")
	_, err = c.WriteCode(text)
	require.EqualError(t, err, "quickjs: WriteCode of a value that is not compiled code")
	_, err = c.ReadCode(nil)
	require.EqualError(t, err, "quickjs: ReadCode of nothing")
	_, err = c.ReadCode([]byte("nonsense"))
	require.ErrorContains(t, err, "SyntaxError")
	freeException(t, err)
}

func TestJSON(t *testing.T) {
	c := quickjstest.Context(t)
	mustEval(t, c, "JSON.parse = JSON.stringify = () => { throw 1 }; undefined")
	for _, text := range []string{`{"__proto__":{"a":1},"b":[1,2.5,null,true,"\u0000é😀"]}`, `"x"`, `[]`} {
		v, err := c.ParseJSON([]byte(text))
		require.NoError(t, err)
		out, ok, err := v.JSON(1000)
		require.NoError(t, err)
		require.True(t, ok)
		require.JSONEq(t, text, string(out))
		v.Free()
	}
	for _, text := range []string{"", "{", "[1,]", "undefined", "1 2", "{a:1}"} {
		_, err := c.ParseJSON([]byte(text))
		require.ErrorContains(t, err, "SyntaxError", text)
		freeException(t, err)
	}
	for _, src := range []string{"undefined", "() => 1", "Symbol()"} {
		v := quickjstest.Eval(t, c, src)
		_, ok, err := v.JSON(1000)
		require.NoError(t, err)
		require.False(t, ok)
	}
	v := quickjstest.Eval(t, c, "'é'.repeat(10)")
	_, _, err := v.JSON(21)
	require.ErrorIs(t, err, quickjs.ErrTooLarge)
	out, _, err := v.JSON(22)
	require.NoError(t, err)
	require.Len(t, out, 22)
	bad := quickjstest.Eval(t, c, "({ toJSON() { throw new RangeError('mine') } })")
	_, _, err = bad.JSON(10)
	require.EqualError(t, err, "quickjs: RangeError: mine")
	freeException(t, err)
}

// Every run starts from the same bytes, whatever the one before did to the realm.
// No byte of an earlier run can be found in memory that a later one gets.
