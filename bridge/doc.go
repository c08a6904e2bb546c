// Package bridge runs one guest program at a time, with host functions it can
// call, and says what happened.
//
// A [Sandbox] is one reusable place. Each Run rewinds it to the same bytes, puts
// the program's globals and namespaces in place, drives the program to its end
// and reads the value out, all within the program's limits. What a run leaves
// behind - a polluted prototype, a pending promise, memory - is gone before the
// next one starts.
//
// # Ownership
//
// No guest value leaves this package: an Outcome is plain data. Host functions
// get bytes and return bytes.
//
// # Goroutines
//
// Run drives the guest on the goroutine that calls it; one run at a time. A host
// function runs on a goroutine of its own, with a context that ends with the
// run, or, when it is declared immediate, on the driving one, at once.
// Close may be called from any goroutine and ends a run that is going.
//
// # Trust
//
// What the host acts on is recorded by the host: why a run stopped, which
// failure ended it, which calls were made. Describing what a program threw runs
// none of its code. See SECURITY.md for what one process can promise.
package bridge
