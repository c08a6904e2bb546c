package bridge

import (
	"context"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// evaluate compiles the program, starts it, and keeps the promise it comes down
// to.
func (r *run) evaluate() error {
	if err := r.compile(); err != nil {
		return err
	}
	qc := r.guest.qc
	o := quickjs.EvalOptions{Name: r.fileName(), Module: r.source.form == formModule}
	if !o.Module {
		v, err := qc.Eval(r.source.code, o)
		if err != nil {
			return err
		}
		return r.begun(v)
	}
	code, err := qc.Compile(r.source.code, o)
	if err != nil {
		return err
	}
	r.module = code
	r.promise, err = qc.Run(code)
	return err
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

// compile decides what the source is. A syntax error is thrown.
func (r *run) compile() error {
	r.source = newSource(r.program.Source)
	return r.source.understand(compiler{r.guest.qc, r.fileName()})
}

// compileOnly is the whole of Check.
func (r *run) compileOnly(ctx context.Context) (contract.Outcome, error) {
	r.ctx = ctx
	if err := r.guest.rt.Rewind(); err != nil {
		r.stopped(err)
	} else if stop, ok := r.watch(ctx); ok {
		r.enter(func() error {
			if err := r.compile(); err != nil {
				return err
			}
			r.settled = true
			return nil
		})
		stop()
	}
	r.finish()
	return r.out, r.err
}
