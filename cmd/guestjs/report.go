package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/result"
)

// report writes what a run gave, and returns the exit code.
func (a *app) report(f runFlags, p contract.Program, out contract.Outcome, err error) int {
	if err != nil && errors.Is(err, contract.ErrInvalid) {
		return a.refused(err)
	}
	if f.guard != nil {
		a.guard(f, &out)
	}
	if writeErr := a.writeValue(f, out); writeErr != nil {
		return a.failed(fmt.Errorf("writing the value: %w", writeErr))
	}
	switch {
	case err != nil:
		a.say("%s", visible(err.Error()))
	case out.Err != nil:
		a.problem(p, out.Err)
	}
	a.refusal(out)
	for _, lost := range out.Unhandled {
		fmt.Fprintf(a.stderr, "unhandled rejection: %s\n", visible(lost))
	}
	code := exitOf(out, err)
	if code == exitValue {
		a.forgotten(out)
	}
	a.summary(code, f.limits.Or(contract.DefaultLimits()), out)
	return code
}

// forgotten points at calls that the program did not wait for: most often an
// await is missing.
func (a *app) forgotten(out contract.Outcome) {
	for _, c := range out.Calls {
		if c.State == contract.CallInFlight {
			fmt.Fprintf(a.stderr, "hint: call %d, of %s, was not awaited: its result was lost\n", c.Number, visible(c.Name))
			return
		}
	}
}

// exitOf says how a run or a check that was let in ended: by the outcome, and
// by the error where that says more.
func exitOf(out contract.Outcome, err error) int {
	interrupt := out.Interrupt
	if stop, ok := errors.AsType[*contract.InterruptError](out.Err); ok {
		interrupt = stop.Interrupt
	}
	switch interrupt {
	case contract.InterruptNone:
	case contract.InterruptFault:
		return exitOurs
	default:
		return exitLimit
	}
	if refused, ok := errors.AsType[*contract.RefusedError](err); ok && refused.Code == contract.CodeCancelled {
		return exitLimit
	}
	var guest *contract.GuestError
	var value *contract.ResultError
	switch {
	case errors.As(out.Err, &guest), errors.As(out.Err, &value), errors.Is(out.Err, contract.ErrStalled):
		return exitProgram
	case err != nil:
		return exitOurs
	case out.Err != nil:
		return exitLimit // what a child process was told, or said, was too large to be sent
	}
	return exitValue
}

// guard cuts the value to what was asked for, and says so.
func (a *app) guard(f runFlags, out *contract.Outcome) {
	whole := out.Value
	shown, cut, err := f.guard.Apply(whole)
	if err != nil {
		// Validate has let no such cap through.
		a.say("%v", err)
		return
	}
	if out.Value = shown; cut {
		a.say("the value has %d characters and -max-result is %d: it was cut, and stands in an envelope with a preview",
			result.Units(string(whole)), f.guard.MaxUnits)
	}
}

// writeValue writes the value, or the whole outcome, to standard output.
func (a *app) writeValue(f runFlags, out contract.Outcome) error {
	var text bytes.Buffer
	switch {
	case f.json:
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(out); err != nil {
			return err
		}
	case out.Err != nil || out.Value == nil:
		return nil
	case f.guard != nil:
		text.Write(out.Value)
		text.WriteByte('\n')
	default:
		if err := json.Indent(&text, out.Value, "", "  "); err != nil {
			return err
		}
		text.WriteByte('\n')
	}
	_, err := a.stdout.Write(text.Bytes())
	return err
}

// problem writes why a program gave no value, with the place.
func (a *app) problem(p contract.Program, err error) {
	guest, ok := errors.AsType[*contract.GuestError](err)
	if !ok {
		fmt.Fprintf(a.stderr, "%s: %s\n", visible(p.Name), visible(err.Error()))
		return
	}
	place := p.Name
	if guest.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", p.Name, guest.Line, max(guest.Column, 1))
	}
	fmt.Fprintf(a.stderr, "%s: %s\n", visible(place), visible(guest.Error()))
	fmt.Fprint(a.stderr, excerpt(p.Source, guest.Line, guest.Column))
	if _, refused := errors.AsType[*contract.Failure](guest.Host); !refused { // see refusal
		for _, name := range slices.Sorted(maps.Keys(guest.Properties)) {
			fmt.Fprintf(a.stderr, "    %s: %s\n", visible(name), visible(string(guest.Properties[name])))
		}
	}
	for cause := guest.Cause; cause != nil; cause = cause.Cause {
		fmt.Fprintf(a.stderr, "caused by: %s\n", visible(cause.Error()))
	}
	if hint := hintFor(guest); hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", visible(hint))
	}
}

// hintFor says what to write instead, or which flag to give.
func hintFor(e *contract.GuestError) string {
	switch {
	case e.Hint != "":
		return e.Hint
	case e.Name == "ReferenceError" && e.Message == "'input' is not defined":
		return "--input FILE makes the JSON in FILE the global `input`."
	case e.Name == "ReferenceError" && e.Message == "'files' is not defined":
		return "--files DIR lets a program read below DIR through `files`."
	}
	return ""
}

// refusal writes the typed refusal of a host call that ended the run.
func (a *app) refusal(out contract.Outcome) {
	if out.Failure == nil || out.Failure.Call == nil {
		return
	}
	record, err := json.Marshal(out.Failure.Call)
	if err == nil {
		fmt.Fprintf(a.stderr, "refused by the host: %s\n", visible(string(record)))
	}
}

var endings = map[contract.Interrupt]string{
	contract.InterruptMemory:   "ended by the memory limit",
	contract.InterruptCPU:      "ended by the cpu limit",
	contract.InterruptWall:     "ended by the wall limit",
	contract.InterruptCanceled: "interrupted",
	contract.InterruptClosed:   "closed",
	contract.InterruptFault:    "ended by a fault of the engine",
}

// summary writes the last line: how it ended and what it took.
func (a *app) summary(code int, limits contract.Limits, out contract.Outcome) {
	var b strings.Builder
	switch {
	case out.Interrupt != contract.InterruptNone:
		b.WriteString(endings[out.Interrupt])
	case code == exitValue && out.Value == nil:
		b.WriteString("ended well, without a value")
	case code == exitValue:
		b.WriteString("ended well")
	default:
		b.WriteString("failed")
	}
	fmt.Fprintf(&b, "; cpu %s of %s, wall %s of %s, memory %s of %s",
		timeText(out.Usage.CPU), timeText(limits.CPU), timeText(out.Usage.Wall), timeText(limits.Wall),
		sizeText(out.Usage.Memory), sizeText(limits.Memory))
	b.WriteString(callsText(out.Calls))
	a.say("%s", b.String())
}

// callsText counts host calls by name and by how they ended.
func callsText(calls []contract.Call) string {
	if len(calls) == 0 {
		return ""
	}
	type key struct {
		name  string
		state contract.CallState
	}
	counts := map[key]int{}
	for _, c := range calls {
		counts[key{c.Name, c.State}]++
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(x, y key) int {
		return strings.Compare(x.name+"\x00"+string(x.state), y.name+"\x00"+string(y.state))
	})
	const most = 8
	var parts []string
	for i, k := range keys {
		if i == most {
			parts = append(parts, "and others")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s %s", counts[k], visible(k.name), strings.ReplaceAll(string(k.state), "_", " ")))
	}
	noun := "host calls"
	if len(calls) == 1 {
		noun = "host call"
	}
	return fmt.Sprintf("; %d %s: %s", len(calls), noun, strings.Join(parts, ", "))
}
