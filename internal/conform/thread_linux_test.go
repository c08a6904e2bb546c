package conform_test

import (
	"fmt"
	"os"
	"time"
)

// queued returns how long the calling thread has waited for a processor while
// it could have run: time that a loaded machine adds to every run. The caller
// has locked its goroutine to the thread.
func queued() time.Duration {
	text, err := os.ReadFile("/proc/thread-self/schedstat")
	if err != nil {
		return 0
	}
	var ran, waited int64
	if _, err := fmt.Sscan(string(text), &ran, &waited); err != nil {
		return 0
	}
	return time.Duration(waited)
}
