// Package peers runs the programs of package bench on the engines a host might
// use instead of guestjs: goja, sobek and modernc.org/quickjs here, and, in the
// directory node, quickjs-emscripten and the npm package run.
//
// It is a module of its own so that none of them is ever among guestjs's
// dependencies. One file holds one engine. To run it:
//
//	go test -run '^$' -bench . -count 6 .
//	npm ci --prefix node && node node/bench.mjs -count 6
//
// Both print the Go benchmark format under one package name, so the two outputs
// put together are one table. The command bench/collect of the main module does
// that, in rounds, so that every engine is measured beside every other.
package peers
