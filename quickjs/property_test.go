package quickjs_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

func TestProperties(t *testing.T) {
	c := quickjstest.Context(t)
	o := quickjstest.Eval(t, c, `var log = []; var o = Object.create({ inherited: 1 }, {
		data: { value: 2, writable: true }, hidden: { get() { log.push('get'); return 3 }, configurable: true } }); o[7] = 4; o[Symbol.iterator] = 5; o`)
	get := func(name string) string {
		v, err := o.Get(name)
		require.NoError(t, err)
		defer v.Free()
		s, err := v.ToText()
		require.NoError(t, err)
		return s
	}
	require.Equal(t, []string{"1", "2", "3", "4", "undefined"}, []string{get("inherited"), get("data"), get("hidden"), get("7"), get("none")})

	keys, err := o.OwnKeys(false)
	require.NoError(t, err)
	require.Equal(t, []string{"7", "data", "hidden"}, keys)
	keys, err = o.OwnKeys(true)
	require.NoError(t, err)
	require.Equal(t, []string{"7"}, keys)

	p, ok, err := o.OwnProperty("data")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, [4]bool{false, true, false, false}, [4]bool{p.Accessor, p.Writable, p.Enumerable, p.Configurable})
	p.Free()
	_, ok, err = o.OwnProperty("inherited")
	require.NoError(t, err)
	require.False(t, ok)

	require.Equal(t, "get", textOf(t, c, "log.join()"))
	p, ok, err = o.OwnProperty("hidden")
	require.NoError(t, err)
	require.True(t, ok && p.Accessor && p.Getter.IsFunction() && p.Setter.IsUndefined())
	p.Free()
	require.Equal(t, "get", textOf(t, c, "log.join()"), "reading a descriptor runs no getter")

	sym := c.Symbol("iterator")
	defer sym.Free()
	v, err := o.GetKey(sym)
	require.NoError(t, err)
	n, _ := v.Int64()
	require.Equal(t, int64(5), n)
	require.NoError(t, o.DefineKey(sym, c.Null(), quickjs.Configurable))
	v.Free()
	require.Equal(t, "null", textOf(t, c, "String(o[Symbol.iterator])"))

	getter, err := c.Function("get acc", 0, func(c *quickjs.Context, this quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
		return c.Bool(this.StrictEqual(o)), nil
	})
	require.NoError(t, err)
	require.NoError(t, o.DefineAccessor("acc", getter, c.Undefined(), quickjs.Enumerable))
	getter.Free()
	require.Equal(t, "true", get("acc"))
	require.Equal(t, "true,false,", textOf(t, c, "const d = Object.getOwnPropertyDescriptor(o, 'acc'); [d.enumerable, d.configurable, d.set].join()"))

	for name, do := range map[string]func() error{
		"set without setter":    func() error { return o.Set("acc", c.Null()) },
		"set what is fixed":     func() error { return c.Undefined().Set("x", c.Null()) },
		"define what is fixed":  func() error { return o.Define("acc", c.Null(), quickjs.Ordinary) },
		"delete what is fixed":  func() error { return o.Delete("data") },
		"get of undefined":      func() error { _, err := c.Undefined().Get("x"); return err },
		"index of null":         func() error { _, err := c.Null().Index(1); return err },
		"instance of no class":  func() error { _, err := o.InstanceOf(o); return err },
		"call of no function":   func() error { _, err := o.Call(c.Undefined()); return err },
		"new of no constructor": func() error { _, err := o.New(); return err },
	} {
		var e *quickjs.Exception
		err := do()
		require.ErrorAs(t, err, &e, name)
		require.Equal(t, "TypeError", e.Name, name)
		e.Free()
	}

	require.NoError(t, o.Set("new", c.Bool(true)))
	has, err := o.Has("new")
	require.NoError(t, err)
	require.True(t, has)
	require.NoError(t, o.Delete("new"))
	has, err = o.Has("new")
	require.NoError(t, err)
	require.False(t, has)

	require.NoError(t, o.SetIndex(9, c.Null()))
	v, err = o.Index(9)
	require.NoError(t, err)
	require.Equal(t, quickjs.KindNull, v.Kind())
}

func TestIntegrity(t *testing.T) {
	c := quickjstest.Context(t)
	o := quickjstest.Eval(t, c, "var o = { a: 1, get b() { return 2 }, [Symbol.iterator]: 3 }; o")
	is, err := o.IsExtensible()
	require.NoError(t, err)
	require.True(t, is)
	require.NoError(t, o.Freeze())
	require.Equal(t, "true", textOf(t, c, "Object.isFrozen(o)"))
	is, err = o.IsExtensible()
	require.NoError(t, err)
	require.False(t, is)

	p := quickjstest.Eval(t, c, "var p = { a: 1 }; p")
	require.NoError(t, p.PreventExtensions())
	require.Equal(t, "false,false", textOf(t, c, "[Object.isExtensible(p), Object.isSealed(p)].join()"))

	refusing := quickjstest.Eval(t, c, "new Proxy({}, { preventExtensions() { return false } })")
	for _, err := range []error{refusing.Freeze(), refusing.PreventExtensions()} {
		require.ErrorContains(t, err, "TypeError")
		freeException(t, err)
	}
	elements := quickjstest.Eval(t, c, "new Uint8Array(2)")
	err = elements.Freeze()
	require.ErrorContains(t, err, "TypeError")
	freeException(t, err)
	one := c.Int(1)
	defer one.Free()
	require.NoError(t, one.Freeze())
}

func TestPrototypes(t *testing.T) {
	c := quickjstest.Context(t)
	proto := quickjstest.Eval(t, c, "({ x: 1 })")
	o, err := c.ObjectWithProto(proto)
	require.NoError(t, err)
	defer o.Free()
	back, err := o.Prototype()
	require.NoError(t, err)
	defer back.Free()
	require.True(t, back.StrictEqual(proto))
	require.Equal(t, proto.Identity(), back.Identity())
	bare, err := c.ObjectWithProto(c.Null())
	require.NoError(t, err)
	defer bare.Free()
	none, err := bare.Prototype()
	require.NoError(t, err)
	require.Equal(t, c.Null(), none)
	_, err = c.ObjectWithProto(c.Bool(true))
	require.EqualError(t, err, "quickjs: a prototype must be an object or null, not boolean")
	class := quickjstest.Eval(t, c, "class A {}; A")
	a, err := class.New()
	require.NoError(t, err)
	defer a.Free()
	is, err := a.InstanceOf(class)
	require.NoError(t, err)
	require.True(t, is)
}

// Names are read as long as they are few and short together; what was read until
// then is not lost.
func TestOwnKeysMax(t *testing.T) {
	c := quickjstest.Context(t)
	o := quickjstest.Eval(t, c, "({ ab: 1, '\\u20ac\\u20ac': 2, ['k'.repeat(1e6)]: undefined, z: 4 })")
	for _, tt := range []struct {
		name       string
		max, units int
		want       []string
		err        error
	}{
		{"few", 2, math.MaxInt, []string{"ab", "€€"}, nil},
		{"none", 0, 0, nil, nil},
		{"no units", 4, 0, nil, quickjs.ErrTooLarge},
		{"room for one", 4, 3, []string{"ab"}, quickjs.ErrTooLarge},
		{"exactly two", 2, 4, []string{"ab", "€€"}, nil},
		{"a long one", 4, 1_000_003, []string{"ab", "€€"}, quickjs.ErrTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			names, err := o.OwnKeysMax(true, tt.max, tt.units)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, names)
		})
	}
}
