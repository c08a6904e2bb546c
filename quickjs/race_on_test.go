//go:build race

package quickjs_test

// Under the race detector everything takes many times as long.
const raceEnabled = true
