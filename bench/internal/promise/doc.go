// Package promise holds measurements against what is promised of them.
//
// A [Row] names two selections of benchmarks, ours and a baseline measured
// beside it, and bounds their ratio. [AgainstBounds] judges rows within one set
// of results, [AgainstOld] judges the ratios of one set by those of an older
// one. Neither looks at an absolute time.
//
// A loss is beyond the margin and significant: the samples of the two sides
// differ by the Mann-Whitney U test once the margin is taken off. A row that
// selects several pairs is judged by their geometric mean, round by round.
//
// Everything here is plain data and pure functions.
package promise
