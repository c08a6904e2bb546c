package bridge

import (
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// target is what a member of a namespace stands for. The zero target is a name
// that no provider lists.
type target struct {
	name      string // with the namespace, as calls are listed
	f         contract.HostFunc
	immediate bool
}

// target finds the host function of a provider by its exact name. Each one is
// looked up once a run.
func (r *run) target(provider int, key quickjs.Value) *target {
	p := &r.program.Providers[provider]
	if key.Len() > maxText { // no function has a longer name
		name, _, _ := key.TextMax(maxText)
		return &target{name: p.Name + "." + name}
	}
	r.name, _ = key.AppendText(r.name[:0])
	if r.targets == nil {
		r.targets = make([]map[string]*target, len(r.program.Providers))
	}
	if t := r.targets[provider][string(r.name)]; t != nil {
		return t
	}
	name := string(r.name)
	t := &target{name: p.Name + "." + name}
	if t.f, t.immediate = p.Immediate[name], true; t.f == nil {
		t.f, t.immediate = p.Functions[name], false
	}
	if t.f != nil {
		if r.targets[provider] == nil {
			r.targets[provider] = map[string]*target{}
		}
		r.targets[provider][name] = t
	}
	return t
}
