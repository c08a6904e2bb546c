//go:build race

package bridge_test

// The race detector keeps memory of its own.
const raceEnabled = true
