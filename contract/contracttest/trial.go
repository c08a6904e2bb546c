package contracttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// trial is one check at work.
type trial struct {
	make     func() contract.Executor
	patience time.Duration
	made     []contract.Executor
}

// executor returns a new executor, closed at the end of the check.
func (t *trial) executor() contract.Executor {
	e := t.make()
	t.made = append(t.made, e)
	return e
}

func (t *trial) cleanUp() error {
	var all error
	for _, e := range t.made {
		if c, ok := e.(contract.Closer); ok {
			// No run is meant to be left, so there is nothing to wait for.
			_, err := t.wait(t.closing(over(), c))
			all = errors.Join(all, err)
		}
	}
	return all
}

// over returns a context that has ended.
func over() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// answer is what a call came back with.
type answer struct {
	out      contract.Outcome
	lease    contract.Lease
	err      error
	panicked any
}

// runner is an executor or a lease.
type runner interface {
	Execute(context.Context, contract.Program) (contract.Outcome, error)
}

func started(f func(*answer)) <-chan answer {
	done := make(chan answer, 1)
	go func() {
		var a answer
		defer func() {
			a.panicked = recover()
			done <- a
		}()
		f(&a)
	}()
	return done
}

func (t *trial) start(ctx context.Context, r runner, p contract.Program) <-chan answer {
	return started(func(a *answer) { a.out, a.err = r.Execute(ctx, p) })
}

func (t *trial) acquiring(ctx context.Context, e contract.Acquirer) <-chan answer {
	return started(func(a *answer) { a.lease, a.err = e.Acquire(ctx, contract.AcquireOptions{}) })
}

func (t *trial) closing(ctx context.Context, c contract.Closer) <-chan answer {
	return started(func(a *answer) { a.err = c.Close(ctx) })
}

// wait returns the answer of a call that must come back. The error says that
// it did not, or panicked.
func (t *trial) wait(call <-chan answer) (answer, error) {
	a, err := await(t, call, "the call to return")
	if err == nil && a.panicked != nil {
		err = fmt.Errorf("the call panicked: %v", a.panicked)
	}
	return a, err
}

func await[T any](t *trial, c <-chan T, what string) (T, error) {
	patience := time.NewTimer(t.patience)
	defer patience.Stop()
	select {
	case v := <-c:
		return v, nil
	case <-patience.C:
		var none T
		return none, fmt.Errorf("waited %v in vain for %s", t.patience, what)
	}
}

// until polls a condition that must come true by itself.
func (t *trial) until(what string, is func() bool) error {
	for end := time.Now().Add(t.patience); !is(); runtime.Gosched() {
		if time.Now().After(end) {
			return fmt.Errorf("waited %v in vain for %s", t.patience, what)
		}
	}
	return nil
}

// early reports whether a call that has to wait comes back all the same. What it
// does not see in a moment, it does not see.
func (t *trial) early(call <-chan answer) bool {
	const moment = 50 * time.Millisecond
	for end := time.Now().Add(min(t.patience/4, moment)); len(call) == 0; runtime.Gosched() {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// run runs p on a new executor.
func (t *trial) run(p contract.Program) (contract.Outcome, error) { return t.runOn(t.executor(), p) }

// runOn runs p to the end that its outcome tells. The error says that there
// was none.
func (t *trial) runOn(r runner, p contract.Program) (contract.Outcome, error) {
	a, err := t.wait(t.start(context.Background(), r, p))
	if err == nil && a.err != nil {
		err = fmt.Errorf("Execute(%.40q) returned the error %w; an end of the program is told in the Outcome", p.Source, a.err)
	}
	return a.out, err
}

// want compares a value as JSON with what is expected of it.
func want(what string, got any, expected string) error {
	raw, ok := got.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(got); err != nil {
			return fmt.Errorf("%s has no JSON form: %w", what, err)
		}
	}
	var g, e any
	if err := json.Unmarshal([]byte(expected), &e); err != nil {
		return err
	}
	if err := json.Unmarshal(raw, &g); err != nil || !reflect.DeepEqual(g, e) {
		return fmt.Errorf("%s is %s, want %s", what, raw, expected)
	}
	return nil
}

// endedWell is ended for a run that came back without an error.
func endedWell(out contract.Outcome, err error, value string) error {
	if err != nil {
		return err
	}
	return ended(out, value)
}

// ended checks that the program came to a good end with this value.
func ended(out contract.Outcome, value string) error {
	switch {
	case out.Err != nil:
		return fmt.Errorf("Outcome.Err is %w, want none", out.Err)
	case out.Failure != nil:
		return fmt.Errorf("Outcome.Failure is %+v, want none", *out.Failure)
	case out.Interrupt != contract.InterruptNone:
		return fmt.Errorf("Outcome.Interrupt is %s, want none", out.Interrupt.String())
	case value == "" && out.Value != nil:
		return fmt.Errorf("Outcome.Value is %s, want none", out.Value)
	case value == "":
		return nil
	}
	return want("Outcome.Value", out.Value, value)
}

// refused checks an error of an executor.
func refused(err error, code, message string, started bool, cause error) error {
	var r *contract.RefusedError
	switch {
	case !errors.As(err, &r):
		return fmt.Errorf("the error is %v (%T), want a *contract.RefusedError with code %q", err, err, code)
	case r.Code != code:
		return fmt.Errorf("RefusedError.Code is %q, want %q (%w)", r.Code, code, err)
	case message != "" && r.Error() != message:
		return fmt.Errorf("the refusal says %q, want %q", r.Error(), message)
	case r.Started != started:
		return fmt.Errorf("RefusedError.Started is %t, want %t (%w)", r.Started, started, err)
	case r.Retryable != (code == contract.CodeOverloaded):
		return fmt.Errorf("RefusedError.Retryable is %t with code %q", r.Retryable, code)
	case !errors.Is(err, cause):
		return fmt.Errorf("the refusal %q does not unwrap to %v", err, cause)
	}
	return nil
}

// power returns e as an I, or an error that says the check does not apply.
func power[I any](e contract.Executor) (I, error) {
	p, ok := e.(I)
	if !ok {
		return p, fmt.Errorf("%w: %T is no %v", errors.ErrUnsupported, e, reflect.TypeFor[I]())
	}
	return p, nil
}
