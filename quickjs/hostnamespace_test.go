package quickjs_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// namespaceIn defines a global ns whose members give back their name and
// arguments, as JSON text.
func namespaceIn(t testing.TB, c *quickjs.Context) {
	t.Helper()
	ns, err := c.HostNamespace(func(c *quickjs.Context, name quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		text, _ := name.Text()
		list, err := c.AppendJSONArray([]byte(text), args, math.MaxInt)
		if err != nil {
			return quickjs.Value{}, err
		}
		return c.String(string(list))
	})
	require.NoError(t, err)
	global := c.Global()
	require.NoError(t, global.Define("ns", ns, quickjs.Ordinary))
	ns.Free()
	global.Free()
}

func TestHostNamespace(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"call", "ns.f(1, 'a', {b: [true]})", `f[1,"a",{"b":[true]}]`},
		{"no arguments", "ns.f()", `f[]`},
		{"many arguments", "ns.f(...Array(300).fill(0)).length", "602"},
		{"what has no JSON form", "ns.f(undefined, () => 1, Symbol())", `f[null,null,null]`},
		{"any name", "ns['a b\\u0000\\ud800'](1)", "a b\x00\ufffd[1]"},
		{"the empty name", "ns['']()", "[]"},
		{"an index", "ns[7]() + ns['07']() + ns[4294967295]() + ns[-1]()", "7[]07[]4294967295[]-1[]"},
		{"names of what objects have", "ns.toString() + ns.__proto__(1) + ns.constructor()", "toString[]__proto__[1]constructor[]"},
		{"kept", "const f = ns.f; f(1) + f.call(null, 2) + f.apply(ns, [3]) + f.bind(null, 4)(5)", "f[1]f[2]f[3]f[4,5]"},
		{"fresh each time", "[ns.f === ns.f, typeof ns.f, typeof ns]", "false,function,object"},
		{"what can be awaited, returned and logged", "[ns.then, ns.toJSON, ns[Symbol.iterator], ns[Symbol.toPrimitive], ns[Symbol.toStringTag]].every((x) => x === undefined)", "true"},
		{"text", "Object.prototype.toString.call(ns) + JSON.stringify(ns)", "[object Object]{}"},
		{"no keys", "[Reflect.ownKeys(ns).length, 'f' in ns, Object.hasOwn(ns, 'f'), Object.keys({...ns}).length]", "0,false,false,0"},
		{"no prototype", "[Object.getPrototypeOf(ns), Reflect.setPrototypeOf(ns, {}), Object.isFrozen(ns), Object.isExtensible(ns)]", ",false,true,false"},
		{"writes", "(() => { 'use strict'; const out = []; for (const f of [() => { ns.f = 1 }, () => { ns[0] = 1 }, () => Object.defineProperty(ns, 'g', {value: 1}), () => Object.setPrototypeOf(ns, {})]) try { f(); out.push('done') } catch (e) { out.push(e.name) } return out })()", "TypeError,TypeError,TypeError,TypeError"},
		{"a write that does not throw", "(() => { ns.f = 1; return ns.f(2) })()", "f[2]"},
		{"delete", "delete ns.f", "true"},
		{"through a prototype", "Object.create(ns).f(1)", "f[1]"},
		{"through a Proxy", "new Proxy(ns, {}).f(1)", "f[1]"},
		{"through Reflect", "Reflect.get(ns, 'f', {})(1)", "f[1]"},
		{"with", "with ({...ns}) { typeof f }", "undefined"},
		{"a member is a plain function", "const m = ns.f; [Object.getPrototypeOf(m) === Function.prototype, Reflect.ownKeys(m).length, m.name, m.length]", "true,0,,0"},
		{"a member shows no code", "String(ns.f).includes('native code')", "true"},
		{"a member is no constructor", "try { new ns.f() } catch (e) { e.name }", "TypeError"},
		{"a member takes properties", "const p = ns.f; p.x = 1; [p.x, ns.f.x]", "1,"},
		{"an argument that throws", "try { ns.f({ toJSON() { throw new RangeError('no') } }) } catch (e) { e.name + e.message }", "RangeErrorno"},
		{"an argument that calls", "ns.f({ toJSON() { return ns.g(1) } })", `f["g[1]"]`},
		{"as a tag, a callback and a getter", "ns.f`x` + [1].map(ns.g) + Object.defineProperty({}, 'p', {get: ns.h}).p", `f[["x"]]g[1,0,[1]]h[]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := quickjstest.Context(t)
			namespaceIn(t, c)
			v, err := c.Eval("String(eval(`"+escape(test.source)+"`))", quickjs.EvalOptions{})
			require.NoError(t, err)
			text, ok := v.Text()
			require.True(t, ok)
			require.Equal(t, test.want, text)
			v.Free()
		})
	}
}

// escape makes a source safe inside a template literal.
func escape(source string) string {
	out := make([]byte, 0, len(source))
	for _, b := range []byte(source) {
		if b == '`' || b == '\\' || b == '$' {
			out = append(out, '\\')
		}
		out = append(out, b)
	}
	return string(out)
}

// What a namespace hands out lives as long as the guest holds it, and no longer:
// neither functions nor names stay behind.
func TestHostNamespaceLeavesNothing(t *testing.T) {
	c := quickjstest.Context(t)
	namespaceIn(t, c)
	rt := c.Runtime()
	once := func() int64 {
		v, err := c.Eval("for (let i = 0; i < 1000; i++) { const f = ns['name' + i]; f.self = [f]; f(i) }", quickjs.EvalOptions{})
		require.NoError(t, err)
		v.Free()
		require.NoError(t, rt.GC())
		return rt.Memory().Used
	}
	once()
	before := once()
	for range 3 {
		require.LessOrEqual(t, once(), before)
	}
}

func TestHostNamespaceOfAnotherRealm(t *testing.T) {
	rt := quickjstest.Context(t).Runtime()
	a, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	b, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	var in *quickjs.Context
	ns, err := a.HostNamespace(func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
		in = c
		return quickjs.Value{}, errors.New("refused")
	})
	require.NoError(t, err)
	global := b.Global()
	require.NoError(t, global.Define("ns", ns, quickjs.Ordinary))
	v, err := b.Eval("try { ns.f() } catch (e) { [e instanceof Error, e.message, ns.f instanceof Function] + '' }", quickjs.EvalOptions{})
	require.NoError(t, err)
	text, _ := v.Text()
	require.Equal(t, "false,refused,false", text, "functions and errors belong to the namespace's realm")
	require.Same(t, a, in)
	v.Free()
	ns.Free()
	global.Free()
}

func TestHostNamespaceIsRewound(t *testing.T) {
	c := quickjstest.Context(t)
	require.NoError(t, c.Runtime().Checkpoint())
	for range 3 {
		namespaceIn(t, c)
		v, err := c.Eval("globalThis.kept = ns.f; kept(1)", quickjs.EvalOptions{})
		require.NoError(t, err)
		text, _ := v.Text()
		require.Equal(t, "f[1]", text)
		require.NoError(t, c.Runtime().Rewind())
		v, err = c.Eval("typeof ns + typeof kept", quickjs.EvalOptions{})
		require.NoError(t, err)
		text, _ = v.Text()
		require.Equal(t, "undefinedundefined", text)
		v.Free()
	}
	namespaceIn(t, c)
	require.NoError(t, c.Runtime().Checkpoint())
	require.NoError(t, c.Runtime().Rewind())
	v, err := c.Eval("ns.f(2)", quickjs.EvalOptions{})
	require.NoError(t, err)
	text, _ := v.Text()
	require.Equal(t, "f[2]", text, "one that is part of the image stays")
	v.Free()
}

func TestHostNamespaceOfNil(t *testing.T) {
	c := quickjstest.Context(t)
	_, err := c.HostNamespace(nil)
	require.EqualError(t, err, "quickjs: HostNamespace of nil")
}

func TestTooManyHostNamespaces(t *testing.T) {
	c := quickjstest.Context(t)
	require.NoError(t, c.Runtime().Checkpoint())
	f := func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, nil
	}
	for range 1 << 16 {
		ns, err := c.HostNamespace(f)
		require.NoError(t, err)
		ns.Free()
	}
	_, err := c.HostNamespace(f)
	require.EqualError(t, err, "quickjs: more than 65536 namespaces in one Runtime")
	require.NoError(t, c.Runtime().Rewind())
	ns, err := c.HostNamespace(f)
	require.NoError(t, err)
	ns.Free()
}

// A panic behind a member is raised again outside, as behind a Func.
func TestHostNamespacePanics(t *testing.T) {
	c := quickjstest.Context(t)
	require.NoError(t, c.Runtime().Checkpoint())
	ns, err := c.HostNamespace(func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) { panic("mine") })
	require.NoError(t, err)
	require.NoError(t, c.Global().Define("ns", ns, quickjs.Ordinary))
	require.PanicsWithValue(t, "mine", func() { _, _ = c.Eval("try { ns.f() } catch {}", quickjs.EvalOptions{}) })
	require.NoError(t, c.Runtime().Rewind())
}

// Members that call each other through an argument's toJSON are deep in Go and
// in the engine by turns; the stack limit sees to both.
func TestHostNamespaceRecursion(t *testing.T) {
	c := quickjstest.Context(t)
	namespaceIn(t, c)
	v, err := c.Eval("let depth = 0; const again = { toJSON() { depth++; return ns.f(again) } }; try { ns.f(again) } catch (e) { [e.name, e.message, depth > 100] + '' }", quickjs.EvalOptions{})
	require.NoError(t, err)
	text, _ := v.Text()
	require.Equal(t, "InternalError,stack overflow,true", text)
	v.Free()
}
