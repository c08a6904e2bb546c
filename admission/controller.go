package admission

import (
	"context"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Controller grants a fixed number of leases at a time and queues who comes
// when they are all taken. New makes one.
type Controller struct {
	opts Options // resolved, never changed

	mu     sync.Mutex
	closed bool
	// Leases and waiters are in the order of their grant and arrival. Each of
	// them has the same time to live or to wait, so the head of each list is
	// also the first to expire, and one timer does for all.
	leases list[Lease]
	queue  list[waiter]
	totals contract.Totals
	waits  contract.QueueWait
	alarm  alarm
	idle   chan struct{} // non-nil while Drain waits; closed when no lease lives
}

// New returns a Controller with all slots free. An error names the first field
// that is wrong, in SPEC's order, and unwraps to contract.ErrInvalid.
func New(o Options) (*Controller, error) {
	resolved, err := o.resolve()
	if err != nil {
		return nil, err
	}
	return &Controller{opts: resolved}, nil
}

// Acquire returns a lease as soon as a slot is free for this caller. It blocks
// until then, until ctx ends, until QueueTimeout has passed, or until Close. With
// opts.NoWait it does not block.
//
// The error is a *contract.RefusedError that unwraps to [ErrOverloaded],
// [ErrClosed] or context.Cause(ctx). When a slot is handed over and ctx ends in
// the same instant, whichever came first decides; a lease that was granted is
// returned, and is the caller's to release. (SPEC sections 3.3 and 3.4.)
func (c *Controller) Acquire(ctx context.Context, opts contract.AcquireOptions) (*Lease, error) {
	c.mu.Lock()
	lease, w, err := c.admit(ctx, opts)
	c.mu.Unlock()
	if w == nil {
		return lease, err
	}

	// The select may pick either case when both are ready, but only who holds
	// the lock and finds the waiter still queued may settle it. So a grant that
	// crosses a cancellation is neither lost nor given twice.
	select {
	case <-w.settled:
	case <-w.done:
		c.mu.Lock()
		if w.verdict == waiting {
			c.cancel(w)
		}
		c.mu.Unlock()
	}
	switch w.verdict { // final, and written before settled was closed or under the lock
	case granted:
		return w.lease, nil
	case late:
		return nil, c.overloaded(timedOut(c.opts.QueueTimeout))
	case shut:
		return nil, closed(false)
	}
	return nil, cancelled(ctx, textQueued, false)
}

// admit takes the steps of SPEC section 3.3. It returns a lease, a waiter that
// has joined the queue, or an error.
func (c *Controller) admit(ctx context.Context, opts contract.AcquireOptions) (*Lease, *waiter, error) {
	now := time.Now()
	c.expire(now)
	done := ctx.Done()
	switch {
	case c.closed:
		c.totals.Closed++
		return nil, nil, closed(false)
	case isDone(done):
		c.totals.Cancelled++
		return nil, nil, cancelled(ctx, textBefore, false)
	case c.leases.len < c.opts.Concurrency:
		// Nobody waits: every freed slot is handed over in the step that frees it.
		return c.grant(now, 0), nil, nil
	case opts.NoWait:
		c.totals.Rejected++
		return nil, nil, c.overloaded(textNested)
	case c.queue.len >= c.opts.MaxQueueSize:
		c.totals.Rejected++
		return nil, nil, c.overloaded(textFull)
	}
	return nil, c.enqueue(now, done), nil
}

// Close refuses everybody who waits, in queue order, and everybody who comes.
// Leases that live go on until they are released; see [Controller.Drain]. It
// does not block, and is idempotent.
func (c *Controller) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for w := c.queue.head(); w != nil; w = c.queue.head() {
		if w.gone() {
			c.cancel(w)
			continue
		}
		c.totals.Closed++
		c.settle(w, shut)
	}
}

// Drain blocks until no lease lives, and then returns nil; if ctx ends before
// that, it returns context.Cause(ctx). It closes nothing: call Close first to
// let nobody in meanwhile.
func (c *Controller) Drain(ctx context.Context) error {
	c.mu.Lock()
	now := time.Now()
	c.expire(now)
	if c.leases.len == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.rearm(now)
	c.mu.Unlock()

	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Snapshot returns a copy of the counters. It changes nothing: a lease whose
// time has come is active until somebody needs its slot.
func (c *Controller) Snapshot() contract.Snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	return contract.Snapshot{
		Concurrency:  c.opts.Concurrency,
		MaxQueueSize: c.opts.MaxQueueSize,
		QueueTimeout: c.opts.QueueTimeout,
		RetryAfter:   c.opts.RetryAfter,
		Active:       c.leases.len,
		Queued:       c.queue.len,
		Closed:       c.closed,
		Totals:       c.totals,
		QueueWait:    c.waits,
	}
}

func isDone(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
