package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// inClass reports whether an outcome's error is of a class of programs.jsonl.
// Their names are placeholders; these are the types they stand for.
func inClass(class string, out contract.Outcome, host *Host) (bool, error) {
	guest := guestError(out.Err)
	switch class {
	case "timeout":
		return errors.Is(out.Err, contract.InterruptCPU) || errors.Is(out.Err, contract.InterruptWall), nil
	case "memory":
		return errors.Is(out.Err, contract.InterruptMemory), nil
	case "stack":
		return guest != nil && strings.Contains(strings.ToLower(guest.Error()), "stack"), nil
	case "guest":
		return guest != nil, nil
	case "syntax":
		return guest != nil && guest.Name == "SyntaxError", nil
	case "shape":
		var value *contract.ResultError
		return guest != nil || errors.As(out.Err, &value), nil
	case "host":
		return host != nil && host.is(out.Err), nil
	case "stalled":
		return errors.Is(out.Err, contract.ErrStalled), nil
	case "result", "conversion":
		var value *contract.ResultError
		return errors.As(out.Err, &value), nil
	case "detached":
		return false, nil // the product cancels a call that nobody awaits
	}
	return false, fmt.Errorf("unknown class %q", class)
}

func guestError(err error) *contract.GuestError {
	var guest *contract.GuestError
	if errors.As(err, &guest) {
		return guest
	}
	return nil
}

// Host makes the host functions of a case, and sees what happens to them.
type Host struct {
	sentinels []error
	running   sync.WaitGroup
	cancelled atomic.Bool
}

// Cancelled reports whether the context of one of the functions ended while it
// ran. Call it after the run; it waits until the functions have returned, and
// five seconds at most.
func (h *Host) Cancelled() bool {
	returned := make(chan struct{})
	go func() {
		h.running.Wait()
		close(returned)
	}()
	select {
	case <-returned:
	case <-time.After(5 * time.Second):
	}
	return h.cancelled.Load()
}

func (h *Host) is(err error) bool {
	for _, sentinel := range h.sentinels {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

// function makes a host function of its description in programs.jsonl.
func (h *Host) function(spec Object) (contract.HostFunc, error) {
	f := reply(nil, nil)
	var wait time.Duration
	waitArg := -1
	for _, m := range spec {
		n, _ := m.Value.(float64)
		switch m.Key {
		case "returns":
			f = reply(json.RawMessage(Stringify(m.Value)), nil)
		case "returnsRawJSON":
			text, _ := m.Value.(string)
			f = reply(json.RawMessage(text), nil)
		case "echoArg":
			f = withArgs(func(args []json.RawMessage, _ json.RawMessage) json.RawMessage {
				if int(n) < len(args) {
					return args[int(n)]
				}
				return nil
			})
		case "throws":
			thrown, _ := m.Value.(Object)
			sentinel := errors.New(thrown.Text("goSentinel"))
			h.sentinels = append(h.sentinels, sentinel)
			f = reply(nil, &sentinelError{thrown.Text("message"), sentinel})
		case "never":
			f = func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
		case "delayMs":
			wait = ms(n)
		case "delayArgMs":
			waitArg = int(n)
		default:
			return nil, fmt.Errorf("unknown behaviour %q", m.Key)
		}
	}
	return h.watched(f, wait, waitArg), nil
}

// watched waits, then runs f, and notes when the run ends meanwhile.
func (h *Host) watched(f contract.HostFunc, wait time.Duration, waitArg int) contract.HostFunc {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		h.running.Add(1)
		defer h.running.Done()
		pause := wait
		if waitArg >= 0 {
			var list []float64
			if err := json.Unmarshal(args, &list); err != nil || waitArg >= len(list) {
				return nil, fmt.Errorf("argument %d is not a number of milliseconds", waitArg)
			}
			pause = ms(list[waitArg])
		}
		next := f
		if pause > 0 {
			next = delayed(pause, f)
		}
		value, err := next(ctx, args)
		if ctx.Err() != nil {
			h.cancelled.Store(true)
		}
		return value, err
	}
}

type sentinelError struct {
	text     string
	sentinel error
}

func (e *sentinelError) Error() string { return e.text }
func (e *sentinelError) Unwrap() error { return e.sentinel }
