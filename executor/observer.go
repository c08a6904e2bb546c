package executor

import (
	"context"
	"errors"
	"log/slog"

	"github.com/guestjs/guestjs/contract"
)

// Observer is told of what happens in an Executor. Every function may be nil.
// They run on the goroutines of the runs, with the runs' clocks going, so they
// must not block; several may run at once.
type Observer struct {
	// RunStart is called when a run has its slot, before anything of it runs.
	// The context it returns, if any, is the run's from then on: host functions
	// and the functions below get it or one made of it, so that a trace can
	// nest.
	RunStart func(ctx context.Context, p contract.Program) context.Context
	// HostCall is called for each host call when it has ended, or when the run
	// has.
	HostCall func(ctx context.Context, c contract.Call)
	// RunEnd is called once for each RunStart, when the run has ended, with what
	// Execute will return. When it will panic, since a host function did, err is
	// ErrPanicked.
	RunEnd func(ctx context.Context, out contract.Outcome, err error)
}

// observed tells the observer and the log about the runs of inner.
type observed struct {
	inner    contract.Executor
	observer Observer
	logger   *slog.Logger
}

func (o *observed) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	if f := o.observer.RunStart; f != nil {
		if c := f(ctx, p); c != nil {
			ctx = c
		}
	}
	if f := o.observer.HostCall; f != nil {
		also := p.OnCall
		p.OnCall = func(c contract.Call) {
			f(ctx, c)
			if also != nil {
				also(c)
			}
		}
	}
	out, err := contract.Outcome{}, ErrPanicked
	defer func() {
		o.log(ctx, out, err)
		if f := o.observer.RunEnd; f != nil {
			f(ctx, out, err)
		}
	}()
	out, err = o.inner.Execute(ctx, p)
	return out, err
}

// ErrPanicked is what RunEnd of an [Observer] is told about a run whose host
// function, or listener, panicked. Execute raises that panic again.
var ErrPanicked = errors.New("executor: a host function panicked")

// refused logs that somebody was not let in.
func (o *observed) refused(ctx context.Context, err error) {
	level := slog.LevelDebug
	if errors.Is(err, contract.ErrOverloaded) {
		level = slog.LevelInfo
	}
	var refusal *contract.RefusedError
	if errors.As(err, &refusal) && o.logger.Enabled(ctx, level) {
		o.logger.LogAttrs(ctx, level, "run refused", slog.String("code", refusal.Code), slog.String("reason", refusal.Message))
	}
}

// log writes what became of a run, without anything that the program or its
// caller wrote.
func (o *observed) log(ctx context.Context, out contract.Outcome, err error) {
	level := slog.LevelDebug
	switch {
	case out.Interrupt == contract.InterruptFault, errors.Is(err, ErrPanicked):
		level = slog.LevelError
	case out.Interrupt != contract.InterruptNone:
		level = slog.LevelInfo
	}
	if !o.logger.Enabled(ctx, level) {
		return
	}
	o.logger.LogAttrs(ctx, level, "run ended",
		slog.String("interrupt", out.Interrupt.String()),
		slog.Bool("value", out.Err == nil && err == nil),
		slog.Int("calls", len(out.Calls)),
		slog.Duration("cpu", out.Usage.CPU),
		slog.Duration("wall", out.Usage.Wall),
		slog.Int64("memory", out.Usage.Memory))
}
