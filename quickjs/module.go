package quickjs

import (
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// ModuleLoader gives the source of a module by its resolved name. It runs on the
// guest's goroutine, inside its budget. An error is thrown where the module was
// imported.
type ModuleLoader func(name string) (source string, err error)

// SetModuleLoader sets who answers imports; nil, the default, refuses them all
// (JS_SetModuleLoaderFunc). Names are resolved as the engine does: a name that
// begins with a dot against the importing module's.
// A rewind keeps the loader and forgets the modules that came later.
func (rt *Runtime) SetModuleLoader(f ModuleLoader) {
	rt.loader = f
}

func loadModule(tls *libc.TLS, ctx, name, base uintptr) uintptr {
	rt := runtimeAt(base)
	c := rt.contextAt(ctx)
	file := libc.GoString(name)
	if rt.loader == nil {
		throwReferenceError(tls, ctx, "could not load module '"+file+"': there is no module loader")
		return 0
	}
	var src string
	var err error
	rt.host(func() { src, err = rt.loader(file) })
	if err != nil {
		c.throwError(err)
		return 0
	}
	var v jsValue
	src = toValid(src)
	c.withSource(src, file, func(text, at uintptr) {
		c.hostEval = true
		v = lib.XJS_Eval(tls, ctx, text, lib.Tsize_t(len(src)), at, 1|lib.MJS_EVAL_FLAG_COMPILE_ONLY)
		c.hostEval = false
	})
	if isException(v) {
		return 0
	}
	m := pointer(v)
	lib.XFreeValue(tls, ctx, v) // the context's list of modules keeps it
	return m
}
