package executor

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor/internal/child"
)

// Times of SPEC section 2.
const (
	startLimit   = 10 * time.Second
	wallGrace    = 250 * time.Millisecond
	killGrace    = 250 * time.Millisecond
	closeWait    = time.Second
	firstBackOff = 100 * time.Millisecond
	mostBackOff  = 5 * time.Second
)

// processOptions configure the slots of a process executor. Zero fields take
// the defaults.
type processOptions struct {
	Slots    int             // children at once; default 1
	Path     string          // the binary of a child; empty: this one, whose main calls ChildMain
	Limits   contract.Limits // the most a run may use; default contract.DefaultLimits
	MaxCalls int             // host functions running at once in one run; default 64
	NoEval   bool            // as bridge.Options
	HostZone bool            // as bridge.Options.HostTimeZone
	Skip     []string        // steps of hardening to leave out; "all" for all of them
	Logger   *slog.Logger    // default: nothing is logged

	// For tests.
	now        func() time.Time
	startLimit time.Duration
	env        []string
}

func (o processOptions) withDefaults() processOptions {
	if o.Slots == 0 {
		o.Slots = 1
	}
	o.Limits = o.Limits.Or(contract.DefaultLimits())
	if o.MaxCalls == 0 {
		o.MaxCalls = 64
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.startLimit == 0 {
		o.startLimit = startLimit
	}
	return o
}

// processSlots are the slots of a process executor: each holds one child that
// is started when first needed and kept from run to run. Admission is not its
// business: whoever calls run has made sure that a slot is free. Safe for use
// from any number of goroutines.
type processSlots struct {
	opts    processOptions
	closing chan struct{} // closed when close begins
	jobs    atomic.Uint64 // the number of the last run

	mu     sync.Mutex
	closed bool
	all    []*processSlot
	free   []*processSlot             // a stack: the warmest slot is used first
	live   map[*childProcess]struct{} // every process that still holds anything of ours
	reaped chan struct{}              // closed, when closing, as soon as live is empty
}

// newProcessSlots makes slots; it starts nothing.
func newProcessSlots(opts processOptions) *processSlots {
	s := &processSlots{
		opts:    opts.withDefaults(),
		closing: make(chan struct{}),
		live:    map[*childProcess]struct{}{},
		reaped:  make(chan struct{}),
	}
	for i := range s.opts.Slots {
		s.all = append(s.all, &processSlot{slots: s, number: i})
	}
	s.free = append(s.free, s.all...)
	return s
}

// run runs p in the child of a free slot. It blocks until the run has ended.
// When ctx ends first the child is given up and the error is a
// [*contract.RefusedError] that unwraps to context.Cause(ctx); the texts are
// those of SPEC section 13.3. A child that failed the run gives an Outcome whose
// Err is a [*ProcessError]; one that could not be started gives that as the
// error. A panic of a host function is raised again here.
func (s *processSlots) run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	if ctx.Err() != nil {
		return contract.Outcome{}, cancelled(ctx, "Execution was cancelled before it started.", false)
	}
	id := s.jobs.Add(1)
	frame, limits, err := prepareRun(id, p, s.opts.Limits)
	if err != nil {
		if large := tooLargeToSend(err); large != nil {
			return contract.Outcome{Err: large}, nil
		}
		return contract.Outcome{}, err
	}
	slot, err := s.take()
	if err != nil {
		return contract.Outcome{}, err
	}
	defer s.give(slot)
	c, err := slot.ready(ctx)
	if err != nil {
		return contract.Outcome{}, err
	}
	return newProcessJob(ctx, id, s, slot, c, p, limits).run(frame)
}

func (s *processSlots) take() (*processSlot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, closedError(false)
	}
	n := len(s.free)
	if n == 0 {
		return nil, &ProcessError{Text: "Executor admission invariant failed: no child slot."}
	}
	slot := s.free[n-1]
	s.free = s.free[:n-1]
	return slot, nil
}

func (s *processSlots) give(slot *processSlot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, slot)
}

// close ends what runs, with the closed form of a refusal, and all children, and
// waits until every child is gone: milliseconds, and at most a second. It is
// idempotent; a second call waits too. The context has no say: ending the children
// is what is left to do when a caller's patience is over.
func (s *processSlots) close(context.Context) error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
		if len(s.live) == 0 {
			close(s.reaped)
		}
	}
	for c := range s.live {
		c.retire()
	}
	s.mu.Unlock()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-s.reaped:
		return nil
	case <-timer.C:
		return &ProcessError{Text: "A child did not exit within 1000ms of being killed."}
	}
}

// add and drop keep count of processes. add reports false when close has begun.
func (s *processSlots) add(c *childProcess) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.live[c] = struct{}{}
	return true
}

func (s *processSlots) drop(c *childProcess) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, had := s.live[c]; !had {
		return
	}
	delete(s.live, c)
	if s.closed && len(s.live) == 0 {
		close(s.reaped)
	}
}

// childStatus says how one slot stands.
type childStatus struct {
	Pid     int // zero when there is no child
	Ready   bool
	Crashes int // in a row
	// Steps is what the last child that ran here gave up; a step with an Err is
	// one that this system did not grant.
	Steps []child.Step
}

// status says how each slot stands.
func (s *processSlots) status() []childStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]childStatus, len(s.all))
	for i, slot := range s.all {
		list[i] = slot.status()
	}
	return list
}
