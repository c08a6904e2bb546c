package bridge

import (
	"github.com/guestjs/guestjs/quickjs"
)

// exported is what a module comes down to once it has run: its default export.
func (r *run) exported() error {
	ns, err := r.module.Namespace()
	if err != nil {
		return err
	}
	v, err := ns.Get("default")
	if err != nil {
		return err
	}
	ns.Free()
	r.module = quickjs.Value{}
	return r.begun(v)
}
