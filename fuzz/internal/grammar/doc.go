// Package grammar turns the bytes of a fuzzer into inputs that get past the
// parser: JavaScript programs, thrown values, values with a known JSON form,
// program texts of known meaning, and op tapes.
//
// Every function reads its choices from a tape of bytes, one or two bytes a
// choice. The same tape gives the same answer, and a change near the end of a
// tape leaves what was made of the bytes before it as it was, so that a
// mutation is a small edit. Past the end of the tape, and past the size or
// depth limit, every choice is the first alternative of its rule, which is
// always a leaf; so everything ends. Nothing here panics, blocks or keeps state.
//
// The rules are tables (rules_*.go). In the text of a rule `$name` stands for
// another rule or for one of the hooks in hooks.go, which open scopes: what
// `await`, `yield`, `return`, `break`, `super` and private names are allowed to
// mean is known at each place, and a rule whose needs are not met there is not
// among the choices. What comes out is therefore a program nearly always: the
// tests, which compile thousands, hold the share above 99.5%.
package grammar
