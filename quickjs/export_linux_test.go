package quickjs

import "time"

// ClockOfNoThread reads the clock of a thread that no system has.
func ClockOfNoThread() time.Duration { return threadClock(^int32(1<<27)<<3 | 6).now() }
