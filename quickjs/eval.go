package quickjs

import (
	"errors"
	"strings"
	"unicode/utf8"

	lib "modernc.org/libquickjs"
)

// EvalOptions say how a source text is taken.
type EvalOptions struct {
	// Name is the file name in stack traces. Empty means "<eval>".
	Name string
	// Module takes the text as a module; the value is a promise of undefined.
	// Its imports go to the Runtime's loader.
	Module bool
	// Strict takes a script as strict code.
	Strict bool
	// Async allows await at the top of a script; the value is a promise of an
	// object whose member value is the completion value.
	Async bool
	// Barrier hides the callers' frames from stack traces made inside.
	Barrier bool
	// StripDebug compiles without positions and source text, so that two texts
	// of one meaning give the same code (JS_SetStripInfo).
	StripDebug bool
}

var errNotModule = errors.New("quickjs: Namespace of a value that is no module or was not run yet")

var errSource = errors.New("quickjs: source is not UTF-8 or contains U+0000 in its name")

func (o EvalOptions) flags() int32 {
	f := int32(0) // JS_EVAL_TYPE_GLOBAL
	if o.Module {
		f = 1 // JS_EVAL_TYPE_MODULE
	}
	if o.Strict {
		f |= lib.MJS_EVAL_FLAG_STRICT
	}
	if o.Async {
		f |= lib.MJS_EVAL_FLAG_ASYNC
	}
	if o.Barrier {
		f |= lib.MJS_EVAL_FLAG_BACKTRACE_BARRIER
	}
	return f
}

// Eval runs a source text and returns its completion value (JS_Eval). It runs
// guest code and may block for as long as that runs. A throw is an
// [*Exception], and so is a syntax error.
func (c *Context) Eval(src string, o EvalOptions) (v Value, err error) {
	err = c.op(func() error {
		v, err = c.eval(src, o, 0)
		return err
	})
	return v, err
}

// Compile compiles a source text without running it and returns the code, for
// Run or WriteCode. Compiling a module resolves its imports.
func (c *Context) Compile(src string, o EvalOptions) (code Value, err error) {
	err = c.op(func() error {
		code, err = c.eval(src, o, lib.MJS_EVAL_FLAG_COMPILE_ONLY)
		return err
	})
	return code, err
}

func (c *Context) eval(src string, o EvalOptions, extra int32) (Value, error) {
	name := o.Name
	if name == "" {
		name = "<eval>"
	}
	if !utf8.ValidString(src) || strings.IndexByte(name, 0) >= 0 {
		return Value{}, errSource
	}
	var v jsValue
	if o.StripDebug {
		was := lib.XJS_GetStripInfo(c.rt.tls, c.rt.ptr)
		lib.XJS_SetStripInfo(c.rt.tls, c.rt.ptr, lib.MJS_STRIP_DEBUG)
		v = c.evalText(src, name, o, extra)
		lib.XJS_SetStripInfo(c.rt.tls, c.rt.ptr, was)
		return c.own(v)
	}
	return c.own(c.evalText(src, name, o, extra))
}

func (c *Context) evalText(src, name string, o EvalOptions, extra int32) (v jsValue) {
	c.withSource(src, name, func(text, file uintptr) {
		c.hostEval = true
		v = lib.XJS_Eval(c.rt.tls, c.ptr, text, lib.Tsize_t(len(src)), file, o.flags()|extra)
		c.hostEval = false
	})
	return v
}

// withSource puts a text and its file name into the arena: guest code runs while
// they lie there, and the scratch must be free for what it calls.
func (c *Context) withSource(src, name string, f func(text, file uintptr)) {
	c.rt.inArena(name, func(file uintptr) {
		c.rt.inArena(src, func(text uintptr) { f(text, file) })
	})
}

// Run runs compiled code once more and returns its completion value
// (JS_EvalFunction). The code stays the caller's. It runs guest code.
func (c *Context) Run(code Value) (v Value, err error) {
	r := code.rawFor(c)
	if k := tag(r); k != lib.EJS_TAG_FUNCTION_BYTECODE && k != lib.EJS_TAG_MODULE {
		return Value{}, errors.New("quickjs: Run of a value that is not compiled code")
	}
	err = c.op(func() error {
		c.rt.boundDepth(r) // which compiling has done, and reading has not
		v, err = c.own(lib.XJS_EvalFunction(c.rt.tls, c.ptr, lib.XDupValue(c.rt.tls, c.ptr, r)))
		return err
	})
	return v, err
}

// WriteCode returns compiled code as bytes, for ReadCode of the same version of
// this package (JS_WriteObject).
func (c *Context) WriteCode(code Value) (data []byte, err error) {
	r := code.rawFor(c)
	if k := tag(r); k != lib.EJS_TAG_FUNCTION_BYTECODE && k != lib.EJS_TAG_MODULE {
		return nil, errors.New("quickjs: WriteCode of a value that is not compiled code")
	}
	err = c.op(func() error {
		n := c.rt.hand + handLen
		p := lib.XJS_WriteObject(c.rt.tls, c.ptr, n, r, lib.MJS_WRITE_OBJ_BYTECODE)
		if p == 0 {
			return c.takeException()
		}
		data = append([]byte(nil), memory(p, loadWord(n))...)
		lib.Xjs_free(c.rt.tls, c.ptr, p)
		return nil
	})
	return data, err
}

// ReadCode makes code of bytes that WriteCode returned (JS_ReadObject). The
// engine does not check code: bytes that a guest could have touched are as
// dangerous as a pointer from it.
func (c *Context) ReadCode(data []byte) (code Value, err error) {
	if len(data) == 0 {
		return Value{}, errors.New("quickjs: ReadCode of nothing")
	}
	err = c.op(func() error {
		p := c.rt.arena.heap.malloc(uint64(len(data)))
		copy(memory(p, uintptr(len(data))), data)
		v := lib.XJS_ReadObject(c.rt.tls, c.ptr, p, lib.Tsize_t(len(data)), lib.MJS_READ_OBJ_BYTECODE)
		c.rt.arena.heap.free(p)
		code, err = c.own(v)
		return err
	})
	return code, err
}
