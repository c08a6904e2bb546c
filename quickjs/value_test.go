package quickjs_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
