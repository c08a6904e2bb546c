package contract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Provider is a named group of host functions. The guest sees it as one frozen
// global; reading any member gives a function, and a member that is not listed
// here fails when it is called (SPEC section 7).
type Provider struct {
	// Name is the guest's global. It must be an identifier and not the name of
	// a global that exists.
	Name string

	// Functions are run on goroutines of their own, so they may block; their
	// context ends when the run ends.
	Functions map[string]HostFunc

	// Immediate functions are declared to finish at once. They run at the call,
	// on the goroutine that drives the guest and with the guest standing still,
	// which saves a goroutine and two switches. Time they take counts against
	// both budgets, and no limit can end them: they must not block.
	Immediate map[string]HostFunc

	// Prelude, when not empty, is script text that runs before the program, in
	// a function scope shared by all preludes, with every namespace in place.
	Prelude string
}

// HostFunc is a host function. Args is the guest's argument list as a JSON
// array; it is the function's to keep. The reply is JSON text, or nil for no
// value; a run of bytes in it that is not UTF-8 reads as U+FFFD.
//
// An error rejects the guest's call with the error's text. A [*Failure] gives
// the guest a typed refusal as well. Either way, when that very rejection ends
// the run, Outcome.Err unwraps to the error returned here.
//
// A panic is recovered, ends that call as a plain failure, and is raised again
// on the goroutine that called Run.
type HostFunc func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)

// Func makes a HostFunc from a function of one argument. A missing argument is
// decoded as JSON null, further ones are ignored. An argument that does not
// decode is a [*Failure] with code "invalid_args" and never reaches f.
func Func[In, Out any](f func(context.Context, In) (Out, error)) HostFunc {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		var in In
		if err := decodeArgs(args, &in); err != nil {
			return nil, err
		}
		return encodeReply(f(ctx, in))
	}
}

// Func0 makes a HostFunc from a function without arguments.
func Func0[Out any](f func(context.Context) (Out, error)) HostFunc {
	return func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		return encodeReply(f(ctx))
	}
}

// Func2 is Func for a function of two arguments.
func Func2[A, B, Out any](f func(context.Context, A, B) (Out, error)) HostFunc {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		var a A
		var b B
		if err := decodeArgs(args, &a, &b); err != nil {
			return nil, err
		}
		return encodeReply(f(ctx, a, b))
	}
}

// Func3 is Func for a function of three arguments.
func Func3[A, B, C, Out any](f func(context.Context, A, B, C) (Out, error)) HostFunc {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		var a A
		var b B
		var c C
		if err := decodeArgs(args, &a, &b, &c); err != nil {
			return nil, err
		}
		return encodeReply(f(ctx, a, b, c))
	}
}

func decodeArgs(args json.RawMessage, into ...any) error {
	rest, err := openArgs(args)
	if err != nil {
		return err
	}
	for i, p := range into {
		raw := null
		if len(rest) > 0 {
			if raw, rest, err = nextArg(rest); err != nil {
				return err
			}
		}
		if decodeScalar(raw, p) {
			continue
		}
		if err := json.Unmarshal(raw, p); err != nil {
			return &Failure{
				Code:    "invalid_args",
				Message: fmt.Sprintf("argument %d: %s", i+1, describeDecode(err)),
				Details: map[string]any{"argument": i + 1},
			}
		}
	}
	return nil
}

// describeDecode says what was wrong with an argument in JSON's words, since
// the guest does not know Go's type names.
func describeDecode(err error) string {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	want := map[string]string{
		"string": "a string", "bool": "a boolean", "float32": "a number", "float64": "a number",
		"slice": "an array", "array": "an array", "map": "an object", "struct": "an object",
	}[wrong.Type.Kind().String()]
	if want == "" {
		want = "a whole number in range"
	}
	if wrong.Field != "" {
		return fmt.Sprintf("%s must be %s, not %s", wrong.Field, want, wrong.Value)
	}
	return fmt.Sprintf("must be %s, not %s", want, wrong.Value)
}

func encodeReply[Out any](out Out, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	switch v := any(out).(type) {
	case json.RawMessage:
		return v, nil
	case struct{}:
		return nil, nil // a function that only has effects has no value
	}
	if text, ok := encodeScalar(out); ok {
		return text, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return nil, &ReplyError{Reason: err}
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// ReplyError is returned by an adapter whose function's value has no JSON form.
// The guest sees `Host result from <label> could not be serialized: <reason>`
// (SPEC section 7).
type ReplyError struct{ Reason error }

// Error implements error.
func (e *ReplyError) Error() string {
	return "contract: host result could not be serialized: " + e.Reason.Error()
}

// Unwrap returns the encoder's error.
func (e *ReplyError) Unwrap() error { return e.Reason }
