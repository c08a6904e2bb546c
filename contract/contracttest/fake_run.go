package contracttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// fakeRun is a run of a Fake: what the script of a program works with.
type fakeRun struct {
	ctx      context.Context
	p        contract.Program
	logs     []string
	calls    []contract.Call
	panicked any
}

// Ways in which a run ends without its script.
var (
	errWall    = errors.New("contracttest: wall")
	errCPU     = errors.New("contracttest: cpu")
	errStopped = errors.New("contracttest: stopped")
)

func runFake(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	limits := p.Limits.Or(contract.DefaultLimits())
	start := time.Now()
	bounded, cancel := context.WithTimeoutCause(ctx, limits.Wall, errWall)
	defer cancel()
	r := &fakeRun{ctx: bounded, p: p}
	value, err := script(p.Source)(r)
	cause := context.Cause(bounded)
	cancel()

	for _, c := range r.calls {
		if c.State == contract.CallInFlight {
			r.ended(c)
		}
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	out := contract.Outcome{Logs: r.logs, Calls: r.calls, Usage: contract.Usage{Wall: time.Since(start)}}
	stop := contract.InterruptError{Elapsed: out.Usage.Wall}
	var guest *contract.GuestError
	switch {
	case err == nil:
		out.Value = json.RawMessage(value)
		if value == "" {
			out.Value = nil
		}
		return out, nil
	case errors.As(err, &guest):
		out.Err, out.Failure = err, &contract.FailureRecord{Name: guest.Name}
		errors.As(guest.Host, &out.Failure.Call)
		return out, nil
	case err == errCPU:
		stop.Interrupt, stop.Budget = contract.InterruptCPU, int64(limits.CPU)
	case err == errStopped && cause == errWall:
		stop.Interrupt, stop.Budget = contract.InterruptWall, int64(limits.Wall)
		out.Failure = &contract.FailureRecord{
			Name: "TimeoutError", Timeout: &contract.Timeout{Elapsed: out.Usage.Wall, Deadline: limits.Wall},
		}
	case err == errStopped:
		var refusal error
		stop.Interrupt, stop.Cause = contract.InterruptClosed, cause
		switch cause {
		case contract.ErrReleased:
			refusal = cancelledError(cause, "Executor lease was released during execution.", true)
		case contract.ErrClosed:
			refusal = closedError(true)
		default:
			stop.Interrupt = contract.InterruptCanceled
			refusal = cancelledError(cause, "Execution was cancelled.", true)
		}
		out.Err, out.Interrupt = &stop, stop.Interrupt
		return out, refusal
	default:
		out.Err = err
		return out, nil
	}
	out.Err, out.Interrupt = &stop, stop.Interrupt
	return out, nil
}

func (r *fakeRun) log(entry string) {
	r.logs = append(r.logs, entry)
	if r.p.OnLog != nil {
		r.p.OnLog(entry)
	}
}

func (r *fakeRun) ended(c contract.Call) {
	r.calls[c.Number-1] = c
	if r.p.OnCall != nil {
		r.p.OnCall(c)
	}
}

// reply is what a host function came back with.
type reply struct {
	value    json.RawMessage
	err      error
	panicked any
}

// begin makes a host call and does not wait for it.
func (r *fakeRun) begin(name, args string) (contract.Call, <-chan reply) {
	c := contract.Call{Name: "tools." + name, Number: len(r.calls) + 1, State: contract.CallInFlight}
	r.calls = append(r.calls, c)
	settled := make(chan reply, 1)
	var f contract.HostFunc
	for _, p := range r.p.Providers {
		if p.Name == "tools" {
			f = p.Functions[name]
		}
	}
	if f == nil {
		settled <- reply{err: errors.New("Unknown function tools." + name)}
		return c, settled
	}
	ctx := r.ctx
	go func() {
		var v reply
		defer func() {
			if v.panicked = recover(); v.panicked != nil {
				v.err = fmt.Errorf("%v", v.panicked)
			}
			settled <- v
		}()
		v.value, v.err = f(ctx, json.RawMessage(args))
	}()
	return c, settled
}

// call makes a host call and awaits it. The error is what the guest would
// catch, or errStopped, which it cannot.
func (r *fakeRun) call(name, args string) (string, error) {
	c, settled := r.begin(name, args)
	var v reply
	select {
	case v = <-settled:
	case <-r.ctx.Done():
		return "", errStopped
	}
	if v.panicked != nil {
		r.panicked = v.panicked
	}
	c.State = contract.CallCompleted
	if v.err != nil {
		c.State = contract.CallFailed
	}
	r.ended(c)
	if v.err != nil {
		return "", &contract.GuestError{Name: "Error", Message: v.err.Error(), Host: v.err}
	}
	return string(v.value), nil
}
