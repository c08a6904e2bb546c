package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// maxResult is the default of Options.MaxResult (SPEC section 2).
const maxResult = 64 << 20

// maxSearched bounds the values that are searched for forgotten promises, since
// listing the members of a large one takes guest memory.
const maxSearched = 1 << 20

// readOut turns the program's value into JSON text (SPEC section 6.3). toJSON
// and getters run, within the budget; a value without a JSON form is an error,
// never a placeholder.
func (r *run) readOut(v quickjs.Value) error {
	text, err := r.valueText(v)
	var result *contract.ResultError
	if err != nil {
		if result, err = r.noResult(v, err); err != nil {
			return err
		}
	}
	// Complete from here on: a stop that comes now costs nothing of it.
	r.settled = true
	if result != nil {
		r.out.Err = result
	} else {
		r.out.Value = text
	}
	r.lost.describe(r, quickjs.Value{})
	return nil
}

// noResult turns what writing the value came to into the program's error.
func (r *run) noResult(v quickjs.Value, err error) (*contract.ResultError, error) {
	var thrown *quickjs.Exception
	var result *contract.ResultError
	switch {
	case errors.As(err, &thrown):
		e, derr := r.describe(thrown.Value)
		thrown.Free()
		if derr != nil {
			return nil, derr
		}
		return explain(v, e)
	case errors.Is(err, quickjs.ErrTooLarge):
		return &contract.ResultError{Reason: "it is larger than " + bytesText(r.sandbox.opts.MaxResult) + " of JSON text"}, nil
	case errors.As(err, &result):
		return result, nil
	}
	return nil, err
}

func (r *run) valueText(v quickjs.Value) (json.RawMessage, error) {
	switch v.Kind() {
	case quickjs.KindUndefined, quickjs.KindSymbol:
		return nil, nil
	case quickjs.KindBigInt:
		return nil, &contract.ResultError{Reason: bigIntReason}
	case quickjs.KindObject:
		if v.IsFunction() {
			return nil, &contract.ResultError{Reason: "it is a function"}
		}
		if v.IsError() {
			return r.errorText(v)
		}
	}
	text, ok, err := v.JSON(r.sandbox.opts.MaxResult)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &contract.ResultError{Reason: "its JSON form is undefined"}
	}
	if len(text) <= maxSearched && bytes.Contains(text, []byte("{}")) {
		// A promise that nobody awaited writes itself as an empty object.
		path, found, err := findPromise(v)
		if err != nil {
			return nil, err
		}
		if found {
			return nil, &contract.ResultError{Path: path, Reason: "a promise that was not awaited"}
		}
	}
	return text, nil
}

// bytesText is a size in the largest unit that it is a whole number of.
func bytesText(n int) string {
	if n >= 1<<20 && n&(1<<20-1) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

const bigIntReason = "Do not know how to serialize a BigInt"

// errorText writes a returned error: its name, message and stack beside its own
// members.
func (r *run) errorText(v quickjs.Value) (json.RawMessage, error) {
	e, err := r.describe(v)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	own, ok, err := v.JSON(r.sandbox.opts.MaxResult)
	if err != nil {
		return nil, err
	}
	if len(own) > maxSearched {
		return own, nil // taking it apart would take more than the budget knows of
	}
	if ok && json.Unmarshal(own, &members) != nil {
		return own, nil // its toJSON gives something else
	}
	message := e.Message
	if message == thrownText {
		message = ""
	}
	for name, s := range map[string]string{"name": e.Name, "message": message, "stack": r.guest.unmark(v.Backtrace(maxStack))} {
		if members[name] == nil {
			members[name] = jsonText(s)
		}
	}
	return json.Marshal(members)
}

// explain says where in the value the reason of a failed read-out lies.
func explain(v quickjs.Value, e *contract.GuestError) (*contract.ResultError, error) {
	path, reason, found, err := findUnwritable(v)
	if !found {
		reason = e.Error()
	}
	return &contract.ResultError{Path: path, Reason: reason}, err
}
