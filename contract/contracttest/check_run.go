package contracttest

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/guestjs/guestjs/contract"
)

// runChecks are about a program and its outcome.
var runChecks = []Check{
	{"the lifecycle is declared", func(t *trial) error { return contract.Check(t.executor()) }},
	{"the name is clean", checkName},
	{"a value comes back", func(t *trial) error {
		out, err := t.run(contract.Program{Source: progValue})
		return endedWell(out, err, `2`)
	}},
	{"no value is not null", func(t *trial) error {
		out, err := t.run(contract.Program{Source: progNothing})
		return endedWell(out, err, "")
	}},
	{"a throw is an outcome", func(t *trial) error { return t.guestError(progThrow, "TypeError", "TypeError: no") }},
	{"a syntax error is an outcome", func(t *trial) error { return t.guestError(progSyntax, "SyntaxError", "") }},
	{"a stall is told at once", func(t *trial) error {
		out, err := t.run(contract.Program{Source: progStall})
		if err == nil && !errors.Is(out.Err, contract.ErrStalled) {
			err = fmt.Errorf("Outcome.Err is %v, want ErrStalled", out.Err)
		}
		return err
	}},
	{"logs are in order", checkLogs},
	{"nothing is left of an earlier run", checkFresh},
	{"a bad program is refused before it runs", checkInvalid},
	{"many runs at once", checkConcurrent},
}

func checkName(t *trial) error {
	n, err := power[contract.Namer](t.executor())
	if err != nil {
		return err
	}
	if name := n.Name(); name != contract.SanitizeName(name) {
		return fmt.Errorf("the name is %q; sanitised it would be %q", name, contract.SanitizeName(name))
	}
	return nil
}

func (t *trial) guestError(source, name, text string) error {
	out, err := t.run(contract.Program{Source: source})
	if err != nil {
		return err
	}
	var guest *contract.GuestError
	switch {
	case !errors.As(out.Err, &guest):
		return fmt.Errorf("Outcome.Err is %v (%T), want a *contract.GuestError", out.Err, out.Err)
	case guest.Name != name:
		return fmt.Errorf("GuestError.Name is %q, want %q", guest.Name, name)
	case text != "" && guest.Error() != text:
		return fmt.Errorf("the error says %q, want %q", guest, text)
	case out.Failure == nil || out.Failure.Name != name:
		return fmt.Errorf("Outcome.Failure is %+v, want the name %q", out.Failure, name)
	case out.Value != nil:
		return fmt.Errorf("Outcome.Value is %s beside an error", out.Value)
	case out.Interrupt != contract.InterruptNone:
		return fmt.Errorf("Outcome.Interrupt is %s, and no limit ended the run", out.Interrupt.String())
	}
	return nil
}

func checkLogs(t *trial) error {
	h := newHost()
	out, err := t.run(h.program(progLogs))
	h.close()
	if err != nil {
		return err
	}
	const entries = `["a", "b 1", "{\"c\":[true]}"]`
	return errors.Join(
		want("Outcome.Logs", out.Logs, entries),
		want("what OnLog received before Execute returned", h.seen().logs, entries),
	)
}

func checkFresh(t *trial) error {
	e := t.executor()
	for range 3 {
		out, err := t.runOn(e, contract.Program{Source: progPollute})
		if err := endedWell(out, err, `1`); err != nil {
			return err
		}
		out, err = t.runOn(e, contract.Program{Source: progClean})
		if err := endedWell(out, err, `["undefined", "undefined"]`); err != nil {
			return err
		}
	}
	return nil
}

func checkInvalid(t *trial) error {
	h := newHost()
	p := h.program(progTouch)
	p.Limits.Memory = -1
	a, err := t.wait(t.start(context.Background(), t.executor(), p))
	switch {
	case err != nil:
		return err
	case !errors.Is(a.err, contract.ErrInvalid):
		return fmt.Errorf("Limits.Memory of -1: the error is %v, want ErrInvalid", a.err)
	case len(h.seen().args) > 0:
		return errors.New("Limits.Memory of -1: the program ran")
	}
	return nil
}

// checkConcurrent lets more callers come than most executors have slots. Those
// who are told that it is overloaded were answered well.
func checkConcurrent(t *trial) error {
	e := t.executor()
	const callers = 16
	var running [callers]<-chan answer
	for i := range running {
		p := newHost().program(progEcho)
		p.Source = `return await tools.echo(` + strconv.Itoa(i) + `)`
		running[i] = t.start(context.Background(), e, p)
	}
	ran := 0
	var all error
	for i, r := range running {
		a, err := t.wait(r)
		if err == nil && errors.Is(a.err, contract.ErrOverloaded) {
			continue
		}
		ran++
		all = errors.Join(all, err, a.err, ended(a.out, strconv.Itoa(i)))
	}
	if ran == 0 {
		all = errors.New("every caller was told that the executor is overloaded")
	}
	return all
}
