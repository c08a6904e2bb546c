package contract

import "reflect"

// Lifecycle says who owns the resources of a run: the promise an executor makes
// to whoever calls it. Values are comparable; the two that mean something are
// [Leased] and [SelfManaged]. The zero value promises nothing.
//
// An executor declares its lifecycle with a method of its own, which binds the
// promise to the executor's type:
//
//	func (p *Pool) Lifecycle() contract.Lifecycle { return contract.Leased.Of(p) }
//
// A type that embeds a Pool has that method too, but the promise it returns is
// still Pool's. The outer type may have replaced Execute, so it has promised
// nothing: [LifecycleOf] does not count an inherited declaration (SPEC section
// 4). Neither does it count one that was never bound with Of.
type Lifecycle struct {
	mode  mode
	owner reflect.Type
}

type mode uint8

const (
	leased mode = iota + 1
	selfManaged
)

// The two promises.
var (
	// Leased is the promise of an executor that admits a bounded number of
	// runs, gives each of them a slot of its own, and takes the slot back
	// whatever becomes of the run.
	Leased = Lifecycle{mode: leased}
	// SelfManaged is the promise of an executor whose owner looks after the
	// resources of its runs: bounds them, and gets rid of them.
	SelfManaged = Lifecycle{mode: selfManaged}
)

// Of returns the promise bound to the type of e. The receiver of the method
// that declares it is what to pass.
func (l Lifecycle) Of(e Executor) Lifecycle {
	l.owner = reflect.TypeOf(e)
	return l
}

// String returns "leased", "self-managed" or "undeclared".
func (l Lifecycle) String() string {
	switch l.mode {
	case leased:
		return "leased"
	case selfManaged:
		return "self-managed"
	}
	return "undeclared"
}

// LifecycleOf returns the lifecycle that e itself declares, unbound, so that it
// can be compared with Leased and SelfManaged. It reports false when e is
// nil, declares nothing, or only inherited a declaration. It calls e's
// Lifecycle method and nothing else.
func LifecycleOf(e Executor) (Lifecycle, bool) {
	d, ok := e.(interface{ Lifecycle() Lifecycle })
	if !ok || isNil(e) {
		return Lifecycle{}, false
	}
	l := d.Lifecycle()
	if l.owner != reflect.TypeOf(e) || l.mode != leased && l.mode != selfManaged {
		return Lifecycle{}, false
	}
	return Lifecycle{mode: l.mode}, true
}

// isNil reports whether e holds nothing to call: no value, or a nil pointer,
// function or map in an interface.
func isNil(e Executor) bool {
	v := reflect.ValueOf(e)
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan:
		return v.IsNil()
	}
	return false
}
