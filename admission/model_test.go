package admission_test

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

// step is one thing that happens to a controller. Callers are numbered in the
// order in which they came.
type step struct {
	op     string // acquire, nowait, aborted, cancel, release, advance, close
	caller int
	by     time.Duration
}

func (s step) String() string { return fmt.Sprintf("%s(%d, %s)", s.op, s.caller, s.by) }

// model is section 3 of SPEC, word for word, without a thought for speed: every
// question is answered by going through everybody.
type model struct {
	o       admission.Options
	now     time.Duration
	closed  bool
	callers []*modelCaller
	totals  contract.Totals
	waits   contract.QueueWait
}

type modelCaller struct {
	state          string // queued, live, ended, or the text of the refusal
	since, granted time.Duration
	waited         time.Duration
}

func (m *model) in(state string) (found []*modelCaller) {
	for _, w := range m.callers {
		if w.state == state {
			found = append(found, w)
		}
	}
	// Callers stand in the order in which they came, leases in that of their grants.
	slices.SortStableFunc(found, func(a, b *modelCaller) int { return int(a.granted - b.granted) })
	return found
}

func (m *model) grant(w *modelCaller) {
	w.state, w.granted, w.waited = "live", m.now, m.now-w.since
	m.totals.Admitted++
}

func (m *model) handOver() {
	for _, w := range m.in("queued") {
		if m.closed || len(m.in("live")) >= m.o.Concurrency {
			return
		}
		m.grant(w)
		m.waits.Count++
		m.waits.Total += w.waited
		m.waits.Max = max(m.waits.Max, w.waited)
	}
}

func (m *model) dropExpired() {
	if m.o.MaxDuration == 0 {
		return
	}
	for _, w := range m.in("live") {
		if w.granted+m.o.MaxDuration <= m.now {
			w.state = "ended"
		}
	}
	m.handOver()
}

func (m *model) acquire(noWait, aborted bool) {
	m.dropExpired()
	w := &modelCaller{since: m.now}
	m.callers = append(m.callers, w)
	switch {
	case m.closed:
		w.state = "Executor is shutting down."
		m.totals.Closed++
	case aborted:
		w.state = "Execution was cancelled before admission."
		m.totals.Cancelled++
	case len(m.in("live")) < m.o.Concurrency:
		m.grant(w)
	case noWait:
		w.state = "No executor slot is free for nested execution. Invoke the operation directly, after this program ends."
		m.totals.Rejected++
	case len(m.in("queued")) >= m.o.MaxQueueSize:
		w.state = "Executor queue is full."
		m.totals.Rejected++
	default:
		w.state = "queued"
		m.totals.Queued++
	}
}

// tick lets one millisecond pass.
func (m *model) tick() {
	m.now += ms
	if len(m.in("queued")) > 0 {
		m.dropExpired()
	}
	for _, w := range m.in("queued") {
		if w.since+m.o.QueueTimeout <= m.now {
			w.state = fmt.Sprintf("Executor admission timed out after %dms.", m.o.QueueTimeout.Milliseconds())
			m.totals.Rejected++
		}
	}
}

func (m *model) do(s step) {
	switch s.op {
	case "acquire", "nowait", "aborted":
		m.acquire(s.op == "nowait", s.op == "aborted")
	case "cancel":
		if w := m.callers[s.caller]; w.state == "queued" {
			w.state = "Execution was cancelled while queued."
			m.totals.Cancelled++
		}
	case "release":
		if w := m.callers[s.caller]; w.state == "live" {
			w.state = "ended"
			m.handOver()
		}
	case "close":
		m.closed = true
		for _, w := range m.in("queued") {
			w.state = "Executor is shutting down."
			m.totals.Closed++
		}
	case "advance":
		for range s.by / ms {
			m.tick()
		}
	}
}

func (m *model) snapshot() contract.Snapshot {
	retry := m.o.RetryAfter
	if retry == 0 {
		retry = m.o.QueueTimeout
	}
	return contract.Snapshot{
		Concurrency: m.o.Concurrency, MaxQueueSize: m.o.MaxQueueSize,
		QueueTimeout: m.o.QueueTimeout, RetryAfter: retry,
		Active: len(m.in("live")), Queued: len(m.in("queued")), Closed: m.closed,
		Totals: m.totals, QueueWait: m.waits,
	}
}

// play runs the steps on a controller and the model side by side and says
// where they first differ.
func play(t *testing.T, o admission.Options, steps []step) (difference string) {
	synctest.Test(t, func(t *testing.T) {
		c := newController(t, o)
		m := &model{o: o}
		var callers []*caller
		var cancels []context.CancelFunc
		defer func() {
			c.Close()
			for _, cancel := range cancels {
				cancel()
			}
		}()
		for i, s := range steps {
			switch s.op {
			case "acquire", "nowait", "aborted":
				ctx, cancel := context.WithCancel(t.Context())
				cancels = append(cancels, cancel)
				if s.op == "aborted" {
					cancel()
				}
				if s.op == "nowait" {
					w := &caller{done: make(chan struct{})}
					w.lease, w.err = c.Acquire(ctx, contract.AcquireOptions{NoWait: true})
					close(w.done)
					callers = append(callers, w)
				} else {
					callers = append(callers, queued(ctx, c))
				}
			case "cancel":
				cancels[s.caller]()
			case "release":
				if w := callers[s.caller]; w.settled() && w.lease != nil {
					w.lease.Release()
				}
			case "close":
				c.Close()
			case "advance":
				time.Sleep(s.by)
			}
			synctest.Wait()
			m.do(s)
			if got, want := c.Snapshot(), m.snapshot(); !reflect.DeepEqual(got, want) {
				difference = fmt.Sprintf("after step %d, %v:\n got %v\nwant %v", i, s, got, want)
				return
			}
			for n, w := range callers {
				if got, want := stateOf(w), m.callers[n]; !sameState(got, want) {
					difference = fmt.Sprintf("after step %d, %v: caller %d is %+v, want %+v", i, s, n, got, *want)
					return
				}
			}
		}
	})
	return difference
}

func stateOf(w *caller) modelCaller {
	switch {
	case !w.settled():
		return modelCaller{state: "queued"}
	case w.err != nil:
		return modelCaller{state: w.err.Error()}
	}
	return modelCaller{state: "live", waited: w.lease.Waited()}
}

func sameState(got modelCaller, want *modelCaller) bool {
	if want.state == "ended" { // its caller still holds the lease
		return got.state == "live" && got.waited == want.waited
	}
	return got.state == want.state && (got.state != "live" || got.waited == want.waited)
}

func TestControllerAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := admission.Options{
			Concurrency:  rapid.IntRange(1, 3).Draw(rt, "concurrency"),
			MaxQueueSize: rapid.IntRange(0, 4).Draw(rt, "queue"),
			QueueTimeout: time.Duration(rapid.IntRange(1, 20).Draw(rt, "timeout")) * ms,
			RetryAfter:   time.Duration(rapid.IntRange(0, 20).Draw(rt, "retry")) * ms,
			MaxDuration:  time.Duration(rapid.IntRange(0, 20).Draw(rt, "duration")) * ms,
		}
		ops := []string{"acquire", "acquire", "acquire", "nowait", "aborted", "cancel", "release", "release", "advance", "close"}
		var steps []step
		came := 0
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			s := step{op: rapid.SampledFrom(ops).Draw(rt, "op")}
			switch s.op {
			case "acquire", "nowait", "aborted":
				s.caller = came
				came++
			case "advance":
				s.by = time.Duration(rapid.IntRange(1, 25).Draw(rt, "ms")) * ms
			case "cancel", "release":
				if came == 0 {
					continue
				}
				s.caller = rapid.IntRange(0, came-1).Draw(rt, "caller")
			case "close":
				// Rarely: not much happens afterwards.
				if rapid.IntRange(0, 7).Draw(rt, "really") > 0 {
					continue
				}
			}
			steps = append(steps, s)
		}
		if difference := play(t, o, steps); difference != "" {
			rt.Fatalf("%+v %v\n%s", o, steps, difference)
		}
	})
}
