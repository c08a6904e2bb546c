package fuzz_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

// FuzzQueue: a tape of arrivals, departures, releases, waits and a close, played
// on a controller and on SPEC section 3 written down without a thought for
// speed, gives the same counters, the same leases and the same refusals after
// every step; every caller is settled exactly once.
func FuzzQueue(f *testing.F) {
	f.Add([]byte{1, 2, 20, 0, 0, 0, 0, 0, 0, 3, 0, 4, 30})
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 4 {
			return
		}
		o := admission.Options{
			Concurrency: 1 + int(tape[0]%3), MaxQueueSize: int(tape[1] % 4),
			QueueTimeout: time.Duration(1+tape[2]%40) * time.Millisecond,
		}
		if tape[3]%2 == 1 {
			o.MaxDuration = time.Duration(1+tape[3]%50) * time.Millisecond
		}
		steps := tape[4:min(len(tape), 4+200)]
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, o)
			defer q.end()
			for len(steps) >= 2 {
				what := q.step(steps[0], int(steps[1]))
				steps = steps[2:]
				synctest.Wait()
				q.compare(t, what)
			}
		})
	})
}

// queue plays the same steps on both.
type queue struct {
	c       *admission.Controller
	m       gate
	callers []*arrival
}

// arrival is one call of Acquire.
type arrival struct {
	cancel context.CancelFunc
	done   chan struct{}
	lease  *admission.Lease
	err    error
}

func newQueue(t *testing.T, o admission.Options) *queue {
	c, err := admission.New(o)
	require.NoError(t, err)
	return &queue{c: c, m: gate{o: o}}
}

func (q *queue) end() {
	q.c.Close()
	for _, a := range q.callers {
		a.cancel()
	}
}

func (q *queue) step(op byte, arg int) string {
	some := func() (int, bool) { return arg % max(len(q.callers), 1), len(q.callers) > 0 }
	switch op % 16 {
	default:
		q.arrive(false, false)
		return "arrive"
	case 5:
		q.arrive(true, false)
		return "arrive, not waiting"
	case 6:
		q.arrive(false, true)
		return "arrive, gone already"
	case 4:
		// In one instant: who has left first is not given the slot.
		if n, ok := some(); ok {
			m := arg / 8 % len(q.callers)
			lease := q.callers[m].held()
			q.callers[n].cancel()
			if lease != nil {
				lease.Release()
			}
			q.m.leave(n)
			q.m.release(m)
			return fmt.Sprintf("leave %d and release %d", n, m)
		}
	case 7, 8:
		if n, ok := some(); ok {
			q.callers[n].cancel()
			q.m.leave(n)
			return fmt.Sprint("leave ", n)
		}
	case 9, 10, 11:
		if n, ok := some(); ok {
			if lease := q.callers[n].held(); lease != nil {
				lease.Release()
				lease.Release() // the second does nothing
			}
			q.m.release(n)
			return fmt.Sprint("release ", n)
		}
	case 12, 13, 14:
		d := time.Duration(1+arg%30) * time.Millisecond
		time.Sleep(d)
		for range d / time.Millisecond {
			q.m.tick()
		}
		return fmt.Sprint("wait ", d)
	case 15:
		if arg%8 == 0 {
			q.c.Close()
			q.m.close()
			return "close"
		}
	}
	return "nothing"
}

func (q *queue) arrive(noWait, gone bool) {
	ctx, cancel := context.WithCancel(context.Background())
	a := &arrival{cancel: cancel, done: make(chan struct{})}
	q.callers = append(q.callers, a)
	if gone {
		cancel()
	}
	go func() {
		defer close(a.done)
		a.lease, a.err = q.c.Acquire(ctx, contract.AcquireOptions{NoWait: noWait})
	}()
	q.m.arrive(noWait, gone)
	synctest.Wait()
}

func (a *arrival) settled() bool {
	select {
	case <-a.done:
		return true
	default:
		return false
	}
}

// held is the lease that the caller was given, or nil.
func (a *arrival) held() *admission.Lease {
	if !a.settled() {
		return nil
	}
	return a.lease
}

func (q *queue) compare(t *testing.T, what string) {
	require.Equal(t, q.m.snapshot(), q.c.Snapshot(), "after %s", what)
	for n, a := range q.callers {
		want := q.m.all[n]
		if !a.settled() {
			require.Equal(t, "queued", want.state, "caller %d after %s", n, what)
			continue
		}
		if want.state == "live" || want.state == "over" {
			require.NoError(t, a.err, "caller %d after %s", n, what)
			require.Equal(t, want.waited, a.lease.Waited(), "caller %d after %s", n, what)
			continue
		}
		var refused *contract.RefusedError
		require.ErrorAs(t, a.err, &refused, "caller %d after %s", n, what)
		require.Equal(t, want.state, refused.Message, "caller %d after %s", n, what)
		require.False(t, refused.Started)
		require.Equal(t, refused.Code == contract.CodeOverloaded, refused.Retryable)
		require.Equal(t, refused.Code == contract.CodeOverloaded, errors.Is(a.err, contract.ErrOverloaded))
		require.Equal(t, refused.Code == contract.CodeClosed, errors.Is(a.err, contract.ErrClosed))
		require.Equal(t, refused.Code == contract.CodeCancelled, errors.Is(a.err, context.Canceled))
	}
}

// gate is the model. Every question is answered by going through everybody.
type gate struct {
	o      admission.Options
	now    time.Duration
	shut   bool
	all    []*person
	line   []*person // who waits, oldest first
	inside []*person // who holds a lease, oldest first
	totals contract.Totals
	waits  contract.QueueWait
}

// person's state is queued, live, over, or the text of the refusal.
type person struct {
	state                 string
	came, entered, waited time.Duration
}

func remove(list []*person, p *person) []*person {
	var kept []*person
	for _, x := range list {
		if x != p {
			kept = append(kept, x)
		}
	}
	return kept
}

func (g *gate) enter(p *person) {
	p.state, p.entered, p.waited = "live", g.now, g.now-p.came
	g.inside = append(g.inside, p)
	g.totals.Admitted++
}

func (g *gate) next() {
	for !g.shut && len(g.line) > 0 && len(g.inside) < g.o.Concurrency {
		p := g.line[0]
		g.line = g.line[1:]
		g.enter(p)
		g.waits.Count++
		g.waits.Total += p.waited
		g.waits.Max = max(g.waits.Max, p.waited)
	}
}

func (g *gate) expire() {
	if g.o.MaxDuration == 0 {
		return
	}
	for _, p := range g.inside {
		if g.now-p.entered >= g.o.MaxDuration {
			p.state = "over"
			g.inside = remove(g.inside, p)
		}
	}
	g.next()
}

func (g *gate) arrive(noWait, gone bool) {
	g.expire()
	p := &person{came: g.now}
	g.all = append(g.all, p)
	switch {
	case g.shut:
		p.state = "Executor is shutting down."
		g.totals.Closed++
	case gone:
		p.state = "Execution was cancelled before admission."
		g.totals.Cancelled++
	case len(g.inside) < g.o.Concurrency:
		g.enter(p)
	case noWait:
		p.state = "No executor slot is free for nested execution. Invoke the operation directly, after this program ends."
		g.totals.Rejected++
	case len(g.line) >= g.o.MaxQueueSize:
		p.state = "Executor queue is full."
		g.totals.Rejected++
	default:
		p.state = "queued"
		g.line = append(g.line, p)
		g.totals.Queued++
	}
}

func (g *gate) leave(n int) {
	if p := g.all[n]; p.state == "queued" {
		p.state = "Execution was cancelled while queued."
		g.line = remove(g.line, p)
		g.totals.Cancelled++
	}
}

func (g *gate) release(n int) {
	if p := g.all[n]; p.state == "live" {
		p.state = "over"
		g.inside = remove(g.inside, p)
		g.next()
	}
}

func (g *gate) close() {
	g.shut = true
	for _, p := range g.line {
		p.state = "Executor is shutting down."
		g.totals.Closed++
	}
	g.line = nil
}

// tick lets a millisecond pass. An expiry is seen by who waits for it, and comes
// before a timeout.
func (g *gate) tick() {
	g.now += time.Millisecond
	if len(g.line) > 0 {
		g.expire()
	}
	for _, p := range g.line {
		if g.now-p.came >= g.o.QueueTimeout {
			p.state = fmt.Sprintf("Executor admission timed out after %dms.", g.o.QueueTimeout.Milliseconds())
			g.line = remove(g.line, p)
			g.totals.Rejected++
		}
	}
}

func (g *gate) snapshot() contract.Snapshot {
	return contract.Snapshot{
		Concurrency: g.o.Concurrency, MaxQueueSize: g.o.MaxQueueSize,
		QueueTimeout: g.o.QueueTimeout, RetryAfter: g.o.QueueTimeout,
		Active: len(g.inside), Queued: len(g.line), Closed: g.shut,
		Totals: g.totals, QueueWait: g.waits,
	}
}
