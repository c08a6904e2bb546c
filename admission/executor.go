package admission

import (
	"context"
	"fmt"
	"sync"

	"github.com/guestjs/guestjs/contract"
)

// Executor is an executor behind a Controller, as Wrap makes it. It has every
// optional power of the contract, and declares itself contract.Leased.
//
// Execute waits for a slot as Acquire does, runs the program, and gives the slot
// back. Close refuses new and queued callers at once and lets live leases go on
// until they are released or ctx ends; then it ends their runs, closes the inner
// executor if that can be closed, and returns when nothing is left. Its error is
// context.Cause(ctx) if leases had to be ended, joined with the inner one's.
type Executor interface {
	contract.Executor
	contract.Acquirer
	contract.Closer
	contract.Snapshotter
	contract.Namer
	Lifecycle() contract.Lifecycle
}

// Wrap puts c in front of e. E is used through its Execute and Close alone, goes
// by its own name, and should not be used by anybody else any more. Several
// executors may share a Controller; closing one of them closes it for all.
//
// A run on a lease that expires (Options.MaxDuration) is ended as if it had been
// released, since its slot has gone to somebody else.
func Wrap(e contract.Executor, c *Controller) Executor {
	return &gated{inner: e, gate: c, leases: map[*runLease]struct{}{}}
}

// gated is the Executor of Wrap. Its type is not exported so that a nameless
// executor stays nameless (contract.Name).
type gated struct {
	inner contract.Executor
	gate  *Controller

	mu     sync.Mutex
	open   int // callers of Acquire that wait, and leases that have not finished
	leases map[*runLease]struct{}
	empty  chan struct{} // made by Close; closed when open is zero
	ending bool          // Close has given up waiting
}

// Execute implements contract.Executor.
func (g *gated) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	l, err := g.acquire(ctx, contract.AcquireOptions{})
	if err != nil {
		return contract.Outcome{}, err
	}
	defer l.Release()
	return l.Execute(ctx, p)
}

// Acquire implements contract.Acquirer.
func (g *gated) Acquire(ctx context.Context, opts contract.AcquireOptions) (contract.Lease, error) {
	l, err := g.acquire(ctx, opts)
	if err != nil {
		return nil, err // not l: a nil pointer in an interface is not nil
	}
	return l, nil
}

func (g *gated) acquire(ctx context.Context, opts contract.AcquireOptions) (*runLease, error) {
	if g.inner == nil || g.gate == nil {
		return nil, fmt.Errorf("%w: admission.Wrap requires an executor and a controller", contract.ErrInvalid)
	}
	// Counted from before the gate lets it in, so that Close never finds nothing
	// left in the moment between grant and registration.
	counted := g.enter()
	slot, err := g.gate.Acquire(ctx, opts)
	if err != nil {
		if counted {
			g.leave(nil)
		}
		return nil, err
	}
	return g.register(slot), nil
}

// enter counts a caller, unless the gate is closed for good: then it is about
// to be refused, and a stream of such callers must not keep Close waiting.
func (g *gated) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty != nil {
		return false
	}
	g.open++
	return true
}

func (g *gated) register(slot *Lease) *runLease {
	l := &runLease{owner: g, slot: slot}
	g.mu.Lock()
	g.leases[l] = struct{}{}
	ending := g.ending
	g.mu.Unlock()
	if ending {
		l.end(endClosed)
	}
	return l
}

// leave counts a caller or a finished lease out.
func (g *gated) leave(l *runLease) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.leases, l)
	g.open--
	if g.open == 0 && g.empty != nil {
		close(g.empty)
	}
}

// Close implements contract.Closer.
func (g *gated) Close(ctx context.Context) error {
	if g.inner == nil || g.gate == nil {
		return nil
	}
	g.gate.Close()
	g.mu.Lock()
	if g.empty == nil {
		g.empty = make(chan struct{})
		if g.open == 0 {
			close(g.empty)
		}
	}
	g.mu.Unlock()

	var cut error
	select {
	case <-g.empty:
	case <-ctx.Done():
		if g.endAll() {
			cut = context.Cause(ctx)
		}
	}
	var inner error
	if c, ok := g.inner.(contract.Closer); ok {
		inner = c.Close(ctx)
	}
	<-g.empty // what the inner executor had to be closed to let go of
	switch {
	case cut == nil:
		return inner
	case inner == nil || inner == cut:
		return cut
	}
	return fmt.Errorf("%w; closing the inner executor: %w", cut, inner)
}

// endAll ends all leases, and reports whether there were any.
func (g *gated) endAll() bool {
	g.mu.Lock()
	g.ending = true
	leases := make([]*runLease, 0, len(g.leases))
	for l := range g.leases {
		leases = append(leases, l)
	}
	g.mu.Unlock()
	for _, l := range leases {
		l.end(endClosed)
	}
	return len(leases) > 0
}

// Snapshot implements contract.Snapshotter.
func (g *gated) Snapshot() contract.Snapshot {
	if g.gate == nil {
		return contract.Snapshot{}
	}
	return g.gate.Snapshot()
}

// Name implements contract.Namer.
func (g *gated) Name() string { return contract.Name(g.inner) }

// Lifecycle declares contract.Leased.
func (g *gated) Lifecycle() contract.Lifecycle { return contract.Leased.Of(g) }
