package contract

import "fmt"

// Check reports why e cannot be trusted with a program: it is nil, or it does
// not declare its lifecycle itself. Nil means that it does. The error lists the
// ways to get an executor that passes, and unwraps to [ErrInvalid]. Nothing runs.
// (SPEC section 4.)
func Check(e Executor) error {
	if _, ok := LifecycleOf(e); ok {
		return nil
	}
	what := "the executor is nil"
	if !isNil(e) {
		what = fmt.Sprintf("%T declares none of its own", e)
	}
	return fmt.Errorf("%w: an executor must declare its lifecycle, and %s. "+
		"Undeclared, nothing says who bounds its runs and who cleans up after them. "+
		"Use one of: the bounded pool of sandboxes of this module, executor.New(executor.Options{...}); "+
		"any executor behind bounded admission, admission.Wrap(yourExecutor, controller); "+
		"or, for an executor that looks after its own runs, contract.Custom(yourExecutor, contract.SelfManaged)",
		ErrInvalid, what)
}
