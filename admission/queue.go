package admission

import "time"

// waiter is a caller of Acquire that found no slot free. It blocks in its own
// goroutine. All fields but the channels are guarded by Controller.mu until
// settled is closed, and never change after that.
type waiter struct {
	place   link[waiter]
	since   time.Time
	done    <-chan struct{} // of the caller's context
	settled chan struct{}
	verdict verdict
	lease   *Lease
}

// verdict is what became of a waiter. It leaves waiting once.
type verdict uint8

const (
	waiting verdict = iota
	granted
	left // the caller's context ended first
	late // the queue timeout passed first
	shut // the controller was closed first
)

// gone reports whether the caller has left, though its goroutine may not have
// noticed yet. A cancellation that came before a grant, a timeout or a close
// goes before it, so no slot is handed to somebody who has left.
func (w *waiter) gone() bool { return isDone(w.done) }

func (c *Controller) enqueue(now time.Time, done <-chan struct{}) *waiter {
	w := &waiter{since: now, done: done, settled: make(chan struct{})}
	w.place.value = w
	c.queue.push(&w.place)
	c.totals.Queued++
	c.rearm(now)
	return w
}

// settle takes w out of the queue with its verdict. It must be waiting.
func (c *Controller) settle(w *waiter, v verdict) {
	c.queue.remove(&w.place)
	w.verdict = v
	close(w.settled)
}

func (c *Controller) cancel(w *waiter) {
	c.totals.Cancelled++
	c.settle(w, left)
}

// handOver gives free slots to the oldest waiters.
func (c *Controller) handOver(now time.Time) {
	for c.leases.len < c.opts.Concurrency {
		w := c.queue.head()
		if w == nil {
			return
		}
		if w.gone() {
			c.cancel(w)
			continue
		}
		wait := max(now.Sub(w.since), 0)
		c.waits.Count++
		c.waits.Total += wait
		c.waits.Max = max(c.waits.Max, wait)
		w.lease = c.grant(now, wait)
		c.settle(w, granted)
	}
}

// timeOut turns away whoever has waited for the queue timeout.
func (c *Controller) timeOut(now time.Time) {
	for {
		w := c.queue.head()
		if w == nil || now.Sub(w.since) < c.opts.QueueTimeout {
			return
		}
		if w.gone() {
			c.cancel(w)
			continue
		}
		c.totals.Rejected++
		c.settle(w, late)
	}
}
