// Package fault lets tests make something fail that does not fail on a healthy
// machine: a system call, or an operation of the engine that has no way to fail
// where it is made. Production code asks At, which answers nil there at the
// price of one load.
package fault

import "sync/atomic"

// Points at which something can be made to fail.
const (
	// Engine is every operation of package quickjs that can return an error.
	Engine = "engine"

	// Map, Open, Revoke, Release and Unmap are what an arena asks of the system:
	// to have the memory, to have access to it, at first and again, to have none,
	// to give pages back, and to give all of it back.
	Map     = "map"
	Open    = "open"
	Revoke  = "revoke"
	Release = "release"
	Unmap   = "unmap"

	// Start is the start of a child process.
	Start = "start"
)

var hook atomic.Pointer[func(point string) error]

// At returns the error with which the thing about to be done is to fail, nil to
// do it.
func At(point string) error {
	if hook.Load() == nil { // all of it that is inlined
		return nil
	}
	return ask(point)
}

//go:noinline
func ask(point string) error {
	if h := hook.Load(); h != nil {
		return (*h)(point)
	}
	return nil
}

// Set makes At ask f, from any goroutine, until restore is called. Tests that
// use it must not run beside others.
func Set(f func(point string) error) (restore func()) {
	before := hook.Swap(&f)
	return func() { hook.Store(before) }
}
