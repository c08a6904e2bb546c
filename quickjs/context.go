package quickjs

import (
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// ContextOptions choose what a realm has.
type ContextOptions struct {
	// NoEval leaves out eval and the Function constructors: code the guest makes
	// itself is refused with a TypeError. Context.Eval works all the same.
	NoEval bool
	// NoProxy, NoTypedArrays and NoWeakRef leave out those globals.
	NoProxy, NoTypedArrays, NoWeakRef bool
	// HostTimeZone lets Date use the host's zone. Otherwise it is UTC.
	HostTimeZone bool
}

// Context is a realm: a global object and its own set of built-ins. A Runtime
// may have several, whose values may be mixed. It lives as long as its Runtime,
// or until a rewind to a checkpoint before it.
type Context struct {
	rt       *Runtime
	ptr      uintptr // JSContext
	compile  uintptr // the compiler, before it was hooked
	noEval   bool
	hostEval bool // Context.Eval is under way
	gone     bool // made after the checkpoint, and rewound
	hostZone bool
	date     dateFuncs
	nesting  nestingFuncs
	builtins builtinFuncs

	resolvers []*resolver
	settling  int // of them in use
	marked    int // of them in the image
}

// NewContext makes a realm (JS_NewContextRaw and the intrinsics).
func (rt *Runtime) NewContext(o ContextOptions) (*Context, error) {
	c := &Context{rt: rt, noEval: o.NoEval, hostZone: o.HostTimeZone}
	err := rt.op(func() error {
		c.ptr = lib.XJS_NewContextRaw(rt.tls, rt.ptr)
		if c.ptr == 0 {
			return ErrOutOfMemory
		}
		add := []struct {
			skip bool
			call func(*libc.TLS, uintptr) int32
		}{
			{false, lib.XJS_AddIntrinsicBaseObjects},
			{false, lib.XJS_AddIntrinsicDate},
			{false, lib.XJS_AddIntrinsicEval},
			{false, lib.XJS_AddIntrinsicStringNormalize},
			{false, lib.XJS_AddIntrinsicRegExp},
			{false, lib.XJS_AddIntrinsicJSON},
			{o.NoProxy, lib.XJS_AddIntrinsicProxy},
			{false, lib.XJS_AddIntrinsicMapSet},
			{o.NoTypedArrays, lib.XJS_AddIntrinsicTypedArrays},
			{false, lib.XJS_AddIntrinsicPromise},
			{o.NoWeakRef, lib.XJS_AddIntrinsicWeakRef},
		}
		for _, a := range add {
			if !a.skip && a.call(rt.tls, c.ptr) != 0 {
				return ErrOutOfMemory
			}
		}
		c.hookCompiler()
		if !c.hostZone {
			if err := patchDate(rt.tls, c.ptr, &c.date); err != nil {
				return err
			}
		}
		if err := patchNesting(rt.tls, c.ptr, &c.nesting); err != nil {
			return err
		}
		if err := patchBuiltins(rt.tls, c.ptr, &c.builtins); err != nil {
			return err
		}
		if err := c.newResolver(); err != nil {
			return err
		}
		return c.defineStack()
	})
	if err != nil {
		return nil, fmt.Errorf("quickjs: making a context: %w", err)
	}
	rt.contexts = append(rt.contexts, c)
	return c, nil
}

// Runtime returns the heap the realm lives in.
func (c *Context) Runtime() *Runtime { return c.rt }

// Global returns the global object, owned (JS_GetGlobalObject).
func (c *Context) Global() Value {
	var v Value
	c.mustOp(func() error {
		v = c.keep(lib.XJS_GetGlobalObject(c.rt.tls, c.ptr))
		return nil
	})
	return v
}

// SeedRandom makes Math.random repeat one sequence for each seed but zero,
// which is taken as one.
func (c *Context) SeedRandom(seed uint64) {
	c.mustBeThere()
	_ = c.rt.surely(func() error { engineContext(c.ptr).Frandom_state = max(seed, 1); return nil })
}

// SetClock makes the realm's clock stand still at the given milliseconds since
// 1970, for Date.now, new Date and Date, until the next rewind. A realm with
// HostTimeZone has no clock of its own: it panics.
func (c *Context) SetClock(ms float64) {
	if c.hostZone {
		panic("quickjs: SetClock of a Context with HostTimeZone")
	}
	c.date.fixed, c.date.clock = true, ms
}

// contextOf finds the Context of an engine's realm.
func contextOf(tls *libc.TLS, ctx uintptr) *Context {
	return runtimeAt(lib.XJS_GetRuntimeOpaque(tls, engineContext(ctx).Frt)).contextAt(ctx)
}

// op is Runtime.op for what needs the realm and no value of it.
func (c *Context) op(f func() error) error {
	c.mustBeThere()
	return c.rt.op(f)
}

// mustOp is Runtime.mustOp for the same.
func (c *Context) mustOp(f func() error) {
	c.mustBeThere()
	c.rt.mustOp(f)
}

func (c *Context) mustBeThere() {
	if c.gone {
		panic("quickjs: use of a Context that was made after the checkpoint its Runtime was rewound to")
	}
}

// own turns a reference that an engine call gave into a handle, or the pending
// exception into an error.
func (c *Context) own(v jsValue) (Value, error) {
	if isException(v) {
		return Value{}, c.takeException()
	}
	return c.keep(v), nil
}
