package contracttest

import (
	"context"
	"sync"

	"github.com/guestjs/guestjs/contract"
)

// Fake is an executor without an engine: it knows the programs of the suite by
// heart, and answers any other with a guest error. It has two slots, a queue of
// 32, no limit on how long to wait there, and every optional power. It passes
// the suite, so a decorator of executors can be tested around it.
type Fake struct {
	mu     sync.Mutex
	state  contract.Snapshot
	queue  []chan *fakeLease // a lease, or closed
	leases map[*fakeLease]struct{}
	empty  chan struct{} // made by Close, closed when no lease lives
}

// NewFake returns a Fake. It holds no resources while nothing runs.
func NewFake() *Fake {
	return &Fake{
		state:  contract.Snapshot{Concurrency: 2, MaxQueueSize: 32},
		leases: map[*fakeLease]struct{}{},
	}
}

// Execute implements contract.Executor.
func (f *Fake) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	l, err := f.Acquire(ctx, contract.AcquireOptions{})
	if err != nil {
		return contract.Outcome{}, err
	}
	defer l.Release()
	return l.Execute(ctx, p)
}

// Acquire implements contract.Acquirer.
func (f *Fake) Acquire(ctx context.Context, opts contract.AcquireOptions) (contract.Lease, error) {
	f.mu.Lock()
	switch totals := &f.state.Totals; {
	case f.state.Closed:
		defer f.mu.Unlock()
		totals.Closed++
		return nil, closedError(false)
	case ctx.Err() != nil:
		defer f.mu.Unlock()
		totals.Cancelled++
		return nil, cancelledError(context.Cause(ctx), "Execution was cancelled before admission.", false)
	case f.state.Active < f.state.Concurrency:
		defer f.mu.Unlock()
		return f.grant(), nil
	case opts.NoWait:
		defer f.mu.Unlock()
		totals.Rejected++
		return nil, overloadedError("No executor slot is free for nested execution. Invoke the operation directly, after this program ends.")
	case len(f.queue) >= f.state.MaxQueueSize:
		defer f.mu.Unlock()
		totals.Rejected++
		return nil, overloadedError("Executor queue is full.")
	}
	place := make(chan *fakeLease, 1)
	f.queue = append(f.queue, place)
	f.state.Totals.Queued++
	f.state.Queued++
	f.mu.Unlock()

	select {
	case l, ok := <-place:
		return settled(l, ok)
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, other := range f.queue {
		if other == place {
			f.queue = append(f.queue[:i], f.queue[i+1:]...)
			f.state.Queued--
			f.state.Totals.Cancelled++
			return nil, cancelledError(context.Cause(ctx), "Execution was cancelled while queued.", false)
		}
	}
	l, ok := <-place // settled in the same instant
	return settled(l, ok)
}

func settled(l *fakeLease, ok bool) (contract.Lease, error) {
	if !ok {
		return nil, closedError(false)
	}
	return l, nil
}

func (f *Fake) grant() *fakeLease {
	l := &fakeLease{f: f}
	f.leases[l] = struct{}{}
	f.state.Active++
	f.state.Totals.Admitted++
	return l
}

// free takes the slot of l back and gives it to who has waited longest.
func (f *Fake) free(l *fakeLease) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.leases, l)
	f.state.Active--
	if len(f.queue) > 0 {
		f.state.Queued--
		f.queue[0] <- f.grant()
		f.queue = f.queue[1:]
	}
	if f.state.Active == 0 && f.empty != nil {
		close(f.empty)
	}
}

// Close implements contract.Closer. It returns nil.
func (f *Fake) Close(ctx context.Context) error {
	f.mu.Lock()
	if !f.state.Closed {
		f.state.Closed = true
		for _, place := range f.queue {
			close(place)
			f.state.Totals.Closed++
		}
		f.queue, f.state.Queued = nil, 0
		f.empty = make(chan struct{})
		if f.state.Active == 0 {
			close(f.empty)
		}
	}
	f.mu.Unlock()

	select {
	case <-f.empty:
		return nil
	case <-ctx.Done():
	}
	f.mu.Lock()
	var live []*fakeLease
	for l := range f.leases {
		live = append(live, l)
	}
	f.mu.Unlock()
	for _, l := range live {
		l.end(contract.ErrClosed)
	}
	<-f.empty
	return nil
}

// Snapshot implements contract.Snapshotter.
func (f *Fake) Snapshot() contract.Snapshot {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state
}

// Name implements contract.Namer.
func (f *Fake) Name() string { return "Fake" }

// Lifecycle declares contract.Leased.
func (f *Fake) Lifecycle() contract.Lifecycle { return contract.Leased.Of(f) }

func closedError(started bool) error {
	return &contract.RefusedError{Code: contract.CodeClosed, Message: shuttingDown, Started: started, Cause: contract.ErrClosed}
}

func overloadedError(message string) error {
	return &contract.RefusedError{Code: contract.CodeOverloaded, Message: message, Retryable: true, Cause: contract.ErrOverloaded}
}

func cancelledError(cause error, message string, started bool) error {
	return &contract.RefusedError{Code: contract.CodeCancelled, Message: message, Started: started, Cause: cause}
}
