package quickjs

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	lib "modernc.org/libquickjs"
)

// The engine keeps a BigInt that fits 32 bits in the value itself. A larger one
// is a row of 32-bit limbs, the lowest first, in two's complement and as short
// as possible.
const (
	limbBits   = lib.MJS_LIMB_BITS
	maxLimbs   = lib.MJS_BIGINT_MAX_SIZE
	bigIntTab  = 4 // where the limbs begin, after their number
	bigIntRefs = 4 // the reference count lies that far before
)

// BigInt makes a BigInt. One of more than 2^20 bits is an error, as it is a
// RangeError in the guest.
func (c *Context) BigInt(n *big.Int) (v Value, err error) {
	if n == nil {
		return Value{}, fmt.Errorf("quickjs: BigInt of nil")
	}
	if n.BitLen() >= maxLimbs*limbBits {
		return Value{}, fmt.Errorf("quickjs: a BigInt of %d bits; at most %d are possible", n.BitLen(), maxLimbs*limbBits-1)
	}
	if n.IsInt64() {
		return c.bigInt64(n.Int64())
	}
	limbs := limbsOf(n)
	err = c.op(func() error {
		size := uint64(bigIntTab + 4*len(limbs))
		p := lib.Xjs_malloc(c.rt.tls, c.ptr, lib.Tsize_t(size))
		*(*int32)(address(p - bigIntRefs)) = 1
		*(*uint32)(address(p)) = uint32(len(limbs))
		for i, l := range limbs {
			*(*uint32)(address(p + bigIntTab + uintptr(4*i))) = l
		}
		v = c.keep(jsPointer(lib.EJS_TAG_BIG_INT, p))
		return nil
	})
	return v, err
}

// bigInt64 lets the engine choose the form (JS_NewBigInt64).
func (c *Context) bigInt64(n int64) (v Value, err error) {
	err = c.op(func() error {
		v, err = c.own(lib.XJS_NewBigInt64(c.rt.tls, c.ptr, n))
		return err
	})
	return v, err
}

// limbsOf writes n in the engine's form.
func limbsOf(n *big.Int) []uint32 {
	// A negative number is the complement of -n-1; one more bit holds the sign.
	m := n
	if n.Sign() < 0 {
		m = new(big.Int).Not(n)
	}
	limbs := make([]uint32, m.BitLen()/limbBits+1)
	bytes := m.FillBytes(make([]byte, 4*len(limbs)))
	slices.Reverse(bytes)
	for i := range limbs {
		b := bytes[4*i:]
		limbs[i] = uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		if n.Sign() < 0 {
			limbs[i] = ^limbs[i]
		}
	}
	return limbs
}

// BigInt returns the value of a BigInt, and whether it is one. It converts
// nothing and runs no guest code.
func (v Value) BigInt() (n *big.Int, ok bool) {
	r := v.raw()
	switch tag(r) {
	case lib.EJS_TAG_SHORT_BIG_INT:
		return big.NewInt(int64(intOf(r))), true
	case lib.EJS_TAG_BIG_INT:
	default:
		return nil, false
	}
	v.c.rt.mustOp(func() error {
		p := pointer(r)
		count := *(*uint32)(address(p))
		if count == 0 || count > maxLimbs {
			panic(damaged("BigInt"))
		}
		negative := int32(*(*uint32)(address(p + bigIntTab + uintptr(4*(count-1))))) < 0
		bytes := make([]byte, 0, 4*count)
		for i := count; i > 0; i-- {
			l := *(*uint32)(address(p + bigIntTab + uintptr(4*(i-1))))
			if negative {
				l = ^l
			}
			bytes = append(bytes, byte(l>>24), byte(l>>16), byte(l>>8), byte(l))
		}
		n = new(big.Int).SetBytes(bytes)
		if negative {
			n.Not(n)
		}
		return nil
	})
	return n, true
}

// Int64 returns a number or BigInt that is whole and fits, and whether the value
// is one. It converts nothing and runs no guest code.
func (v Value) Int64() (n int64, ok bool) {
	if f, isNumber := v.Float(); isNumber {
		return int64(f), math.Trunc(f) == f && f >= -1<<63 && f < 1<<63
	}
	if b, isBig := v.BigInt(); isBig {
		return b.Int64(), b.IsInt64()
	}
	return 0, false
}
