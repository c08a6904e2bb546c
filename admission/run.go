package admission

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// runLease is a lease of a wrapped executor: a slot, and one run on it.
type runLease struct {
	owner *gated
	slot  *Lease

	mu     sync.Mutex
	used   bool
	why    error // an ending, once the lease has ended
	cancel context.CancelCauseFunc
	live   bool // a run is going on; it finishes the lease when it ends
}

// ending says who ended a lease. It is the cause of the run's context, so that
// the end of a run can be told from the end of its caller's context.
type ending string

func (e ending) Error() string { return "admission: " + string(e) }

// Each of these is one comparable value.
const (
	endReleased ending = "lease released"
	endExpired  ending = "lease expired"
	endClosed   ending = "executor closed"
)

// Waited implements contract.Lease.
func (l *runLease) Waited() time.Duration { return l.slot.Waited() }

// Release implements contract.Lease.
func (l *runLease) Release() { l.end(endReleased) }

// end ends the lease once; the first cause stays. A run that is going on is
// cancelled, and gives the slot back when it has ended.
func (l *runLease) end(why ending) {
	l.mu.Lock()
	if l.why != nil {
		l.mu.Unlock()
		return
	}
	l.why = why
	live := l.live
	if live {
		l.cancel(why)
	}
	l.mu.Unlock()
	if !live {
		l.finish()
	}
}

func (l *runLease) finish() {
	l.slot.Release()
	l.owner.leave(l)
}

// Execute implements contract.Lease.
func (l *runLease) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	run, err := l.begin(ctx)
	if err != nil {
		return contract.Outcome{}, err
	}
	defer l.done() // also when a host function's panic passes through
	if l.owner.gate.opts.MaxDuration > 0 {
		defer l.watch(run)()
	}
	out, err := l.owner.inner.Execute(run, p)
	return verdictOf(ctx, run, out, err)
}

func (l *runLease) begin(ctx context.Context) (context.Context, error) {
	expired := l.slot.Expired()
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.why == endClosed:
		return nil, closed(false)
	case l.why != nil, expired:
		return nil, released(textReleased, false)
	case l.used:
		return nil, contract.ErrLeaseUsed
	case ctx.Err() != nil:
		return nil, cancelled(ctx, textNotStarted, false)
	}
	run, cancel := context.WithCancelCause(ctx)
	l.used, l.live, l.cancel = true, true, cancel
	return run, nil
}

func (l *runLease) done() {
	l.mu.Lock()
	l.cancel(nil)
	l.live = false
	over := l.why != nil
	l.mu.Unlock()
	if over {
		l.finish()
	}
}

// watch ends the run when the slot expires under it. The function it returns
// waits until nothing watches any more.
func (l *runLease) watch(run context.Context) func() {
	stopped := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(stopped)
		select {
		case <-l.slot.Done():
			l.end(endExpired)
		case <-over:
		}
	}()
	return func() {
		close(over)
		<-stopped
	}
}

// verdictOf turns the inner executor's answer into the contract's. A run that
// came to an end of its own keeps its outcome, whoever tried to stop it.
func verdictOf(ctx, run context.Context, out contract.Outcome, err error) (contract.Outcome, error) {
	if err == nil && out.Interrupt != contract.InterruptCanceled {
		return out, nil
	}
	if why, ok := context.Cause(run).(ending); ok {
		switch why {
		case endClosed:
			return torn(out, contract.InterruptClosed, ErrClosed), closed(true)
		case endExpired:
			return torn(out, contract.InterruptClosed, contract.ErrReleased), released(textExpiredLive, true)
		}
		return torn(out, contract.InterruptClosed, contract.ErrReleased), released(textReleasedLive, true)
	}
	var refused *contract.RefusedError
	if ctx.Err() == nil || errors.As(err, &refused) || errors.Is(err, contract.ErrInvalid) {
		return out, err
	}
	// An executor that only hands its context's error back.
	return torn(out, contract.InterruptCanceled, context.Cause(ctx)), cancelled(ctx, textRunning, true)
}

// torn says in the outcome of a torn-down run what tore it down: the inner
// executor saw nothing but its context end.
func torn(out contract.Outcome, i contract.Interrupt, cause error) contract.Outcome {
	stop := contract.InterruptError{Elapsed: out.Usage.Wall}
	var seen *contract.InterruptError
	switch {
	case errors.As(out.Err, &seen) && seen.Interrupt == contract.InterruptCanceled:
		stop = *seen
	case out.Err != nil:
		return out // it ended for a reason of its own
	}
	stop.Interrupt, stop.Cause = i, cause
	out.Err, out.Interrupt = &stop, i
	return out
}
