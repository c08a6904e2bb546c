package bridge

import (
	"context"
	"errors"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// stopped records why the run came out of the engine without an end of its own.
// It goes by what the host recorded, never by anything the guest said.
func (r *run) stopped(err error) {
	r.settled = true
	var (
		setup     *setupError
		thrown    *quickjs.Exception
		interrupt *quickjs.InterruptError
	)
	switch {
	case errors.Is(err, errHostPanic):
		// The panic goes on when the run is taken down.
		r.out.Err = err
	case errors.As(err, &setup):
		r.describeSetup(setup)
	case errors.As(err, &thrown):
		// A program that throws where no promise stands between.
		r.settled = false
		r.enter(func() error { return r.rejected(thrown.Value) })
	case errors.Is(err, quickjs.ErrOutOfMemory):
		r.interrupted(contract.InterruptMemory, r.limits.Memory, nil)
	case errors.As(err, &interrupt):
		r.interruptedBy(interrupt.Cause)
	default:
		r.interrupted(contract.InterruptFault, 0, err)
	}
}

func (r *run) interruptedBy(cause error) {
	switch {
	case errors.Is(cause, errClosed):
		r.interrupted(contract.InterruptClosed, 0, contract.ErrClosed)
		r.err = closedError(true)
	case errors.Is(cause, errCancelled):
		why := context.Cause(r.ctx)
		r.interrupted(contract.InterruptCanceled, 0, why)
		r.err = &contract.RefusedError{
			Code: contract.CodeCancelled, Message: "Execution was cancelled.", Started: true, Cause: why,
		}
	case r.wallPassed() || errors.Is(cause, quickjs.ErrWall):
		// The wall budget is looked at first (SPEC section 9).
		r.overshoot = max(r.overshoot, time.Since(r.start)-r.limits.Wall)
		r.interrupted(contract.InterruptWall, int64(r.limits.Wall), nil)
	default:
		r.interrupted(contract.InterruptCPU, int64(r.limits.CPU), nil)
	}
}

func (r *run) wallPassed() bool {
	return r.limits.Wall != contract.Unlimited && time.Since(r.start) >= r.limits.Wall
}

func (r *run) interrupted(i contract.Interrupt, budget int64, cause error) {
	elapsed := time.Since(r.start)
	r.out.Value = nil
	r.out.Interrupt = i
	r.out.Err = &contract.InterruptError{Interrupt: i, Budget: budget, Elapsed: elapsed, Cause: cause}
	switch i {
	case contract.InterruptWall:
		r.out.Failure = &contract.FailureRecord{
			Name:    "TimeoutError",
			Timeout: &contract.Timeout{Elapsed: elapsed, Deadline: r.limits.Wall},
		}
	case contract.InterruptMemory:
		r.out.Failure = &contract.FailureRecord{Name: "MemoryError"}
	default:
		r.out.Failure = nil
	}
}

// finish takes the run down and completes the outcome with what the host knows.
func (r *run) finish() {
	r.out.Calls = r.calls.close(r)
	r.out.Logs = r.console.entries
	r.out.Unhandled = r.lost.texts
	r.out.Usage = contract.Usage{
		CPU:       r.cpu,
		Wall:      time.Since(r.start),
		Memory:    r.guest.rt.Memory().Peak,
		Overshoot: r.overshoot,
	}
}
