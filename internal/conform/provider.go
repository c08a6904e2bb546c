package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Providers makes the providers of a vector's input, fresh for one run: the
// functions that count begin at one.
func Providers(input Object) ([]contract.Provider, error) {
	v, _ := input.Get("providers")
	list, _ := v.([]Value)
	var out []contract.Provider
	for _, item := range list {
		o, _ := item.(Object)
		fns, _ := o.Get("fns")
		functions := map[string]contract.HostFunc{}
		members, _ := fns.(Object)
		for _, m := range members {
			spec, _ := m.Value.(Object)
			f, err := Function(spec)
			if err != nil {
				return nil, fmt.Errorf("%s.%s: %w", o.Text("name"), m.Key, err)
			}
			functions[m.Key] = f
		}
		out = append(out, contract.Provider{Name: o.Text("name"), Functions: functions, Prelude: utf8Text(o.Text("prelude"))})
	}
	return out, nil
}

// Function makes the host function that a description names (FORMAT.md).
func Function(spec Object) (contract.HostFunc, error) {
	value, hasValue := spec.Get("value")
	switch kind := spec.Text("kind"); kind {
	case "echo":
		return withArgs(func(args []json.RawMessage, _ json.RawMessage) json.RawMessage {
			if len(args) == 0 {
				return nil
			}
			return args[0]
		}), nil
	case "args":
		return withArgs(func(_ []json.RawMessage, whole json.RawMessage) json.RawMessage { return whole }), nil
	case "argc":
		return withArgs(func(args []json.RawMessage, _ json.RawMessage) json.RawMessage {
			return json.RawMessage(strconv.Itoa(len(args)))
		}), nil
	case "value":
		return reply(json.RawMessage(Stringify(value)), nil), nil
	case "undefined":
		return reply(nil, nil), nil
	case "count":
		var mu sync.Mutex
		n := 0
		return func(context.Context, json.RawMessage) (json.RawMessage, error) {
			mu.Lock()
			defer mu.Unlock()
			n++
			return json.RawMessage(strconv.Itoa(n)), nil
		}, nil
	case "error":
		return reply(nil, errors.New(utf8Text(spec.Text("message")))), nil
	case "throwValue":
		return reply(nil, errors.New(utf8Text(stringForm(value)))), nil
	case "failure":
		details, _ := spec.Get("details")
		return refuse(details)
	case "bytes":
		char := spec.Text("char")
		if char == "" {
			char = "x"
		}
		text := Stringify(strings.Repeat(char, int(spec.Number("n"))))
		return reply(json.RawMessage(text), nil), nil
	case "bigint":
		return reply(nil, &contract.ReplyError{Reason: errors.New("a BigInt has no JSON form")}), nil
	case "cyclic":
		return reply(nil, &contract.ReplyError{Reason: errors.New("the value holds itself")}), nil
	case "never":
		return func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}, nil
	case "delay":
		next := reply(nil, nil)
		if hasValue {
			next = reply(json.RawMessage(Stringify(value)), nil)
		} else if then, ok := spec.Get("then"); ok {
			described, _ := then.(Object)
			var err error
			if next, err = Function(described); err != nil {
				return nil, err
			}
		}
		return delayed(time.Duration(spec.Number("ms")*float64(time.Millisecond)), next), nil
	case "sequence":
		return sequence(spec)
	default:
		return nil, fmt.Errorf("conform: unknown kind %q", kind)
	}
}

func withArgs(f func(args []json.RawMessage, whole json.RawMessage) json.RawMessage) contract.HostFunc {
	return func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
		var list []json.RawMessage
		if err := json.Unmarshal(args, &list); err != nil {
			return nil, fmt.Errorf("conform: the argument list is not a JSON array: %w", err)
		}
		return f(list, args), nil
	}
}

func reply(value json.RawMessage, err error) contract.HostFunc {
	return func(context.Context, json.RawMessage) (json.RawMessage, error) { return value, err }
}

func refuse(details Value) (contract.HostFunc, error) {
	text := []byte(Stringify(details))
	if err := json.Unmarshal(text, new(contract.Failure)); err != nil {
		return nil, err
	}
	return func(context.Context, json.RawMessage) (json.RawMessage, error) {
		failure := new(contract.Failure)
		if err := json.Unmarshal(text, failure); err != nil {
			return nil, err
		}
		return nil, failure
	}, nil
}

func delayed(d time.Duration, next contract.HostFunc) contract.HostFunc {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return next(ctx, args)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func sequence(spec Object) (contract.HostFunc, error) {
	v, _ := spec.Get("steps")
	list, _ := v.([]Value)
	var steps []contract.HostFunc
	for _, item := range list {
		o, _ := item.(Object)
		f, err := Function(o)
		if err != nil {
			return nil, err
		}
		steps = append(steps, f)
	}
	if len(steps) == 0 {
		return nil, errors.New("conform: a sequence without steps")
	}
	var mu sync.Mutex
	n := 0
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		mu.Lock()
		step := steps[min(n, len(steps)-1)]
		n++
		mu.Unlock()
		return step(ctx, args)
	}, nil
}

// stringForm is String(v) in JavaScript.
func stringForm(v Value) string {
	switch v := v.(type) {
	case string:
		return v
	case []Value:
		parts := make([]string, len(v))
		for i, item := range v {
			if item != nil {
				parts[i] = stringForm(item)
			}
		}
		return strings.Join(parts, ",")
	case Object:
		return "[object Object]"
	case Undefined:
		return "undefined"
	}
	return Stringify(v)
}

// utf8Text replaces half pairs by U+FFFD, for places where Go holds the text.
func utf8Text(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if _, ok := halfPair(s[i:]); ok {
			b.WriteString("\ufffd")
			i += 3
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}
