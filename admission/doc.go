// Package admission decides who may run now.
//
// A [Controller] is a fixed number of slots with a bounded queue in front. To
// have a slot is to hold a [Lease]. Callers that find no slot free wait in
// strict first-in first-out order, for a bounded time, in a queue of bounded
// length; whoever is turned away learns why, and when to come back. A slot that
// is given back goes to the oldest waiter in the same step, so a newcomer cannot
// overtake. [Wrap] puts a Controller in front of any contract.Executor.
//
// # Ownership
//
// Whoever was given a Lease releases it, once done and whatever happened;
// releasing again does nothing. Nothing else has to be cleaned up: a Controller
// has no goroutine, and one timer at most, which rings for the last time when the
// last waiter would have been turned away. Options.MaxDuration bounds the harm of
// a lease that is never released.
//
// # Goroutines
//
// Everything here may be used from any goroutine. Only [Controller.Acquire],
// [Controller.Drain] and the Execute, Acquire and Close of a wrapped executor
// block. To come, to leave and to give a slot back cost the same however long the
// queue is.
//
// # Nested runs
//
// A host function that runs a program on the executor it was called from must
// not wait for a slot: its own caller holds one, and with as many of them as
// there are slots nobody would ever go on. It says so by
// contract.AcquireOptions.NoWait, and is refused at once when no slot is free.
//
//	lease, err := controller.Acquire(ctx, contract.AcquireOptions{})
//	if err != nil {
//		return err // *contract.RefusedError
//	}
//	defer lease.Release()
package admission
