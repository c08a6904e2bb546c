package bridge

import (
	"context"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// evaluate compiles the program, starts it, and keeps the promise it comes down
// to.
func (r *run) evaluate() error {
	code, err := r.compile()
	if err != nil {
		return err
	}
	v, err := r.guest.qc.Run(code)
	if err != nil {
		return err
	}
	if r.source.form == formModule {
		r.module, r.promise = code, v
		return nil
	}
	code.Free()
	return r.begun(v)
}

// begun goes on with what the source came down to: a function is called, and
// the result is resolved like the result of an async function.
func (r *run) begun(v quickjs.Value) error {
	qc := r.guest.qc
	if v.IsFunction() {
		f := v
		var err error
		if v, err = f.Call(qc.Undefined()); err != nil {
			return err
		}
		f.Free()
	}
	if v.IsPromise() {
		r.promise = v
		return nil
	}
	if !v.MayBeThenable() {
		r.value = v // awaiting it would give it back
		return nil
	}
	d, err := qc.Deferred()
	if err != nil {
		return err
	}
	if err := ignoreThrown(d.Resolve(v)); err != nil {
		return err
	}
	v.Free()
	r.promise = d.Promise
	return nil
}

// rewind goes back to the image or, for a program that came before, to where its
// code is there already.
func (r *run) rewind() error {
	r.key = codeKey{r.program.Source, r.fileName(), r.guest.mark, r.limits.Stack}
	r.kept = r.sandbox.codes.find(r.key)
	if r.kept != nil && r.kept.loaded != nil {
		return r.guest.rt.RewindTo(r.kept.loaded)
	}
	return r.guest.rt.Rewind()
}

// load reads code that is kept. Nothing may have been set up before: the program's
// next run begins behind it. The code bounds nothing until it runs.
func (r *run) load() error {
	k := r.kept
	if k == nil || k.loaded != nil {
		return nil
	}
	code, err := r.guest.qc.ReadCode(k.code)
	if err != nil {
		return err
	}
	k.value = code
	if k.long {
		return nil
	}
	loaded, err := r.guest.rt.Waypoint()
	if err != nil {
		return err
	}
	r.sandbox.codes.placed(r.key, k, loaded)
	return nil
}

// compile decides what the source is and returns its code. A syntax error is
// thrown. A program that comes again is compiled only once.
func (r *run) compile() (quickjs.Value, error) {
	stack := r.guest.rt.StackLimit()
	if r.kept != nil && r.kept.stack == stack {
		r.source = r.kept.source
		return r.kept.value, nil
	}
	r.source = newSource(r.program.Source)
	code, err := r.source.understand(compiler{qc: r.guest.qc, name: r.codeName()})
	r.refused = err != nil
	if err == nil && r.kept == nil && r.source.form != formModule && r.sandbox.codes.wants(r.key) {
		text, err := r.guest.qc.WriteCode(code)
		if err != nil {
			return code, err
		}
		r.sandbox.codes.keep(r.key, &compiled{source: r.source, code: text, stack: stack})
	}
	return code, err
}

// compileOnly is the whole of Check.
func (r *run) compileOnly(ctx context.Context) (contract.Outcome, error) {
	r.ctx = ctx
	if err := r.rewind(); err != nil {
		r.stopped(err)
	} else if stop, ok := r.watch(ctx); ok {
		r.enter(func() error {
			if err := r.load(); err != nil {
				return err
			}
			r.bound()
			code, err := r.compile()
			if err != nil {
				return err
			}
			code.Free()
			r.settled = true
			return nil
		})
		stop()
	}
	r.finish()
	return r.out, r.err
}
