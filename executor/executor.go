package executor

import (
	"context"
	"fmt"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// Executor is a bounded pool of sandboxes. New makes one.
type Executor struct {
	name     string
	gate     admission.Executor
	runs     *closing
	sandbox  *pool         // of InProcess
	children *processSlots // of Process
}

// Executor has every optional power of the contract.
var _ interface {
	contract.Executor
	contract.Acquirer
	contract.Closer
	contract.Snapshotter
	contract.Namer
} = (*Executor)(nil)

// New makes an Executor. Nothing is started before the first run. An error names
// the field that is wrong and unwraps to [contract.ErrInvalid].
func New(o Options) (*Executor, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	gate, err := admission.New(o.admission())
	if err != nil {
		return nil, fmt.Errorf("executor: %w", err)
	}
	e := &Executor{name: o.Name}
	var inner contract.Executor
	switch o.Isolation {
	case Process:
		e.children = newProcessSlots(processOptions{
			Slots: o.Concurrency, Path: o.ChildPath, Limits: o.Limits, MaxCalls: o.MaxCalls,
			NoEval: o.NoEval, HostZone: o.HostTimeZone, Skip: o.SkipHardening, Logger: o.Logger,
		})
		inner = (*processExecutor)(e.children)
	default:
		e.sandbox = newPool(o)
		inner = e.sandbox
	}
	e.runs = &closing{observed{inner: inner, observer: o.Observer, logger: o.Logger}}
	e.gate = admission.Wrap(e.runs, gate)
	return e, nil
}

// closing is observed with the inner executor's Close.
type closing struct{ observed }

func (c *closing) Close(ctx context.Context) error {
	return c.inner.(contract.Closer).Close(ctx)
}

// inside marks the context of a run, so that a host function that comes back
// with it for another run is known to hold a slot already.
type inside struct{ e *Executor }

func (e *Executor) options(ctx context.Context, o contract.AcquireOptions) contract.AcquireOptions {
	if ctx.Value(inside{e}) != nil {
		o.NoWait = true
	}
	return o
}

func (e *Executor) mark(ctx context.Context) context.Context {
	return context.WithValue(ctx, inside{e}, true)
}

// Execute runs a program as soon as a slot is free. See [contract.Executor]. From
// a host function of a run on this Executor it does not wait for a slot.
func (e *Executor) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	l, err := e.gate.Acquire(ctx, e.options(ctx, contract.AcquireOptions{}))
	if err != nil {
		e.runs.refused(ctx, err)
		return contract.Outcome{}, err
	}
	defer l.Release()
	return l.Execute(e.mark(ctx), p)
}

// Acquire returns the right to run one program, once a slot is free for it. See
// [contract.Lease]; the caller releases it.
func (e *Executor) Acquire(ctx context.Context, o contract.AcquireOptions) (contract.Lease, error) {
	l, err := e.gate.Acquire(ctx, e.options(ctx, o))
	if err != nil {
		e.runs.refused(ctx, err)
		return nil, err
	}
	return &lease{l, e}, nil
}

type lease struct {
	contract.Lease
	e *Executor
}

func (l *lease) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	return l.Lease.Execute(l.e.mark(ctx), p)
}

// Close refuses new and queued callers, waits for runs that are going until ctx
// ends, stops what is left, and gives everything back. It is idempotent.
func (e *Executor) Close(ctx context.Context) error { return e.gate.Close(ctx) }

// Snapshot returns the admission counters and what there is to note about the
// children's isolation, which is known once the first child has started, with the
// first run.
func (e *Executor) Snapshot() contract.Snapshot {
	s := e.gate.Snapshot()
	if e.children != nil {
		s.Notes = e.children.notes()
	}
	return s
}

// Name returns Options.Name, sanitised.
func (e *Executor) Name() string { return e.name }

// Lifecycle declares contract.Leased.
func (e *Executor) Lifecycle() contract.Lifecycle { return contract.Leased.Of(e) }

// Stats counts what happened in the sandboxes of this process. For Process it is
// zero: the children count for themselves.
func (e *Executor) Stats() bridge.Stats {
	if e.sandbox == nil {
		return bridge.Stats{}
	}
	return e.sandbox.statistics()
}
