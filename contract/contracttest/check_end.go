package contracttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/guestjs/guestjs/contract"
)

var errLeft = errors.New("the caller left")

// endChecks are about runs that do not come to an end of their own.
var endChecks = []Check{
	{"the wall limit", func(t *trial) error {
		h := newHost()
		defer close(h.finish)
		p := h.program(progWait)
		p.Limits.Wall = 100 * time.Millisecond
		out, err := t.run(p)
		h.close()
		if err := errors.Join(err, interrupted(out, contract.InterruptWall, "Execution timed out after 100ms.")); err != nil {
			return err
		}
		if out.Failure == nil || out.Failure.Name != "TimeoutError" || out.Failure.Timeout == nil {
			return fmt.Errorf("Outcome.Failure is %+v, want a TimeoutError with its Timeout", out.Failure)
		}
		return errors.Join(t.hostLeft(h), inFlight(h, out))
	}},
	{"the processor limit", func(t *trial) error {
		out, err := t.run(contract.Program{Source: progSpin, Limits: contract.Limits{CPU: 50 * time.Millisecond}})
		return errors.Join(err, interrupted(out, contract.InterruptCPU, "Execution exceeded the 50ms guest CPU budget."))
	}},
	{"cancelled before the run", func(t *trial) error {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(errLeft)
		h := newHost()
		a, err := t.wait(t.start(ctx, t.executor(), h.program(progTouch)))
		if err := errors.Join(err, refused(a.err, contract.CodeCancelled, "", false, errLeft)); err != nil {
			return err
		}
		if len(h.seen().args) > 0 {
			return errors.New("the program ran")
		}
		return nil
	}},
	{"cancelled during the run", func(t *trial) error {
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		a, h, err := t.stopped(ctx, t.executor(), func() { cancel(errLeft) })
		if err != nil {
			return err
		}
		return errors.Join(
			refused(a.err, contract.CodeCancelled, "Execution was cancelled.", true, errLeft),
			interrupted(a.out, contract.InterruptCanceled, "Execution was cancelled."),
			inFlight(h, a.out))
	}},
	{"no late effects", checkLate},
}

// stopped runs a program that waits on its host, and stops it once it does.
// The error says that the run, or the host call's context, did not end.
func (t *trial) stopped(ctx context.Context, r runner, stop func()) (answer, *host, error) {
	h := newHost()
	defer close(h.finish)
	run := t.start(ctx, r, h.program(progWait))
	if _, err := await(t, h.waiting, "tools.wait to be called"); err != nil {
		return answer{}, h, err
	}
	stop()
	a, err := t.wait(run)
	h.close()
	return a, h, errors.Join(err, t.hostLeft(h))
}

// interrupted checks the outcome of a run that did not end by itself.
func interrupted(out contract.Outcome, i contract.Interrupt, text string) error {
	var stop *contract.InterruptError
	switch {
	case out.Interrupt != i:
		return fmt.Errorf("Outcome.Interrupt is %s, want %s (Err is %v)", out.Interrupt.String(), i.String(), out.Err)
	case !errors.As(out.Err, &stop) || !errors.Is(out.Err, i):
		return fmt.Errorf("Outcome.Err is %v (%T), want an *InterruptError that unwraps to %s", out.Err, out.Err, i.String())
	case text != "" && out.Err.Error() != text:
		return fmt.Errorf("Outcome.Err says %q, want %q", out.Err, text)
	case out.Value != nil:
		return fmt.Errorf("Outcome.Value is %s, and the run was stopped", out.Value)
	}
	return nil
}

// hostLeft checks that a host call that was open at the end of its run was
// told so.
func (t *trial) hostLeft(h *host) error {
	_, err := await(t, h.left, "the context of an open host call to end with its run")
	return err
}

// inFlight checks that it is on record, too.
func inFlight(h *host, out contract.Outcome) error {
	return errors.Join(
		calls("Outcome.Calls", out.Calls, "tools.wait in_flight"),
		calls("what OnCall received before Execute returned", h.seen().calls, "tools.wait in_flight"))
}

// checkLate leaves a host call open at the end of a run and lets it return
// during the next one.
func checkLate(t *trial) error {
	e := t.executor()
	h := newHost()
	p := h.program(progForget)
	p.Providers[0].Functions["touch"] = contract.Func0(func(ctx context.Context) (struct{}, error) {
		_, err := await(t, h.waiting, "tools.wait to be called") // before the program ends
		return struct{}{}, err
	})
	out, err := t.runOn(e, p)
	h.close()
	if err := endedWell(out, err, `"done"`); err != nil {
		close(h.finish)
		return err
	}
	before, err := json.Marshal(out)
	if err == nil {
		err = t.hostLeft(h)
	}

	next := newHost()
	run := t.start(context.Background(), e, next.program(progWait))
	_, waiting := await(t, next.waiting, "tools.wait to be called")
	close(h.finish) // the first run's call returns
	for range 1000 {
		runtime.Gosched() // time for a reply that goes to the wrong run
	}
	close(next.finish)
	a, stuck := t.wait(run)
	if err := errors.Join(err, waiting, stuck, a.err); err != nil {
		return err
	}
	after, err := json.Marshal(out)
	if late := h.seen().overrun; len(late) > 0 {
		return fmt.Errorf("after Execute had returned came: %v", late)
	}
	return errors.Join(err,
		want("the earlier outcome, later", json.RawMessage(after), string(before)),
		ended(a.out, `"waited"`),
		calls("Outcome.Calls of the next run", a.out.Calls, "tools.wait completed"))
}
