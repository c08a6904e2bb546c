package quickjs

import (
	"modernc.org/libc"
)

// InterruptFunc is called from time to time while guest code runs, on its
// goroutine, with the engine in the middle of something: it must not use the
// Runtime. A non-nil error stops the guest and becomes the Cause of an
// [*InterruptError].
type InterruptFunc func() error

// RejectionFunc learns of promises that are rejected while they have no
// handler, and of those that get one later (handled). Both values are borrowed.
// It runs on the guest's goroutine and may use the Runtime, but must not run
// guest code (ECMA-262 HostPromiseRejectionTracker).
type RejectionFunc func(promise, reason Value, handled bool)

// host runs a Go function that the engine called, with the guest standing
// still. A panic in it travels through the engine as a hostPanic.
func (rt *Runtime) host(f func()) {
	in := rt.inEngine.Swap(0)
	rt.calls++
	rt.outside(f)
	rt.calls--
	rt.inEngine.Store(in)
	if rt.left {
		panic(leftPanic{}) // f recovered a stop
	}
}

// outside is host for a function that must not use the Runtime.
func (rt *Runtime) outside(f func()) {
	returned := false
	defer func() {
		if returned || rt.left {
			return // a stop that is known passes as it is, see inside
		}
		switch p := recover(); {
		case p == nil: // runtime.Goexit, which nothing stops
		case rt.isOurFault(p):
			panic(p)
		default:
			panic(hostPanic{p})
		}
	}()
	f()
	returned = true
}

// pollInterrupt is called by the engine once in 10,000 steps. It never asks the
// guest to stop, since a guest can catch that: it leaves.
func pollInterrupt(_ *libc.TLS, _, base uintptr) int32 {
	rt := runtimeAt(base)
	rt.tests.poll(rt)
	if _, cause := rt.watch.due(rightNow(), true); cause != nil {
		panic(interruptStop{cause})
	}
	if rt.interrupt != nil {
		var err error
		rt.outside(func() { err = rt.interrupt() })
		if err != nil {
			panic(interruptStop{err})
		}
	}
	return 0
}

func trackRejection(_ *libc.TLS, ctx uintptr, promise, reason jsValue, handled int32, base uintptr) {
	rt := runtimeAt(base)
	if rt.rejection == nil {
		return
	}
	c := rt.contextAt(ctx)
	p, r := c.borrow(promise), c.borrow(reason)
	rt.host(func() { rt.rejection(p, r, handled != 0) })
	rt.table.release(p.slot)
	rt.table.release(r.slot)
}
