package contracttest

import (
	"context"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// fakeLease is one slot of a Fake, and one run.
type fakeLease struct {
	f *Fake

	mu     sync.Mutex
	why    error // ErrReleased or ErrClosed, once it has ended
	used   bool
	live   bool
	cancel context.CancelCauseFunc
}

func (l *fakeLease) Waited() time.Duration { return 0 }

func (l *fakeLease) Release() { l.end(contract.ErrReleased) }

func (l *fakeLease) end(why error) {
	l.mu.Lock()
	first, live := l.why == nil, l.live
	if first {
		l.why = why
		if live {
			l.cancel(why)
		}
	}
	l.mu.Unlock()
	if first && !live {
		l.f.free(l)
	}
}

func (l *fakeLease) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	if err := p.Limits.Validate(); err != nil {
		return contract.Outcome{}, err
	}
	run, err := l.begin(ctx)
	if err != nil {
		return contract.Outcome{}, err
	}
	defer l.done()
	return runFake(run, p)
}

func (l *fakeLease) begin(ctx context.Context) (context.Context, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.why == contract.ErrClosed:
		return nil, closedError(false)
	case l.why != nil:
		return nil, cancelledError(contract.ErrReleased, "Executor lease was already released.", false)
	case l.used:
		return nil, contract.ErrLeaseUsed
	case ctx.Err() != nil:
		return nil, cancelledError(context.Cause(ctx), "Execution was cancelled before it started.", false)
	}
	run, cancel := context.WithCancelCause(ctx)
	l.used, l.live, l.cancel = true, true, cancel
	return run, nil
}

func (l *fakeLease) done() {
	l.mu.Lock()
	l.live = false
	l.cancel(nil)
	over := l.why != nil
	l.mu.Unlock()
	if over {
		l.f.free(l)
	}
}
