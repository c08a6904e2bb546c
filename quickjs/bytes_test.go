package quickjs_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

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
