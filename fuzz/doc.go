// Package fuzz holds the fuzz targets: what must hold for any input, on the
// paths where things go wrong.
//
// A target is one file and one sentence, its doc comment. Its inputs are small
// tapes of bytes that internal/grammar turns into programs, thrown values, JSON
// or op tapes, so that the fuzzer's mutations are edits of meaning and not of
// spelling; coverage does not end at the parser.
//
// # What each target promises
//
//   - FuzzProgram: whatever a program does, its outcome is in order.
//   - FuzzThrow: a thrown value of any kind is described in bounded text, without
//     running the guest, and in the same words twice.
//   - FuzzDescribe: an error of known make is described by its own data members
//     and by nothing else, to the code unit.
//   - FuzzHostCall: name, arguments, reply and refusal of a host call arrive as
//     they were given, or are refused in bounded words; a refusal keeps its
//     identity and nothing but its identity.
//   - FuzzSettleOrder: calls, answers, refusals, panics, late replies, a
//     cancellation and a close in any order settle each call at most once, with
//     what was said first, and never in a later run.
//   - FuzzInterrupt, FuzzRefuse, FuzzKill: a guest that is stopped at a poll, at
//     an allocation or at any moment at all ends there, for the recorded cause.
//   - FuzzSource: any text is one program or a syntax error with a place; texts of
//     known meaning mean that, however they are dressed.
//   - FuzzValue: JSON, Go values and strings come back as they went in, and a
//     program's own JSON and search are the engine's.
//   - FuzzDifferential: a program says the same here and on modernc.org/quickjs.
//   - FuzzGuard: what is shown of a result is JSON within the cap, cut once.
//   - FuzzQueue: admission does what SPEC section 3 says, step by step.
//   - FuzzName: a sanitised name is what SPEC section 4 says.
//   - FuzzFrames: bytes from the other side of a child's pipe are messages, or bad
//     news of a known kind, in no more memory than what came.
//
// The targets that run guests use one sandbox for all inputs, and after each
// input run an ordinary program in it: it must see the same globals and
// prototypes, take the same number of bytes, and leave no host function behind;
// the engine must not have failed.
//
// # How to run them
//
// Plain `go test ./fuzz` runs every seed in testdata/fuzz. Each seed is named
// after what it shows; those that once failed are also told as tests beside the
// fix.
//
//	go test ./fuzz -run XXX -fuzz '^FuzzThrow$' -fuzztime 10m -fuzzminimizetime 1s -parallel 1
//	go run ./fuzz/cmd/all -time 10m          all targets, one after the other
//
// The first build instruments the engine and takes a minute. Minimising is
// bounded, since each trial runs a guest, and a slow one would hold up all else.
// README.md says how long each target has run and what it found.
package fuzz
