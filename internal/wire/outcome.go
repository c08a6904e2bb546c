package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// AppendResult appends the result text of an outcome, to the letter of SPEC
// section 12: {"outcome": {result, or error and failure, and logs}, timedOut}.
// All else about the run is in its [Report].
func AppendResult(dst []byte, out contract.Outcome) ([]byte, error) {
	dst = append(dst, `{"outcome":{`...)
	comma := false
	member := func(name string) {
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		dst = append(append(append(dst, '"'), name...), `":`...)
	}
	switch {
	case out.Err != nil:
		member("error")
		dst = AppendQuote(dst, out.Err.Error())
	case out.Value != nil:
		member("result")
		dst = append(dst, out.Value...)
	}
	if out.Failure != nil {
		record, err := json.Marshal(out.Failure)
		if err != nil {
			return nil, fmt.Errorf("wire: failure record: %w", err)
		}
		member("failure")
		dst = append(dst, record...)
	}
	if len(out.Logs) > 0 {
		member("logs")
		for i, entry := range out.Logs {
			sep := byte(',')
			if i == 0 {
				sep = '['
			}
			dst = AppendQuote(append(dst, sep), entry)
		}
		dst = append(dst, ']')
	}
	dst = append(dst, '}')
	if out.TimedOut() {
		dst = append(dst, `,"timedOut":true`...)
	}
	return append(dst, '}'), nil
}

// Report is what a result text has no room for. The child sends its text in
// report messages before the result.
type Report struct {
	Usage contract.Usage
	// ProcessCPU is the processor time of the child since it was started.
	ProcessCPU time.Duration
	Rest       Rest
}

// Rest is what most runs have none of.
type Rest struct {
	Interrupt contract.Interrupt `json:"interrupt,omitempty"`
	Err       *ErrorRecord       `json:"err,omitempty"`
	HostCall  uint64             `json:"hostCall,omitempty"` // the call whose rejection ended the run
	Refused   *Refusal           `json:"refused,omitempty"`  // Run returned an error and no outcome counts
	Unhandled []string           `json:"unhandled,omitempty"`
	Calls     []contract.Call    `json:"calls,omitempty"`
	// Recycle asks for a new child: the runtime failed, or the result was too
	// large to be sent and this process grew to hold it.
	Recycle bool `json:"recycle,omitempty"`
}

func (r Rest) empty() bool {
	return r.Interrupt == 0 && r.Err == nil && r.HostCall == 0 && r.Refused == nil &&
		len(r.Unhandled) == 0 && len(r.Calls) == 0 && !r.Recycle
}

const (
	reportNumbers = `{"numbers":`
	reportRest    = `,"rest":`
)

// Encode writes r: its numbers as an array of nanoseconds and bytes, and the
// rest, if there is any.
func (r Report) Encode() ([]byte, error) {
	u := r.Usage
	text := appendInts([]byte(reportNumbers), []int64{
		int64(u.CPU), int64(u.Wall), u.Memory, int64(u.Overshoot), int64(r.ProcessCPU),
	})
	if !r.Rest.empty() {
		rest, err := json.Marshal(r.Rest)
		if err != nil {
			return nil, fmt.Errorf("wire: report: %w", err)
		}
		text = append(append(text, reportRest...), rest...)
	}
	return append(text, '}'), nil
}

// DecodeReport reads what Encode writes, and nothing else.
func DecodeReport(text []byte) (Report, error) {
	var n [5]int64
	rest, ok := strings.CutPrefix(string(text), reportNumbers)
	if ok {
		rest, ok = cutInts(rest, n[:])
	}
	if ok {
		rest, ok = strings.CutSuffix(rest, "}")
	}
	if !ok {
		return Report{}, errors.New("its numbers are missing")
	}
	r := Report{
		Usage: contract.Usage{
			CPU: time.Duration(n[0]), Wall: time.Duration(n[1]), Memory: n[2], Overshoot: time.Duration(n[3]),
		},
		ProcessCPU: time.Duration(n[4]),
	}
	if rest == "" {
		return r, nil
	}
	if rest, ok = strings.CutPrefix(rest, reportRest); !ok {
		return Report{}, errors.New("more than its numbers")
	}
	if err := json.Unmarshal([]byte(rest), &r.Rest); err != nil {
		return Report{}, err
	}
	return r, nil
}

// Refusal is an error of Run itself.
type Refusal struct {
	Text    string `json:"text"`
	Invalid bool   `json:"invalid,omitempty"` // it unwraps to contract.ErrInvalid
}

// The kinds of an ErrorRecord.
const (
	kindGuest     = "guest"
	kindResult    = "result"
	kindStalled   = "stalled"
	kindInterrupt = "interrupt"
)

// ErrorRecord is an Outcome.Err. One without a kind is text alone.
type ErrorRecord struct {
	Kind string `json:"kind,omitempty"`

	Name       string                     `json:"name,omitempty"`
	Message    string                     `json:"message,omitempty"`
	Line       int                        `json:"line,omitempty"`
	Column     int                        `json:"column,omitempty"`
	Hint       string                     `json:"hint,omitempty"`
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Cause      *ErrorRecord               `json:"cause,omitempty"`

	Path   string `json:"path,omitempty"`
	Reason string `json:"reason,omitempty"`

	Interrupt contract.Interrupt `json:"interrupt,omitempty"`
	Budget    int64              `json:"budget,omitempty"`
	Elapsed   time.Duration      `json:"elapsed,omitempty"`
}

// NewReport takes from an outcome what AppendResult leaves out.
func NewReport(out contract.Outcome) Report {
	return Report{Usage: out.Usage, Rest: Rest{
		Interrupt: out.Interrupt, Err: newErrorRecord(out.Err), Unhandled: out.Unhandled, Calls: out.Calls,
	}}
}

func newErrorRecord(err error) *ErrorRecord {
	var guest *contract.GuestError
	var result *contract.ResultError
	var interrupt *contract.InterruptError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &guest):
		return guestRecord(guest)
	case errors.As(err, &result):
		return &ErrorRecord{Kind: kindResult, Path: result.Path, Reason: result.Reason}
	case errors.As(err, &interrupt):
		r := &ErrorRecord{Kind: kindInterrupt, Interrupt: interrupt.Interrupt, Budget: interrupt.Budget, Elapsed: interrupt.Elapsed}
		if interrupt.Cause != nil {
			r.Reason = interrupt.Cause.Error()
		}
		return r
	case errors.Is(err, contract.ErrStalled):
		return &ErrorRecord{Kind: kindStalled}
	}
	return &ErrorRecord{}
}

// maxCauses bounds a chain of causes; the bridge's own bound is lower.
const maxCauses = 16

func guestRecord(e *contract.GuestError) *ErrorRecord {
	first := &ErrorRecord{}
	into := first
	for depth := 0; ; depth++ {
		*into = ErrorRecord{
			Kind: kindGuest, Name: e.Name, Message: e.Message, Line: e.Line, Column: e.Column,
			Hint: e.Hint, Properties: e.Properties,
		}
		if e = e.Cause; e == nil || depth == maxCauses {
			return first
		}
		into.Cause = &ErrorRecord{}
		into = into.Cause
	}
}

func (r *ErrorRecord) guestError() *contract.GuestError {
	if r == nil {
		return nil
	}
	return &contract.GuestError{
		Name: r.Name, Message: r.Message, Line: r.Line, Column: r.Column, Hint: r.Hint,
		Properties: r.Properties, Cause: r.Cause.guestError(),
	}
}

// error makes the error again. Text stands in for one without a kind.
func (r *ErrorRecord) error(text string) error {
	switch r.Kind {
	case kindGuest:
		return r.guestError()
	case kindResult:
		return &contract.ResultError{Path: r.Path, Reason: r.Reason}
	case kindStalled:
		return contract.ErrStalled
	case kindInterrupt:
		e := &contract.InterruptError{Interrupt: r.Interrupt, Budget: r.Budget, Elapsed: r.Elapsed}
		if r.Reason != "" {
			e.Cause = errors.New(r.Reason)
		}
		return e
	}
	return &TextError{text}
}

// TextError is an Outcome.Err of which only the text crossed the pipe: a fixed
// failure of SPEC section 13.1.
type TextError struct{ Text string }

// Error returns the text.
func (e *TextError) Error() string { return e.Text }

// DecodeResult makes an outcome of a result text and its report. Anything in
// them that no child of this version sends is an error.
func DecodeResult(text []byte, report Report) (contract.Outcome, error) {
	rest := report.Rest
	out := contract.Outcome{
		Interrupt: rest.Interrupt, Unhandled: rest.Unhandled, Calls: rest.Calls, Usage: report.Usage,
	}
	if value, ok := plainValue(text); ok && rest.Err == nil && rest.Interrupt != contract.InterruptWall {
		out.Value = value
		return out, nil
	}
	var r struct {
		Outcome *struct {
			Result  json.RawMessage         `json:"result"`
			Error   *string                 `json:"error"`
			Failure *contract.FailureRecord `json:"failure"`
			Logs    []string                `json:"logs"`
		} `json:"outcome"`
		TimedOut bool `json:"timedOut"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return contract.Outcome{}, err
	}
	switch {
	case r.Outcome == nil:
		return contract.Outcome{}, errors.New("outcome is missing")
	case r.TimedOut != (rest.Interrupt == contract.InterruptWall), (r.Outcome.Error != nil) != (rest.Err != nil):
		return contract.Outcome{}, errors.New("the outcome and its report disagree")
	}
	out.Value, out.Failure, out.Logs = r.Outcome.Result, r.Outcome.Failure, r.Outcome.Logs
	if rest.Err != nil {
		out.Err = rest.Err.error(*r.Outcome.Error)
	}
	return out, nil
}

// plainValue cuts the value out of a result text that has nothing else. What is
// between the brackets is one JSON value, or this is no such text.
func plainValue(text []byte) (json.RawMessage, bool) {
	value, ok := bytes.CutPrefix(text, []byte(`{"outcome":{"result":`))
	if ok {
		value, ok = bytes.CutSuffix(value, []byte(`}}`))
	}
	return value, ok && json.Valid(value)
}
