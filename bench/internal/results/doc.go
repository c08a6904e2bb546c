// Package results reads files of Go benchmark results and pairs what was
// measured side by side.
//
// A benchmark's name is made of key=value parts. [Set.Pair] takes two
// selections, such as `/engine:guestjs` and `/engine:goja`, and matches each
// benchmark of the first with the one of the second whose other parts are the
// same, in the same package. Nothing is ever compared across machines or
// across runs: a [Pair] is two sets of samples out of one set of files.
//
// A Set is not changed after [Read] and may be used from any goroutine.
package results
