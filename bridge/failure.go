package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/quickjs"
)

// retained pairs the guest error that stands for a refusal with what the host
// function returned. The handle keeps the object alive, so that its identity
// means something to the end of the run (SPEC section 8).
type retained struct {
	value   quickjs.Value
	err     error
	failure *contract.Failure // nil for a plain error
	ballast quickjs.Value     // makes a large err count in the guest's memory
}

// refuse rejects a call with the error's text; a typed failure gets its record
// as well (SPEC section 7.1).
func (r *run) refuse(c *call, err error) error {
	r.endCall(c, contract.CallFailed)
	var failure *contract.Failure
	text := err.Error()
	var reply *contract.ReplyError
	switch {
	case errors.As(err, &reply):
		text = fmt.Sprintf("Host result from %s could not be serialized: %s", label(c), reply.Reason)
	case errors.As(err, &failure):
		text = failure.Error()
	}
	v, verr := r.errorValue(text)
	if verr != nil {
		return verr
	}
	kept := retained{value: v, err: err, failure: failure}
	size := len(text)
	if failure != nil {
		n, err := r.decorate(v, failure)
		if err != nil {
			return err
		}
		size = max(size, n)
	}
	if size > maxText {
		// The error is kept to the end of the run, and functions tend to quote
		// what they were given.
		if kept.ballast, err = r.guest.qc.String(strings.Repeat(" ", size)); err != nil {
			return err
		}
	}
	if r.retained == nil {
		r.retained = map[uintptr]retained{}
	}
	r.retained[v.Identity()] = kept
	rejectErr := c.deferred.Reject(v)
	r.calls.release(c)
	return ignoreThrown(rejectErr)
}

// refuseText rejects a call that never reached a host function.
func (r *run) refuseText(c *call, text string) error {
	r.endCall(c, contract.CallFailed)
	err := r.rejectText(c.deferred, text)
	r.calls.release(c)
	return err
}

// rejectText rejects a promise with an error of that text.
func (r *run) rejectText(d quickjs.Deferred, text string) error {
	v, err := r.errorValue(text)
	if err != nil {
		return err
	}
	err = d.Reject(v)
	v.Free()
	return ignoreThrown(err)
}

// rejectedPromise is a promise that no call stands behind.
func (r *run) rejectedPromise(text string) (quickjs.Value, error) {
	d, err := r.guest.qc.Deferred()
	if err != nil {
		return quickjs.Value{}, err
	}
	return d.Promise, r.rejectText(d, text)
}

// errorValue makes a native Error whose message is an ordinary property.
func (r *run) errorValue(text string) (quickjs.Value, error) {
	v, err := r.guest.qc.Error("")
	if err != nil {
		return v, err
	}
	m, err := r.guest.qc.String(units.Cut(text, maxText))
	if err != nil {
		return v, err
	}
	err = v.Define("message", m, quickjs.Ordinary)
	m.Free()
	return v, err
}

// decorate adds the members of a typed failure, in the order of SPEC 7.1. The
// record crosses as JSON text, so a key __proto__ is an ordinary member.
// It returns the size of the record.
func (r *run) decorate(v quickjs.Value, f *contract.Failure) (size int, err error) {
	qc := r.guest.qc
	record, err := json.Marshal(f)
	if err != nil || len(record) > maxTransport {
		// Details without a JSON form, or more than a reply may have: the fixed
		// members are still true.
		plain := *f
		plain.Details = nil
		plain.Message = units.Cut(plain.Message, maxText)
		record, _ = json.Marshal(&plain) // strings, a bool and a number
	}
	code, err := qc.String(f.Code)
	if err != nil {
		return 0, err
	}
	members := []struct {
		name string
		make func() (quickjs.Value, error)
	}{
		{"code", func() (quickjs.Value, error) { return code, nil }},
		{"retryable", func() (quickjs.Value, error) { return qc.Bool(f.Retryable), nil }},
		{"details", func() (quickjs.Value, error) { return qc.ParseJSON(record) }},
		{"data", func() (quickjs.Value, error) { return qc.ParseJSON(record) }},
	}
	for _, m := range members {
		w, err := m.make()
		if err != nil {
			return 0, err
		}
		if err := v.Define(m.name, w, quickjs.Ordinary); err != nil {
			return 0, err
		}
		w.Free()
	}
	return len(record), nil
}

// addressLabel is the string form of the first argument of connecta.call.
func addressLabel(args json.RawMessage) string {
	var list []any
	if json.Unmarshal(args, &list) != nil || len(list) == 0 {
		return "undefined"
	}
	switch v := list[0].(type) {
	case string:
		return v
	case nil:
		return "null"
	case map[string]any:
		return "[object Object]"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			b, _ := json.Marshal([]any{e})
			if e != nil {
				parts[i] = addressLabel(b)
			}
		}
		return strings.Join(parts, ",")
	default:
		b, _ := json.Marshal(v)
		return string(b)
	}
}
