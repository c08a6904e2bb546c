package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/fault"
)

// The wall deadline passes in each instant of a run that a test's own clock can
// stop at: in a host function, and in each operation of the engine. A program
// that threw has timed out then; a value that was complete is one.
func TestDeadlineInEveryInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wall = time.Second
		box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
		p := providers()
		p[0].Immediate["until"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
			time.Sleep(wall) // the watchdog comes a moment later
			return nil, nil
		}
		for source, value := range map[string]string{
			"const p = t.hang(); t.until(); await p":         "",
			"t.until(); throw new Error('x')":                "",
			"await null; throw new Error('x')":               "",
			"Promise.reject(new Error('y')); throw 'x'":      "",
			"Promise.reject(new Error('y')); return [1, {}]": "[1,{}]",
		} {
			program := contract.Program{Source: source, Providers: p, Limits: contract.Limits{Wall: wall, CPU: contract.Unlimited}}
			for n, passed := 1, true; passed; n++ {
				operation := 0
				passed = false
				restore := fault.Set(func(point string) error {
					if point != fault.Engine {
						return nil
					}
					if operation++; operation == n {
						passed = true
						time.Sleep(wall)
					}
					return nil
				})
				out, err := box.Run(t.Context(), program)
				restore()
				require.NoError(t, err)
				switch {
				case out.Interrupt == contract.InterruptWall:
					require.Nil(t, out.Value)
				case value != "":
					require.NoError(t, out.Err)
					require.Equal(t, value, string(out.Value))
				default:
					require.False(t, passed, "%s: operation %d: %v", source, n, out.Err)
				}
			}
		}
	})
}

// closing is a context that closes a sandbox when it is first asked whether it has
// ended, and has not.
type closing struct {
	context.Context
	box  *bridge.Sandbox
	done chan error
}

func (c *closing) Err() error {
	if c.done == nil {
		c.done = make(chan error, 1)
		go func() { c.done <- c.box.Close() }()
		for { // until it says so
			if _, err := c.box.Run(context.Background(), contract.Program{}); errors.Is(err, contract.ErrClosed) {
				break
			}
			runtime.Gosched()
		}
	}
	return c.Context.Err()
}

// Close comes when a run was let in and has not begun.
func TestCloseBeforeTheBeginning(t *testing.T) {
	for name, try := range map[string]func(ctx context.Context, box *bridge.Sandbox, p contract.Program) error{
		"run": func(ctx context.Context, box *bridge.Sandbox, p contract.Program) error {
			out, err := box.Run(ctx, p)
			require.ErrorIs(t, out.Err, contract.InterruptClosed)
			require.Nil(t, out.Value)
			return err
		},
		"check": func(ctx context.Context, box *bridge.Sandbox, p contract.Program) error {
			return box.Check(ctx, p)
		},
	} {
		t.Run(name, func(t *testing.T) {
			box, err := bridge.NewSandbox(bridge.Options{})
			require.NoError(t, err)
			ctx := &closing{Context: t.Context(), box: box}
			err = try(ctx, box, contract.Program{Source: "console.log('ran')", OnLog: func(string) { t.Error("it ran") }})
			require.ErrorIs(t, err, contract.ErrClosed)
			var refused *contract.RefusedError
			require.ErrorAs(t, err, &refused)
			require.True(t, refused.Started)
			require.NoError(t, <-ctx.done)
		})
	}
}

// late is a context that has ended while those who want to be told do not know it
// yet.
type late struct {
	context.Context
	done chan struct{}
}

func (c *late) Done() <-chan struct{} { return c.done }

func (c *late) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// AfterFunc is what package context asks instead of waiting for Done.
func (c *late) AfterFunc(func()) (stop func() bool) { return func() bool { return true } }

// A run looks by itself whether it was cancelled, before anything comes of it.
func TestCancelledAndNotToldYet(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, source := range []string{
		"t.cancel(); await t.hang()",
		"t.cancel(); await t.echo(1); t.effect()",
		"const p = t.echo(1); await t.now(1); t.cancel(); await p; t.effect()",
	} {
		ctx := &late{Context: t.Context(), done: make(chan struct{})}
		p := providers()
		p[0].Immediate["cancel"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
			close(ctx.done)
			return nil, nil
		}
		p[0].Immediate["effect"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
			t.Error("the program went on")
			return nil, nil
		}
		out, err := box.Run(ctx, contract.Program{Source: source, Providers: p})
		require.ErrorIs(t, err, context.Canceled, source)
		require.ErrorIs(t, out.Err, contract.InterruptCanceled)
	}
}
