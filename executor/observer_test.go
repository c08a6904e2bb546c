package executor_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// notebook writes down what an observer is told.
type notebook struct {
	mu    sync.Mutex
	lines []string
}

func (n *notebook) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

func (n *notebook) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	lines := n.lines
	n.lines = nil
	return lines
}

type span struct{}

func (n *notebook) observer() executor.Observer {
	return executor.Observer{
		RunStart: func(ctx context.Context, p contract.Program) context.Context {
			n.note("start %s", p.Name)
			return context.WithValue(ctx, span{}, p.Name)
		},
		HostCall: func(ctx context.Context, c contract.Call) {
			n.note("call %s %d %s in %v", c.Name, c.Number, c.State, ctx.Value(span{}))
		},
		RunEnd: func(ctx context.Context, out contract.Outcome, err error) {
			n.note("end %s %v %v in %v", out.Value, out.Err, err, ctx.Value(span{}))
		},
	}
}

func TestObserver(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		notes := &notebook{}
		o.Concurrency, o.Observer = 1, notes.observer()
		e := newExecutor(t, o)
		tools := contract.Provider{Name: "host", Functions: map[string]contract.HostFunc{
			"ok": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				notes.note("inside %v", ctx.Value(span{}))
				return json.RawMessage("1"), nil
			},
			"no": func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errors.New("no") },
			"never": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
			"panic": func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("the host's own panic") },
		}}
		program := func(name, source string) contract.Program {
			return contract.Program{Name: name, Source: source, Providers: []contract.Provider{tools}}
		}

		p := program("good", "await host.ok(); try { await host.no() } catch {}; host.never(); return 2")
		var heard []string
		p.OnCall = func(c contract.Call) { heard = append(heard, c.Name) }
		_, err := e.Execute(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, []string{
			"start good", "inside good", "call host.ok 1 completed in good", "call host.no 2 failed in good",
			"call host.never 3 in_flight in good", "end 2 <nil> <nil> in good",
		}, notes.take())
		require.Equal(t, []string{"host.ok", "host.no", "host.never"}, heard, "the program's own listener hears the same")

		_, err = e.Execute(t.Context(), program("bad", "throw new TypeError('oh')"))
		require.NoError(t, err)
		require.Equal(t, []string{"start bad", "end  TypeError: oh <nil> in bad"}, notes.take())

		require.PanicsWithValue(t, "the host's own panic", func() {
			_, _ = e.Execute(t.Context(), program("wild", "await host.panic()"))
		})
		lines := notes.take()
		require.Equal(t, "start wild", lines[0])
		require.Equal(t, "end  <nil> executor: a host function panicked in wild", lines[len(lines)-1])

		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		_, err = e.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
		require.Error(t, err)
		require.Empty(t, notes.take(), "who was not let in did not start")
		l.Release()
	})
}

func TestObserverThatWantsNothing(t *testing.T) {
	e := newExecutor(t, executor.Options{Observer: executor.Observer{
		RunStart: func(context.Context, contract.Program) context.Context { return nil },
	}})
	require.Equal(t, "1", run(t, e, "1"))
}

// secret is in everything that a program, its caller or a host function writes.
const secret = "S3CRET"

func TestLoggerHasNoPayloads(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		log := &syncBuffer{}
		o.Concurrency, o.MaxQueueSize = 1, executor.NoQueue
		o.Logger = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		e := newExecutor(t, o)
		tools := contract.Provider{
			Name: "host", Prelude: "const a = '" + secret + "'",
			Functions: map[string]contract.HostFunc{
				"echo": func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil },
				"no":   func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errors.New(secret) },
				"deny": func(context.Context, json.RawMessage) (json.RawMessage, error) {
					return nil, &contract.Failure{Code: secret, Message: secret, Details: map[string]any{secret: secret}}
				},
				"panic": func(context.Context, json.RawMessage) (json.RawMessage, error) { panic(secret) },
				"never": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
					<-ctx.Done()
					return nil, errors.New(secret)
				},
			},
		}
		for _, source := range []string{
			"console.log(secret); return await host.echo(secret, given)",
			"throw new Error(secret)",
			"await host.no(secret)",
			"await host.deny(secret)",
			"console.log(secret); host.echo(secret); for (;;);",
			"console.log(secret); host.never(secret); const a = [secret]; for (;;) a.push(new Array(1000).fill(1.5))",
			"console.log(secret); await host.never(secret)",
			"Promise.reject(new Error(secret)); return () => secret",
			"await new Promise(() => secret)",
			"const f = () => f(secret) + 1; return f()",
			"secret secret",
			"host.panic(secret); await host.never()",
		} {
			limits := contract.Limits{Wall: time.Minute, CPU: 20 * time.Second, Memory: 4 << 20}
			switch {
			case strings.HasSuffix(source, "await host.never(secret)"):
				limits.Wall = 100 * time.Millisecond
			case strings.HasSuffix(source, "for (;;);"):
				limits.CPU = 20 * time.Millisecond
			}
			func() {
				defer func() { _ = recover() }()
				_, _ = e.Execute(t.Context(), contract.Program{
					Source: "// " + secret + "\nconst secret = '" + secret + "';" + source, Name: secret,
					Globals: map[string]json.RawMessage{"given": json.RawMessage(`"` + secret + `"`)},
					Limits:  limits, Providers: []contract.Provider{tools},
				})
			}()
		}
		_, err := e.Execute(t.Context(), contract.Program{Source: "1", Globals: map[string]json.RawMessage{"a": json.RawMessage(secret)}})
		require.ErrorIs(t, err, contract.ErrInvalid)
		l, err := e.Acquire(t.Context(), contract.AcquireOptions{})
		require.NoError(t, err)
		_, err = e.Execute(t.Context(), contract.Program{Source: secret})
		require.ErrorIs(t, err, contract.ErrOverloaded)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New(secret))
		_, err = e.Execute(ctx, contract.Program{Source: secret})
		require.Error(t, err)
		l.Release()

		text := log.String()
		require.NotContains(t, text, secret)
		for _, wanted := range []string{`"run ended"`, `"interrupt":"cpu"`, `"interrupt":"memory"`, `"interrupt":"wall"`, `"run refused"`, `executor_overloaded`} {
			require.Contains(t, text, wanted)
		}
		for line := range bytes.Lines([]byte(text)) {
			require.True(t, json.Valid(line), "%s", line)
		}
	})
}

func TestLoggerIsQuietAtInfoWhenAllIsWell(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		log := &syncBuffer{}
		o.Logger = slog.New(slog.NewTextHandler(log, nil))
		o.SkipHardening = nil
		e := newExecutor(t, o)
		run(t, e, "1")
		for _, line := range bytes.Split([]byte(log.String()), []byte("\n")) {
			require.NotContains(t, string(line), "level=INFO")
		}
	})
}

// syncBuffer is a buffer that several goroutines may write to.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
