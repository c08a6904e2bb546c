package contracttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// hostChecks are about host calls.
var hostChecks = []Check{
	{"a host call and its record", checkCall},
	{"own members only", checkMembers},
	{"a typed refusal as the guest sees it", func(t *trial) error {
		out, err := t.run(newHost().program(progCaught))
		return endedWell(out, err, `["Not yours.", "no_access", true, 1500, "ada"]`)
	}},
	{"a typed refusal keeps its identity", checkFailure},
	{"a copy of a refusal is none", checkCopy},
	{"a host error is reached through the outcome", checkHostError},
	{"a host panic reaches the caller", checkPanic},
}

func checkCall(t *trial) error {
	h := newHost()
	out, err := t.run(h.program(progEcho))
	h.close()
	if err := endedWell(out, err, `{"a": [1, "two"]}`); err != nil {
		return err
	}
	seen := h.seen()
	if len(seen.args) != 1 {
		return fmt.Errorf("the host function ran %d times for one call", len(seen.args))
	}
	return errors.Join(
		want("the argument list", json.RawMessage(seen.args[0]), `[{"a": [1, "two"]}]`),
		calls("Outcome.Calls", out.Calls, "tools.echo completed"),
		calls("what OnCall received before Execute returned", seen.calls, "tools.echo completed"),
	)
}

// calls checks names, states and numbers of call records.
func calls(what string, got []contract.Call, expected ...string) error {
	if len(got) != len(expected) {
		return fmt.Errorf("%s has %d records, want %d", what, len(got), len(expected))
	}
	for i, c := range got {
		if text := c.Name + " " + string(c.State); text != expected[i] || c.Number != i+1 {
			return fmt.Errorf("%s: record %d is %q with number %d, want %q", what, i+1, text, c.Number, expected[i])
		}
		if c.Duration < 0 || c.Duration > time.Hour {
			return fmt.Errorf("%s: record %d took %v", what, i+1, c.Duration)
		}
	}
	return nil
}

func checkMembers(t *trial) error {
	h := newHost()
	out, err := t.run(h.program(progMembers))
	if err := endedWell(out, err, `[
		"Unknown function tools.toString", "Unknown function tools.constructor",
		"Unknown function tools.__proto__", "Unknown function tools.hasOwnProperty"]`); err != nil {
		return err
	}
	if n := len(h.seen().args); n > 0 {
		return fmt.Errorf("%d host functions ran for names that no provider lists", n)
	}
	return nil
}

func checkFailure(t *trial) error {
	h := newHost()
	out, err := t.run(h.program(progRefused))
	switch {
	case err != nil:
		return err
	case !errors.Is(out.Err, h.failure):
		return fmt.Errorf("Outcome.Err %q does not unwrap to the failure that the host function returned", out.Err)
	case out.Failure == nil || out.Failure.Call == nil:
		return errors.New("Outcome.Failure.Call is not set")
	case out.Value != nil:
		return fmt.Errorf("Outcome.Value is %s beside an error", out.Value)
	}
	return want("Outcome.Failure.Call", out.Failure.Call, `{"code": "no_access", "message": "Not yours.",
		"retryable": true, "retryAfterMs": 1500, "owner": "ada", "data": [1, 2]}`)
}

func checkCopy(t *trial) error {
	h := newHost()
	out, err := t.run(h.program(progCopied))
	switch {
	case err != nil:
		return err
	case out.Err == nil:
		return errors.New("Outcome.Err is nil after a throw")
	case errors.Is(out.Err, h.failure):
		return errors.New("Outcome.Err unwraps to a failure that was caught, while the program threw a copy")
	case out.Failure != nil && out.Failure.Call != nil:
		return fmt.Errorf("Outcome.Failure.Call is %+v for an error that the program made", *out.Failure.Call)
	}
	return nil
}

func checkHostError(t *trial) error {
	h := newHost()
	out, err := t.run(h.program(progFail))
	switch {
	case err != nil:
		return err
	case out.Err == nil || out.Err.Error() != h.plain.Error():
		return fmt.Errorf("Outcome.Err is %v, want the text %q", out.Err, h.plain)
	case !errors.Is(out.Err, h.plain):
		return errors.New("Outcome.Err does not unwrap to the host function's error")
	case out.Failure == nil || out.Failure.Call != nil:
		return fmt.Errorf("Outcome.Failure is %+v, want one without a Call: the host function returned no *contract.Failure", out.Failure)
	}
	return calls("Outcome.Calls", out.Calls, "tools.fail failed")
}

// checkPanic: a bug of the host is the host's to see, and must not take the
// executor with it.
func checkPanic(t *trial) error {
	e := t.executor()
	for range 3 {
		a, err := await(t, t.start(context.Background(), e, newHost().program(progBoom)), "Execute to come back")
		if err != nil {
			return err
		}
		if a.panicked == nil {
			return fmt.Errorf("a host function panicked and Execute returned %v, %v", a.out.Err, a.err)
		}
	}
	out, err := t.runOn(e, contract.Program{Source: progValue})
	return endedWell(out, err, `2`)
}
