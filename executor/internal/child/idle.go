package child

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// trimAfter is how long a child keeps the memory of its last run while idle.
const trimAfter = time.Second

// trimmer is a Runner that can give memory back to the system. It is not asked
// during a run.
type trimmer interface{ Trim() error }

// idle has a runner give memory back when it has not run for a while.
type idle struct {
	running sync.Mutex // held while the runner is in use

	mu    sync.Mutex
	since time.Time // of the end of the last run
	due   bool      // a timer is under way
}

// after says that a run has ended. It costs a timer a second at most.
func (c *conn) after() {
	t, ok := c.runner.(trimmer)
	if !ok {
		return
	}
	c.idle.mu.Lock()
	defer c.idle.mu.Unlock()
	c.idle.since = time.Now()
	if !c.idle.due {
		c.idle.due = true
		time.AfterFunc(trimAfter, func() { c.trim(t) })
	}
}

func (c *conn) trim(t trimmer) {
	c.idle.mu.Lock()
	rest := trimAfter - time.Since(c.idle.since)
	if rest > 0 {
		time.AfterFunc(rest, func() { c.trim(t) })
		c.idle.mu.Unlock()
		return
	}
	c.idle.due = false
	c.idle.mu.Unlock()
	if !c.idle.running.TryLock() {
		return // it will be idle again
	}
	defer c.idle.running.Unlock()
	if err := t.Trim(); err != nil {
		fmt.Fprintln(c.log, "child: giving memory back:", err)
	}
	debug.FreeOSMemory() // and what texts on their way took
}
