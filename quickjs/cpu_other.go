//go:build !linux

package quickjs

import "time"

// Elsewhere the monotonic clock stands for processor time: it never shows less
// than what was used.
type threadClock int32

var processStart = time.Now()

func currentThread() threadClock { return 0 }

func (threadClock) now() time.Duration { return time.Since(processStart) }

func ownCPU() time.Duration { return time.Since(processStart) }

const hasThreadClock = false
