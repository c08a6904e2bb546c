// Package result decides what a caller is shown of a run's value: all of it
// when it is short, else the beginning with a notice that says how much there
// was.
//
// The reader of a result is often a model with a bounded context, or a log
// line. A [Guard] holds the caps. [Guard.Apply] leaves JSON text alone that is
// short enough and replaces longer text by an [Envelope], itself JSON and never
// longer than the cap. An envelope that passes a smaller guard later is
// shortened from its own preview and keeps the length of the original, so
// notices do not nest. [CutText] does the same for plain text, [Guard.Logs] for
// a run's log. [Prepare] is the check before an outcome is sent to another
// process; it cuts nothing.
//
// # Units
//
// Every length here is counted in UTF-16 code units, as JavaScript counts: one
// for a character of the basic plane, two above it. A cut never falls between
// the two. Half a pair that an escape spells out (`\ud800`) stays as it is
// written.
//
// # Ownership and goroutines
//
// Everything is a pure function over bytes. Nothing is retained, inputs are
// never changed, and all of it may be called from any goroutine. Work is linear
// in the input. No engine is involved and no guest code runs.
//
//	guard := result.Guard{MaxUnits: 8_000}
//	if err := guard.Validate(); err != nil { ... }
//	shown, truncated, err := guard.Apply(outcome.Value)
//
// The rules are those of SPEC section 12.
package result
