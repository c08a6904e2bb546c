package quickjs_test

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

func TestKinds(t *testing.T) {
	c := quickjstest.Context(t)
	for _, tt := range []struct {
		src   string
		kind  quickjs.Kind
		class string
		truth bool
	}{
		{"undefined", quickjs.KindUndefined, "", false},
		{"null", quickjs.KindNull, "", false},
		{"true", quickjs.KindBool, "", true},
		{"false", quickjs.KindBool, "", false},
		{"0", quickjs.KindNumber, "", false},
		{"NaN", quickjs.KindNumber, "", false},
		{"1.5", quickjs.KindNumber, "", true},
		{"0n", quickjs.KindBigInt, "", false},
		{"2n ** 100n", quickjs.KindBigInt, "", true},
		{"''", quickjs.KindString, "", false},
		{"'a'.repeat(500) + 'b'.repeat(9000)", quickjs.KindString, "", true},
		{"Symbol()", quickjs.KindSymbol, "", true},
		{"({})", quickjs.KindObject, "Object", true},
		{"[]", quickjs.KindObject, "Array", true},
		{"(() => 1)", quickjs.KindObject, "Function", true},
		{"Math.max", quickjs.KindObject, "Function", true},
		{"new Map", quickjs.KindObject, "Map", true},
		{"new Date(0)", quickjs.KindObject, "Date", true},
		{"/x/", quickjs.KindObject, "RegExp", true},
		{"Promise.resolve()", quickjs.KindObject, "Promise", true},
		{"new TypeError", quickjs.KindObject, "Error", true},
		{"Object.defineProperty(new Map, Symbol.toStringTag, { value: 'Set' })", quickjs.KindObject, "Map", true},
	} {
		t.Run(tt.src, func(t *testing.T) {
			v := quickjstest.Eval(t, c, tt.src)
			require.Equal(t, tt.kind, v.Kind())
			require.Equal(t, tt.class, v.ClassName())
			require.Equal(t, tt.truth, v.Bool())
			require.Equal(t, tt.kind == quickjs.KindObject, v.Identity() != 0)
		})
	}
	require.Equal(t, "bigint", quickjs.KindBigInt.String())
}

func TestBrands(t *testing.T) {
	c := quickjstest.Context(t)
	for _, tt := range []struct {
		src                                      string
		function, isError, proxy, promise, array bool
	}{
		{src: "({})"},
		{src: "1"},
		{src: "class A {}; A", function: true},
		{src: "new Proxy(function () {}, {})", function: true, proxy: true},
		{src: "new RangeError", isError: true},
		{src: "new (class extends Error {})", isError: true},
		{src: "Object.create(Error.prototype)"},
		{src: "new Proxy(new Error, {})", proxy: true},
		{src: "(async () => {})()", promise: true},
		{src: "new Proxy(Promise.resolve(), {})", proxy: true},
		{src: "({ then() {} })"},
		{src: "[]", array: true},
		{src: "new Proxy([], {})", proxy: true},
	} {
		t.Run(tt.src, func(t *testing.T) {
			v := quickjstest.Eval(t, c, tt.src)
			require.Equal(t, tt.function, v.IsFunction(), "function")
			require.Equal(t, tt.isError, v.IsError(), "error")
			require.Equal(t, tt.proxy, v.IsProxy(), "proxy")
			require.Equal(t, tt.promise, v.IsPromise(), "promise")
			require.Equal(t, tt.array, v.IsArray(), "array")
		})
	}
}

func TestStrings(t *testing.T) {
	c := quickjstest.Context(t)
	for _, tt := range []struct {
		name, in, want string
		units          int
	}{
		{"empty", "", "", 0},
		{"ASCII", "abc", "abc", 3},
		{"NUL", "a\x00b", "a\x00b", 3},
		{"Latin-1", "é\u00ff", "é\u00ff", 2},
		{"wide", "ж漢", "ж漢", 2},
		{"pair", "😀x", "😀x", 3},
		{"not UTF-8", "a\xffb", "a\uFFFDb", 3},
		{"long", strings.Repeat("é😀", 5000), strings.Repeat("é😀", 5000), 15000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := c.String(tt.in)
			require.NoError(t, err)
			defer v.Free()
			s, ok := v.Text()
			require.True(t, ok)
			require.Equal(t, tt.want, s)
			require.Equal(t, tt.units, v.Len())
			units, ok := v.UTF16()
			require.True(t, ok)
			require.Len(t, units, tt.units)
			back, err := c.StringUTF16(units)
			require.NoError(t, err)
			defer back.Free()
			require.True(t, back.StrictEqual(v))
		})
	}
	t.Run("lone surrogates", func(t *testing.T) {
		v := quickjstest.Eval(t, c, "'a\\ud800b\\udc00'")
		s, _ := v.Text()
		require.Equal(t, "a\uFFFDb\uFFFD", s)
		units, _ := v.UTF16()
		back, err := c.StringUTF16(units)
		require.NoError(t, err)
		require.True(t, back.StrictEqual(v))
		back.Free()
	})
	t.Run("cut", func(t *testing.T) {
		v := quickjstest.Eval(t, c, "'x😀y'")
		for max, want := range []string{"", "x", "x", "x😀", "x😀y", "x😀y"} {
			s, cut, ok := v.TextMax(max)
			require.True(t, ok)
			require.Equal(t, want, s, "max %d", max)
			require.Equal(t, max < 4, cut, "max %d", max)
		}
	})
	t.Run("rope", func(t *testing.T) {
		v := quickjstest.Eval(t, c, "let r = ''; for (let i = 0; i < 9000; i++) r = i % 2 ? r + 'é' : '漢' + r; r")
		require.Equal(t, 9000, v.Len())
		s, _ := v.Text()
		require.Equal(t, strings.Repeat("漢", 4500)+strings.Repeat("é", 4500), s)
	})
	t.Run("not a string", func(t *testing.T) {
		v := quickjstest.Eval(t, c, "({ toString() { throw 1 } })")
		_, ok := v.Text()
		require.False(t, ok)
		_, ok = v.UTF16()
		require.False(t, ok)
		require.Zero(t, v.Len())
		_, err := v.ToText()
		require.EqualError(t, err, "quickjs: the guest threw 1")
		freeException(t, err)
	})
}

func freeException(t testing.TB, err error) {
	t.Helper()
	var e *quickjs.Exception
	require.ErrorAs(t, err, &e)
	e.Free()
}

func TestNumbers(t *testing.T) {
	c := quickjstest.Context(t)
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 1.5, 1 << 31, -1 << 31, 1<<53 - 1, math.Inf(-1), math.MaxFloat64} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			v := c.Number(f)
			defer v.Free()
			got, ok := v.Float()
			require.True(t, ok)
			require.Equal(t, math.Float64bits(f), math.Float64bits(got))
			n, whole := v.Int64()
			require.Equal(t, f == math.Trunc(f) && math.Abs(f) < 1<<60, whole)
			if whole {
				require.Equal(t, int64(f), n)
			}
		})
	}
	nan := c.Number(math.NaN())
	defer nan.Free()
	require.False(t, nan.StrictEqual(nan))
	require.True(t, nan.SameValue(nan))
	zero, minus := c.Int(0), c.Number(math.Copysign(0, -1))
	defer zero.Free()
	defer minus.Free()
	require.True(t, zero.StrictEqual(minus))
	require.False(t, zero.SameValue(minus))
	_, ok := c.Null().Float()
	require.False(t, ok)
}

func TestBigInt(t *testing.T) {
	c := quickjstest.Context(t)
	check := func(t require.TestingT, n *big.Int) {
		v, err := c.BigInt(n)
		require.NoError(t, err)
		defer v.Free()
		require.Equal(t, quickjs.KindBigInt, v.Kind())
		s, err := v.ToText()
		require.NoError(t, err)
		require.Equal(t, n.String(), s)
		back, ok := v.BigInt()
		require.True(t, ok)
		require.Zero(t, n.Cmp(back), "%v came back as %v", n, back)
		small, fits := v.Int64()
		require.Equal(t, n.IsInt64(), fits)
		if fits {
			require.Equal(t, n.Int64(), small)
		}
		// The same value that the guest makes, in the same form.
		w, err := c.Eval(s+"n", quickjs.EvalOptions{})
		require.NoError(t, err)
		defer w.Free()
		require.True(t, v.StrictEqual(w))
		back, ok = w.BigInt()
		require.True(t, ok)
		require.Zero(t, n.Cmp(back))
	}
	one := big.NewInt(1)
	for _, bits := range []uint{0, 1, 31, 32, 33, 63, 64, 65, 95, 96, 97, 1000} {
		n := new(big.Int).Lsh(one, bits)
		for _, m := range []*big.Int{n, new(big.Int).Sub(n, one), new(big.Int).Neg(n), new(big.Int).Not(n)} {
			check(t, m)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := new(big.Int).SetBytes(rapid.SliceOfN(rapid.Byte(), 0, 60).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "negative") {
			n.Neg(n)
		}
		check(t, n)
	})
	_, err := c.BigInt(new(big.Int).Lsh(one, 1<<20))
	require.EqualError(t, err, "quickjs: a BigInt of 1048577 bits; at most 1048575 are possible")
	_, err = c.BigInt(nil)
	require.EqualError(t, err, "quickjs: BigInt of nil")
	_, ok := c.Null().BigInt()
	require.False(t, ok)
	v := quickjstest.Eval(t, c, "(1n << 1048574n) - 1n")
	n, ok := v.BigInt()
	require.True(t, ok)
	largest, err := c.BigInt(n)
	require.NoError(t, err)
	require.True(t, largest.StrictEqual(v))
	largest.Free()
}

func TestBytes(t *testing.T) {
	c := quickjstest.Context(t)
	for _, tt := range []struct {
		src  string
		want []byte // nil: none
	}{
		{"new ArrayBuffer(3)", []byte{0, 0, 0}},
		{"new ArrayBuffer(0)", []byte{}},
		{"new Uint8Array([1, 2, 3])", []byte{1, 2, 3}},
		{"new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 3)", []byte{2, 3}},
		{"new Uint16Array([258])", []byte{2, 1}},
		{"new Float64Array([1])", []byte{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}},
		{"new BigInt64Array([-1n])", []byte{255, 255, 255, 255, 255, 255, 255, 255}},
		{"new Uint8ClampedArray([300])", []byte{255}},
		{"new Float16Array([1, 2])", []byte{0, 0x3c, 0, 0x40}},
		{"new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2)", []byte{2, 3}},
		{"new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1)", []byte{2, 3, 4}},
		{"new SharedArrayBuffer(2)", []byte{0, 0}},
		{"var b = new ArrayBuffer(4, { maxByteLength: 8 }); var v = new Uint8Array(b); b.resize(6); v[5] = 9; v", []byte{0, 0, 0, 0, 0, 9}},
		{"var b = new ArrayBuffer(4, { maxByteLength: 8 }); var v = new DataView(b); b.resize(2); v", []byte{0, 0}},
		{"var b = new ArrayBuffer(8, { maxByteLength: 8 }); var v = new Uint8Array(b, 0, 6); b.resize(2); v", nil},
		{"var b = new ArrayBuffer(8, { maxByteLength: 8 }); var v = new Uint8Array(b, 4); b.resize(2); v", nil},
		{"var b = new ArrayBuffer(8, { maxByteLength: 8 }); var v = new DataView(b, 4); b.resize(2); v", nil},
		{"var b = new ArrayBuffer(8); b.transfer(); b", nil},
		{"var b = new ArrayBuffer(8); var v = new Uint8Array(b); b.transfer(); v", nil},
		{"var b = new ArrayBuffer(8); var v = new DataView(b); b.transfer(); v", nil},
		{"[1, 2]", nil},
		{"'text'", nil},
		{"new Proxy(new Uint8Array(3), {})", nil},
		{"({ __proto__: Uint8Array.prototype })", nil},
	} {
		t.Run(tt.src, func(t *testing.T) {
			v := quickjstest.Eval(t, c, tt.src)
			got, err := v.Bytes()
			if tt.want == nil {
				require.ErrorIs(t, err, quickjs.ErrNoBytes)
				require.ErrorIs(t, v.WithBytes(func([]byte) { t.Error("called") }), quickjs.ErrNoBytes)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.NoError(t, v.WithBytes(func(data []byte) { require.Equal(t, tt.want, data) }))
		})
	}
	t.Run("copied in", func(t *testing.T) {
		data := []byte{1, 2, 3}
		v, err := c.Uint8Array(data)
		require.NoError(t, err)
		defer v.Free()
		data[0] = 9
		s, err := v.ToText()
		require.NoError(t, err)
		require.Equal(t, "1,2,3", s)
		require.Equal(t, "Uint8Array", v.ClassName())
		empty, err := c.ArrayBuffer(nil)
		require.NoError(t, err)
		defer empty.Free()
		require.Equal(t, "ArrayBuffer", empty.ClassName())
	})
	t.Run("changed in place", func(t *testing.T) {
		v := quickjstest.Eval(t, c, "var a = new Uint8Array(4); a")
		require.NoError(t, v.WithBytes(func(data []byte) { copy(data, "abcd") }))
		require.Equal(t, "97,98,99,100", textOf(t, c, "a.join()"))
	})
}

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
