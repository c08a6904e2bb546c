package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// attach puts the Go error of the host function whose very rejection ended the
// run in its place.
func (j *processJob) attach(out *contract.Outcome, number uint64) {
	var guest *contract.GuestError
	if number == 0 || !errors.As(out.Err, &guest) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	call := j.byNumber[number]
	if call == nil || call.err == nil {
		return
	}
	guest.Host = call.err
	var failure *contract.Failure
	if out.Failure != nil && out.Failure.Call != nil && errors.As(call.err, &failure) {
		out.Failure.Call = failure
	}
}

// refusedByChild is an error of the far side's Run.
func refusedByChild(r *wire.Refusal) error {
	if r.Invalid {
		return &invalidError{r.Text}
	}
	return &ProcessError{Text: "QuickJS child failed: " + r.Text}
}

// invalidError carries the far side's text and unwraps to contract.ErrInvalid.
type invalidError struct{ text string }

func (e *invalidError) Error() string { return e.text }
func (e *invalidError) Unwrap() error { return contract.ErrInvalid }

var errResultSize = errors.New("the pieces of the result are too many")

// broke ends a run on a child that cannot be understood.
func (j *processJob) broke(reason error) contract.Outcome {
	j.child.retire()
	text := "QuickJS child returned an invalid result: " + reason.Error()
	var frame *wire.FrameError
	if errors.Is(reason, errResultSize) || (errors.As(reason, &frame) && frame.Length > wire.MaxMessage) {
		text = "QuickJS execution result exceeded the IPC limit."
	}
	return j.without(interrupted(text, contract.InterruptFault, 0, time.Since(j.start), reason))
}

// crashed ends a run whose child has ended, or has closed its pipe.
func (j *processJob) crashed() (contract.Outcome, error) {
	j.child.retire()
	select {
	case <-j.child.exited:
	case <-j.stopped:
		return j.torn()
	}
	if isClosed(j.slots.closing) { // which ends children before their runs hear of it
		j.stop(contract.InterruptClosed)
		return j.torn()
	}
	j.slot.crashed(j.child.ended())
	text := "QuickJS child exited unexpectedly (" + j.child.exitText() + ")." + j.child.tail()
	out := j.without(interrupted(text, contract.InterruptFault, 0, time.Since(j.start), io.ErrUnexpectedEOF))
	j.measure(&out)
	return out, nil
}

// torn ends a run that its wall budget, its caller or a close has ended.
func (j *processJob) torn() (contract.Outcome, error) {
	elapsed := time.Since(j.start)
	switch j.cause {
	case contract.InterruptCanceled:
		cause := context.Cause(j.ctx)
		out := j.without(&contract.InterruptError{Interrupt: contract.InterruptCanceled, Elapsed: elapsed, Cause: cause})
		return out, cancelled(j.ctx, "Execution was cancelled.", true)
	case contract.InterruptWall:
		<-j.child.exited // it was made to end; its usage is known then
		ms := j.limits.Wall.Milliseconds()
		text := fmt.Sprintf("QuickJS child exceeded the %dms wall budget and was terminated.", ms)
		out := j.without(interrupted(text, contract.InterruptWall, int64(j.limits.Wall), elapsed, nil))
		out.Usage.Overshoot = elapsed - j.limits.Wall
		j.measure(&out)
		return out, nil
	}
	out := j.without(&contract.InterruptError{Interrupt: contract.InterruptClosed, Elapsed: elapsed, Cause: contract.ErrClosed})
	return out, closedError(true)
}

// without makes the outcome of a run that has no result of its own.
func (j *processJob) without(err error) contract.Outcome {
	out := contract.Outcome{Err: err, Logs: j.logs}
	var stop *contract.InterruptError
	if errors.As(err, &stop) {
		out.Interrupt = stop.Interrupt
		out.Usage.Wall = stop.Elapsed
	}
	out.Calls = j.callRecords()
	return out
}

// measure fills in what the system says about a process that has ended.
func (j *processJob) measure(out *contract.Outcome) {
	state := j.child.cmd.ProcessState
	out.Usage.CPU = max(0, state.UserTime()+state.SystemTime()-j.child.cpuUsed)
	out.Usage.Memory = peakMemory(state)
}
