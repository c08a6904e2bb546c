package admission

import "time"

// Lease is one slot of a Controller, held. Whoever got it from Acquire must
// Release it.
type Lease struct {
	place   link[Lease]
	c       *Controller
	granted time.Time
	waited  time.Duration

	// Guarded by Controller.mu.
	ended   bool
	expired bool
	over    chan struct{} // made by Done, closed at the end
}

// grant makes a lease that lives from now on. A slot must be free.
func (c *Controller) grant(now time.Time, waited time.Duration) *Lease {
	l := &Lease{c: c, granted: now, waited: waited}
	l.place.value = l
	c.leases.push(&l.place)
	c.totals.Admitted++
	return l
}

// end takes l, which must live, off the list. The caller hands its slot over.
func (c *Controller) end(l *Lease) {
	l.ended = true
	c.leases.remove(&l.place)
	if l.over != nil {
		close(l.over)
	}
}

// settleIdle tells those who wait in Drain when no lease is left. It comes
// after handOver, since a slot that changes hands is never free.
func (c *Controller) settleIdle() {
	if c.leases.len == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Release gives the slot back, to the oldest waiter if there is one. It does
// not block, may be called from any goroutine, and does nothing on a lease that
// has ended.
func (l *Lease) Release() {
	c := l.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if l.ended {
		return
	}
	c.end(l)
	if c.queue.len > 0 {
		now := time.Now()
		c.handOver(now)
		c.rearm(now)
	}
	c.settleIdle()
}

// Waited is how long the lease was queued for; zero when a slot was free.
func (l *Lease) Waited() time.Duration { return l.waited }

// Done returns a channel that is closed when the lease has ended: it was
// released, or it expired and somebody else needed the slot.
func (l *Lease) Done() <-chan struct{} {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.over == nil {
		l.over = make(chan struct{})
		if l.ended {
			close(l.over)
		}
	}
	return l.over
}

// Expired reports whether the lease ended because Options.MaxDuration had
// passed, and not by Release.
func (l *Lease) Expired() bool {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	return l.expired
}
