// Package engine puts JavaScript engines behind one face, so that every one of
// them is asked for exactly the same work.
//
// An [Engine] opens a [Session], in which programs run one after another, with
// or without isolation between them. The functions that take a *testing.B are
// the subjects: each checks the answer of every engine before it starts to
// measure, and names its benchmarks with key=value parts.
//
// The rules, which favour the others where there is a choice: an engine that is
// opened once for many programs may keep its heap and its shapes; ours starts
// every program from the same bytes, and keeps compiled code alone. Others evaluate without a limit
// unless a limit is what is measured; ours runs with all of its limits on.
//
// Sessions belong to one goroutine.
package engine
