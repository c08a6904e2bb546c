//go:build !linux

package conform_test

import "time"

// queued is known on Linux only.
func queued() time.Duration { return 0 }
