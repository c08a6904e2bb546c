package admission

import "time"

// expire drops the leases whose time has come and hands their slots over, as a
// release does (SPEC section 3.5).
func (c *Controller) expire(now time.Time) {
	if c.opts.MaxDuration == 0 {
		return
	}
	for {
		l := c.leases.head()
		if l == nil || now.Sub(l.granted) < c.opts.MaxDuration {
			break
		}
		l.expired = true
		c.end(l)
	}
	c.handOver(now)
	c.settleIdle()
}

// alarm is the one timer of a Controller. It is set for the next instant at
// which something happens by itself: a waiter's timeout, or the expiry of a
// lease that a waiter or Drain waits for.
type alarm struct {
	timer *time.Timer
	at    time.Time
	set   bool
}

// expected reports whether somebody waits for a lease to end. Without, expired
// leases live on until the next Acquire.
func (c *Controller) expected() bool { return c.queue.len > 0 || c.idle != nil }

// rearm sets the alarm for the next such instant. An alarm that is set for an
// earlier one stays: it finds nothing to do and comes here again, which is
// cheaper than moving the timer on every change of the queue.
func (c *Controller) rearm(now time.Time) {
	var next time.Time
	if w := c.queue.head(); w != nil {
		next = w.since.Add(c.opts.QueueTimeout)
	}
	if l := c.leases.head(); l != nil && c.opts.MaxDuration > 0 && c.expected() {
		if at := l.granted.Add(c.opts.MaxDuration); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if next.IsZero() || c.alarm.set && !next.Before(c.alarm.at) {
		return
	}
	c.alarm.at, c.alarm.set = next, true
	if c.alarm.timer == nil {
		c.alarm.timer = time.AfterFunc(next.Sub(now), c.ring)
		return
	}
	c.alarm.timer.Reset(next.Sub(now))
}

// ring does what has come due. Expiries go first: at one instant, a waiter is
// rather served than turned away.
func (c *Controller) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.alarm.set = false
	if c.expected() {
		c.expire(now)
	}
	c.timeOut(now)
	c.rearm(now)
}
