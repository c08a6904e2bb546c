package quickjs

import (
	"fmt"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// patcher finds native functions and keeps the first thing that was not as
// expected.
type patcher struct {
	tls *libc.TLS
	ctx uintptr
	err error
}

func (p *patcher) fail(name, why string) {
	if p.err == nil {
		p.err = fmt.Errorf("quickjs: the engine's %s %s", name, why)
	}
}

// member gives a reference to a property.
func (p *patcher) member(of jsValue, name string) jsValue {
	text := p.tls.Alloc(len(name) + 1)
	copy(memory(text, uintptr(len(name))), name)
	*(*byte)(address(text + uintptr(len(name)))) = 0
	v := lib.XJS_GetPropertyStr(p.tls, p.ctx, of, text)
	p.tls.Free(len(name) + 1)
	if isException(v) {
		lib.XFreeValue(p.tls, p.ctx, lib.XJS_GetException(p.tls, p.ctx))
		return jsUndefined
	}
	return v
}

// function hands out a property that is a native function of a kind.
func (p *patcher) function(of jsValue, name string, proto uint8, use func(*cfunction)) {
	v := p.member(of, name)
	p.use(v, name, proto, use)
	lib.XFreeValue(p.tls, p.ctx, v)
}

func (p *patcher) use(v jsValue, name string, proto uint8, use func(*cfunction)) {
	if !isObject(v) || classOf(v) != lib.EJS_CLASS_C_FUNCTION {
		p.fail(name, "is no native function")
		return
	}
	c := cfunctionOf(v)
	if c.proto != proto || c.realm != p.ctx {
		p.fail(name, "is another kind of function")
		return
	}
	use(c)
}

func (p *patcher) peek(of jsValue, name string, proto uint8) (call uintptr) {
	p.function(of, name, proto, func(c *cfunction) { call = c.call })
	return call
}

func (p *patcher) replace(of jsValue, name string, proto uint8, by uintptr) (call uintptr) {
	p.function(of, name, proto, func(c *cfunction) { call, c.call = c.call, by })
	return call
}

func (p *patcher) primitive(proto jsValue) (call uintptr) {
	v := lib.XJS_GetPropertyInternal(p.tls, p.ctx, proto, lib.EJS_ATOM_Symbol_toPrimitive, proto, 0)
	p.use(v, "Date.prototype[Symbol.toPrimitive]", lib.EJS_CFUNC_generic, func(c *cfunction) { call = c.call })
	lib.XFreeValue(p.tls, p.ctx, v)
	return call
}
