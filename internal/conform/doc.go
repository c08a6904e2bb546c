// Package conform holds the product to its behaviour vectors.
//
// testdata/vectors has one file a category and FORMAT.md, which says how a line
// is read; testdata/cases has programs that people stumbled over and a corpus
// of hostile ones. The tests of this package run them all: TestVectors,
// TestPrograms and TestHostile. Everything else here is what they need:
//
//   - [Parse] and [Stringify] keep every UTF-16 unit of a vector, half pairs
//     included, which encoding/json does not. Strings are WTF-8: UTF-8 in which
//     half a pair has the three bytes its number would have;
//   - [Expand] writes out the generators of an input, [Diff] compares with the
//     matchers of an expectation, [Shape] does so where only the shape counts;
//   - [Vectors], [Programs] and [Hostile] load a directory;
//   - [Provider] and [Case.Providers] make the host functions a line describes;
//   - a [Judge] says whether a result passes, and a [Tally] counts.
//
// # Judging
//
// A vector passes when its result equals what is expected. One marked
// engineDependent or hostDependent also passes when the shape is the same. One
// marked quirk, whose expectation is a defect of the reference, passes as well
// when it does what its `better` says; testdata/better.json says that as data,
// by id, or by the text of `better` for vectors that are not ours. A quirk that
// neither names passes when its result is a well-formed outcome, since what it
// may be is written in prose only.
//
// DEVIATIONS.md is the list of vectors and cases that the product answers
// otherwise on purpose, each with the reason. A listed one that passes is an
// error: the list only shrinks by hand.
//
// # Other directories
//
// GUESTJS_VECTORS, GUESTJS_CASES and GUESTJS_HOSTILE name directories of the
// same form as testdata/vectors, testdata/cases and testdata/cases/hostile to
// use in their place. GUESTJS_HOSTILE, or GUESTJS_FULL=1, also runs the hostile
// programs with their full budget of 250 ms and holds them to the strict
// numbers; without either the budget is 40 ms.
package conform
