package executor

import (
	"context"
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
	// RunEnd is called when the run has ended, with what Execute will return.
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
	out, err := o.inner.Execute(ctx, p)
	o.log(ctx, out, err)
	if f := o.observer.RunEnd; f != nil {
		f(ctx, out, err)
	}
	return out, err
}

// log writes what became of a run, without anything that the program or its
// caller wrote.
func (o *observed) log(ctx context.Context, out contract.Outcome, err error) {
	level := slog.LevelDebug
	switch {
	case out.Interrupt == contract.InterruptFault:
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
