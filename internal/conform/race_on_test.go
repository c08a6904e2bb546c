//go:build race

package conform_test

// raceEnabled: the race detector slows every step of a guest, so only the wide
// bounds are held.
const raceEnabled = true
