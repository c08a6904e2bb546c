package bridge

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/guestjs/guestjs/quickjs"
)

// File names of what is not the program, as they show in stack traces.
const (
	setupName   = "<setup>"
	preludeName = "<prelude>"
)

// setupError is a failure of the program's surroundings, not of the program.
type setupError struct{ *quickjs.Exception }

// setup puts in place what this program sees: limits, globals, namespaces, and
// then the preludes.
func (r *run) setup() error {
	err := r.install()
	if thrown, ok := errors.AsType[*quickjs.Exception](err); ok {
		return &setupError{thrown}
	}
	return err
}

// bound sets the program's own limits, where they are below the sandbox's.
func (r *run) bound() {
	if r.limits.Memory < r.sandbox.limits.Memory {
		r.guest.rt.SetMemoryLimit(r.limits.Memory)
	}
	if r.limits.Stack < r.sandbox.limits.Stack {
		r.guest.rt.SetStackLimit(r.limits.Stack)
	}
}

func (r *run) install() error {
	r.bound()
	qc := r.guest.qc
	if r.program.Seed != 0 {
		qc.SeedRandom(r.program.Seed)
	}
	if !r.program.Clock.IsZero() {
		qc.SetClock(float64(r.program.Clock.UnixMilli()))
	}
	if len(r.program.Globals) == 0 && len(r.program.Providers) == 0 {
		return nil
	}
	global := qc.Global()
	// In order, so that a program sees the same global object each time.
	for _, name := range slices.Sorted(maps.Keys(r.program.Globals)) {
		v, err := qc.ParseJSON(r.program.Globals[name])
		if err != nil {
			return err
		}
		if err := global.Define(name, v, quickjs.Ordinary); err != nil {
			return err
		}
		v.Free()
	}
	preludes := ""
	for i, p := range r.program.Providers {
		ns, err := qc.HostNamespace(r.guest.member(i))
		if err != nil {
			return err
		}
		if err := global.Define(p.Name, ns, quickjs.Ordinary); err != nil {
			return err
		}
		ns.Free()
		if p.Prelude != "" {
			preludes += p.Prelude + "\n"
		}
	}
	global.Free()
	if preludes == "" {
		return nil
	}
	// One function scope for all of them: their declarations stay local, and
	// one provider's prelude can use what an earlier one declared.
	f, err := qc.Eval("(function () {"+preludes+"})", quickjs.EvalOptions{Name: preludeName})
	if err != nil {
		return err
	}
	v, err := f.Call(qc.Undefined())
	if err != nil {
		return err
	}
	f.Free()
	v.Free()
	return nil
}

// member is what calling a member of a provider's namespace does. It finds the run
// through the guest: the namespace is there until the next rewind, and must not
// keep all that the run held.
func (g *guest) member(provider int) quickjs.MemberFunc {
	return func(_ *quickjs.Context, name quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		return g.run.call(provider, name, args)
	}
}

// label names a call in messages about its result. For connecta.call it is the
// address the program asked for, its first argument (SPEC section 7).
func label(c *call) string {
	if c.name != "connecta.call" {
		return c.name
	}
	return addressLabel(c.args)
}

func limitText(n int64) string { return fmt.Sprintf("Host call limit of %d reached.", n) }
