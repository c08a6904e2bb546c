package executor

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// pool keeps the sandboxes of this process. Admission is not its business:
// whoever calls Execute has made sure that there is a slot.
type pool struct {
	options bridge.Options
	logger  *slog.Logger

	mu     sync.Mutex
	most   int
	idle   []*place // a stack: the warmest sandbox is used first
	live   map[*place]struct{}
	past   bridge.Stats // of sandboxes that are gone
	closed bool
	trim   *time.Timer // due when something has been idle for a while
}

// place is one sandbox and what the pool knows of it.
type place struct {
	sandbox *bridge.Sandbox
	since   time.Time // idle since
	dirty   bool      // holds memory that it could give back
}

// trimAfter is how long a sandbox keeps the memory of its last run while idle.
const trimAfter = time.Second

func newPool(o Options) *pool {
	return &pool{
		options: bridge.Options{Limits: o.Limits, MaxCalls: o.MaxCalls, NoEval: o.NoEval, HostTimeZone: o.HostTimeZone},
		logger:  o.Logger,
		most:    o.Concurrency,
		live:    map[*place]struct{}{},
	}
}

// Execute runs a program in an idle sandbox, or in a new one.
func (p *pool) Execute(ctx context.Context, prog contract.Program) (contract.Outcome, error) {
	place, err := p.take()
	if err != nil {
		return contract.Outcome{}, err
	}
	defer p.give(place)
	return place.sandbox.Run(ctx, prog)
}

func (p *pool) take() (*place, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, refusedClosed()
	}
	if n := len(p.idle); n > 0 {
		place := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return place, nil
	}
	p.mu.Unlock()
	s, err := bridge.NewSandbox(p.options) // about a millisecond, not under the lock
	if err != nil {
		return nil, err
	}
	place := &place{sandbox: s}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = s.Close() // nothing has run in it
		return nil, refusedClosed()
	}
	p.live[place] = struct{}{}
	p.logger.Debug("sandbox built", slog.Int("sandboxes", len(p.live)))
	return place, nil
}

func refusedClosed() error {
	return &contract.RefusedError{Code: contract.CodeClosed, Message: "Executor is shutting down.", Cause: contract.ErrClosed}
}

func (p *pool) give(place *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return // Close takes it down
	}
	place.since, place.dirty = time.Now(), true
	p.idle = append(p.idle, place)
	if p.trim == nil {
		p.trim = time.AfterFunc(trimAfter, p.trimIdle)
	}
}

// trimIdle gives back the memory of sandboxes that have been idle for a while,
// and comes again while there are others.
func (p *pool) trimIdle() {
	var old []*place
	p.mu.Lock()
	p.trim = nil
	next := time.Duration(0)
	keep := p.idle[:0]
	for _, place := range p.idle {
		idle := time.Since(place.since)
		switch {
		case !place.dirty:
			keep = append(keep, place)
		case idle >= trimAfter:
			old = append(old, place) // nobody else can take it meanwhile
		default:
			next = max(next, trimAfter-idle)
			keep = append(keep, place)
		}
	}
	p.idle = keep
	if next > 0 && !p.closed {
		p.trim = time.AfterFunc(next, p.trimIdle)
	}
	p.mu.Unlock()
	for _, place := range old {
		if err := place.sandbox.Trim(); err != nil {
			p.logger.Warn("an idle sandbox keeps its memory", slog.Any("error", err))
		}
	}
	p.back(old)
}

// back takes trimmed sandboxes back, the coldest at the bottom. When others were
// built meanwhile, in their stead, there may be more than will ever run at once.
func (p *pool) back(old []*place) {
	var surplus []*place
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return // Close takes them down
	}
	var kept []*place
	for _, place := range old {
		if place.dirty = false; len(p.live) <= p.most {
			kept = append(kept, place)
			continue
		}
		delete(p.live, place)
		surplus = append(surplus, place)
	}
	p.idle = append(kept, p.idle...)
	p.mu.Unlock()
	if err := p.takeDown(surplus); err != nil {
		p.logger.Warn("a sandbox was not taken down", slog.Any("error", err))
	}
}

// takeDown closes sandboxes that are no longer live, and keeps their counts.
func (p *pool) takeDown(list []*place) error {
	var errs []error
	for _, place := range list {
		errs = append(errs, place.sandbox.Close())
		s := place.sandbox.Stats()
		p.mu.Lock()
		p.past = addStats(p.past, s)
		p.mu.Unlock()
	}
	return errors.Join(errs...)
}

// Close stops what still runs and takes all sandboxes down.
func (p *pool) Close(context.Context) error {
	p.mu.Lock()
	p.closed = true
	if p.trim != nil {
		p.trim.Stop()
		p.trim = nil
	}
	live := slices.Collect(maps.Keys(p.live))
	p.live, p.idle = map[*place]struct{}{}, nil
	p.mu.Unlock()
	return p.takeDown(live)
}

// statistics adds up the counters of all sandboxes. It waits for those that are
// running a program.
func (p *pool) statistics() bridge.Stats {
	p.mu.Lock()
	sum := p.past
	live := make([]*place, 0, len(p.live))
	for place := range p.live {
		live = append(live, place)
	}
	p.mu.Unlock()
	for _, place := range live {
		sum = addStats(sum, place.sandbox.Stats())
	}
	return sum
}

func addStats(a, b bridge.Stats) bridge.Stats {
	return bridge.Stats{
		Runs:        a.Runs + b.Runs,
		MemoryStops: a.MemoryStops + b.MemoryStops,
		Interrupts:  a.Interrupts + b.Interrupts,
		Kills:       a.Kills + b.Kills,
		Faults:      a.Faults + b.Faults,
		Rebuilt:     a.Rebuilt + b.Rebuilt,
	}
}
