package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Outcome is what a run gives back. It is plain data: it holds no handle, and
// nothing that happens later changes it.
type Outcome struct {
	// Value is the program's value as JSON text; nil when there is none.
	Value json.RawMessage
	// Err says why there is no value: a [*GuestError], a [*ResultError],
	// [ErrStalled] or an [*InterruptError]. Nil when the program ended well.
	Err error
	// Failure is the record that goes with Err, or nil.
	Failure *FailureRecord
	// Logs are the kept entries of the guest's console, in order.
	Logs []string
	// Unhandled are descriptions of rejections that the program lost: promises
	// that were rejected and had no handler when the run ended. At most 10.
	Unhandled []string
	// Calls are the host calls the program made, in order.
	Calls []Call
	// Usage is what the run took.
	Usage Usage
	// Interrupt says which limit ended the run; InterruptNone when none did.
	Interrupt Interrupt
}

// FailureRecord describes the rejection that ended a run (SPEC section 10).
type FailureRecord struct {
	// Name is the error's name, "Error" when it has none of its own.
	Name string `json:"name"`
	// Call is the typed refusal that ended the run, by identity.
	Call *Failure `json:"call,omitempty"`
	// Line and Column, from 1, are the place in the text as it was handed in
	// where the error was made; zero when unknown.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Timeout is set when the wall budget ended the run.
	Timeout *Timeout `json:"timeout,omitempty"`
}

// Timeout says how long a run took against its wall budget.
type Timeout struct {
	Elapsed  time.Duration
	Deadline time.Duration
}

// MarshalJSON writes whole milliseconds, elapsedMs and deadlineMs.
func (t *Timeout) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int64{"elapsedMs": t.Elapsed.Milliseconds(), "deadlineMs": t.Deadline.Milliseconds()})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Timeout) UnmarshalJSON(data []byte) error {
	var ms struct{ ElapsedMs, DeadlineMs int64 }
	if err := json.Unmarshal(data, &ms); err != nil {
		return fmt.Errorf("contract: timeout record: %w", err)
	}
	t.Elapsed, t.Deadline = milliseconds(float64(ms.ElapsedMs)), milliseconds(float64(ms.DeadlineMs))
	return nil
}

// CallState says how far a host call came before the run ended.
type CallState string

// The states of a call.
const (
	// CallCompleted: the function returned a value and the guest got it.
	CallCompleted CallState = "completed"
	// CallFailed: the call was refused, or the function returned an error.
	CallFailed CallState = "failed"
	// CallInFlight: the run ended first. Whether its effect happened is for the
	// host function to know.
	CallInFlight CallState = "in_flight"
)

// Call is one host call of a run.
type Call struct {
	// Name is "<namespace>.<function>" as the guest asked for it.
	Name string
	// Number counts the calls of a run from 1.
	Number int
	// State is how it ended.
	State CallState
	// Duration is the time from the start of the function to its end, or to the
	// end of the run. Zero for a call that never started.
	Duration time.Duration
}

// MarshalJSON writes the duration in milliseconds, durationMs.
func (c Call) MarshalJSON() ([]byte, error) {
	return json.Marshal(callJSON{c.Name, c.Number, c.State, toMs(c.Duration)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Call) UnmarshalJSON(data []byte) error {
	var j callJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("contract: call record: %w", err)
	}
	*c = Call{j.Name, j.Number, j.State, milliseconds(j.DurationMs)}
	return nil
}

type callJSON struct {
	Name       string    `json:"name"`
	Number     int       `json:"number"`
	State      CallState `json:"state"`
	DurationMs float64   `json:"durationMs"`
}

// Usage is what a run took.
type Usage struct {
	// CPU is the processor time of guest code.
	CPU time.Duration
	// Wall is the time from the start of the run to its end.
	Wall time.Duration
	// Memory is the most the guest's heap held, in bytes.
	Memory int64
	// Overshoot is how long after its deadline an interrupted run ended.
	Overshoot time.Duration
}

// MarshalJSON writes cpuMs, wallMs, memoryBytes and overshootMs.
func (u Usage) MarshalJSON() ([]byte, error) {
	return json.Marshal(usageJSON{toMs(u.CPU), toMs(u.Wall), u.Memory, toMs(u.Overshoot)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (u *Usage) UnmarshalJSON(data []byte) error {
	var j usageJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("contract: usage record: %w", err)
	}
	*u = Usage{milliseconds(j.CPUMs), milliseconds(j.WallMs), j.MemoryBytes, milliseconds(j.OvershootMs)}
	return nil
}

type usageJSON struct {
	CPUMs       float64 `json:"cpuMs"`
	WallMs      float64 `json:"wallMs"`
	MemoryBytes int64   `json:"memoryBytes"`
	OvershootMs float64 `json:"overshootMs,omitempty"`
}

func toMs(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// TimedOut reports whether the wall budget ended the run.
func (o Outcome) TimedOut() bool { return o.Interrupt == InterruptWall }

// MarshalJSON writes the outcome as SPEC has it: result, or error with its
// failure record; logs when there are any; timedOut when the wall budget ended
// the run; and beside them hint, unhandled, interrupt, calls and usage.
func (o Outcome) MarshalJSON() ([]byte, error) {
	j := struct {
		Result    json.RawMessage `json:"result,omitempty"`
		Error     *string         `json:"error,omitempty"`
		Failure   *FailureRecord  `json:"failure,omitempty"`
		Hint      string          `json:"hint,omitempty"`
		Logs      []string        `json:"logs,omitempty"`
		TimedOut  bool            `json:"timedOut,omitempty"`
		Unhandled []string        `json:"unhandled,omitempty"`
		Interrupt string          `json:"interrupt,omitempty"`
		Calls     []Call          `json:"calls,omitempty"`
		Usage     Usage           `json:"usage"`
	}{
		Failure: o.Failure, Logs: o.Logs, TimedOut: o.TimedOut(),
		Unhandled: o.Unhandled, Calls: o.Calls, Usage: o.Usage,
	}
	if o.Interrupt != InterruptNone {
		j.Interrupt = o.Interrupt.String()
	}
	if o.Err != nil {
		text := o.Err.Error()
		j.Error = &text
		var guest *GuestError
		if errors.As(o.Err, &guest) {
			j.Hint = guest.Hint
		}
	} else {
		j.Result = o.Value
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(j); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// ErrStalled is the Outcome.Err of a program that awaits something that nothing
// can settle any more. It is said at once, not after a timeout.
var ErrStalled = errors.New("Execution stalled: code awaits something that can never settle.") //lint:ignore ST1005 the text is SPEC's

// GuestError is what a program threw, or the syntax error it was refused with,
// as inert data. Nothing of the guest ran to describe it (SPEC section 10).
type GuestError struct {
	// Name is the error's name, at most 64 UTF-16 units; "Error" for anything
	// that is not a native error.
	Name string
	// Message is the error's message, at most 4,000 units.
	Message string
	// Line and Column, from 1, say where; zero when unknown.
	Line, Column int
	// Hint, when not empty, says what to write instead.
	Hint string
	// Properties are the error's other own data members that are plain JSON
	// data, read without running guest code; at most 32, 8 KiB in all.
	Properties map[string]json.RawMessage
	// Cause describes an own `cause` member that is a native error.
	Cause *GuestError
	// Host is the error of the host function whose very rejection ended the
	// run, or nil. Unwrap returns it.
	Host error
}

// Error returns "<name>: <message>", or the message alone when the name is
// Error, cut to 4,000 UTF-16 units. It does not enter the engine.
func (e *GuestError) Error() string {
	if e.Name == "" || e.Name == "Error" {
		return cut(e.Message, 4000)
	}
	return cut(e.Name+": "+e.Message, 4000)
}

// Unwrap returns the host function's own error.
func (e *GuestError) Unwrap() error { return e.Host }

// ResultError is the Outcome.Err of a program whose value has no JSON form: a
// cycle, a BigInt inside, a promise that was not awaited, a getter that threw.
type ResultError struct {
	// Path says where in the value, as in ".rows[3].self"; empty for the value
	// itself or when unknown.
	Path string
	// Reason says what was wrong there.
	Reason string
}

// Error implements error; the text begins as SPEC section 12 has it.
func (e *ResultError) Error() string {
	if e.Path == "" {
		return "result is not JSON-serializable: " + e.Reason
	}
	return "result is not JSON-serializable: " + e.Reason + " at " + e.Path
}

// cut shortens s to at most n UTF-16 units, never inside a pair.
func cut(s string, n int) string {
	if len(s) <= n {
		return s // a UTF-8 text has at least as many bytes as units
	}
	units := 0
	for i, r := range s {
		w := 1
		if r >= 0x10000 {
			w = 2
		}
		if units+w > n {
			return s[:i]
		}
		units += w
	}
	return s
}
