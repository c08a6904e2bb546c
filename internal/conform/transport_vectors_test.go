package conform_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/internal/conform"
)

// answerTransport runs a program in a child process of its own and counts the
// messages that came from there.
func answerTransport(t *testing.T, v conform.Vector) (conform.Value, error) {
	program, err := conform.Program(v.Input)
	if err != nil {
		return nil, err
	}
	counted := &messages{}
	e, err := executor.New(executor.Options{
		Isolation: executor.Process, Concurrency: 1, Limits: program.Limits, Logger: slog.New(counted),
	})
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, e.Close(context.Background())) }()
	out, err := e.Execute(t.Context(), program)
	var refused *contract.RefusedError
	if errors.As(err, &refused) && !refused.Started {
		return conform.Object{{Key: "refused", Value: refused.Message}}, nil
	}
	if err != nil {
		return nil, err
	}
	result, err := conform.Result(out)
	if err != nil {
		return nil, err
	}
	chunks, logs, ok := counted.result()
	if !ok {
		return nil, errors.New("the executor did not log how many messages it received")
	}
	return append(result.(conform.Object), conform.Member{Key: "messages", Value: conform.Object{
		{Key: "resultChunks", Value: float64(chunks)}, {Key: "logs", Value: float64(logs)},
	}}), nil
}

// messages is a log handler that takes the counts out of the executor's record
// of a run.
type messages struct {
	mu           sync.Mutex
	chunks, logs int64
	seen         bool
}

func (m *messages) Enabled(context.Context, slog.Level) bool { return true }
func (m *messages) WithAttrs([]slog.Attr) slog.Handler       { return m }
func (m *messages) WithGroup(string) slog.Handler            { return m }

func (m *messages) Handle(_ context.Context, r slog.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		switch {
		case r.Message != "child answered":
		case a.Key == "chunks":
			m.chunks, m.seen = a.Value.Int64(), true
		case a.Key == "logs" && a.Value.Kind() == slog.KindInt64:
			m.logs = a.Value.Int64()
		}
		return true
	})
	return nil
}

func (m *messages) result() (chunks, logs int64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.chunks, m.logs, m.seen
}

// TestVectorsInProcesses runs the categories whose input is a program once more,
// each program in a child process.
func TestVectorsInProcesses(t *testing.T) {
	vectors, err := conform.Vectors(directory("GUESTJS_VECTORS", "testdata/vectors"))
	require.NoError(t, err)
	judge := newJudge(t)
	children := &children{bySize: map[sizes]*executor.Executor{}}
	defer children.close(t)
	run := func(t *testing.T, v conform.Vector) (conform.Value, error) {
		program, err := conform.Program(v.Input)
		if err != nil {
			return nil, err
		}
		e, err := children.of(program.Limits)
		if err != nil {
			return nil, err
		}
		out, err := e.Execute(t.Context(), program)
		for tries := 1; starved(out) && tries < 5; tries++ {
			out, err = e.Execute(t.Context(), program)
		}
		if err != nil {
			return nil, err
		}
		return conform.Result(out)
	}
	for _, category := range []string{"program", "bridge", "failures", "errors", "lines", "limits", "logs"} {
		runCategory(t, judge, category, category+" (process)", vectors[category], run)
	}
}

// starved reports whether a child had no processor for the whole grace after its
// wall budget, so that the parent ended it (SPEC section 13.3). On a machine that
// busy the vector says nothing about the child.
func starved(out contract.Outcome) bool {
	var ended *executor.ProcessError
	return out.TimedOut() && errors.As(out.Err, &ended)
}

// children keeps an executor for each pair of sizes.
type children struct {
	mu     sync.Mutex
	bySize map[sizes]*executor.Executor
}

func (c *children) of(l contract.Limits) (*executor.Executor, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := sizes{l.Memory, l.Stack}
	if e := c.bySize[size]; e != nil {
		return e, nil
	}
	e, err := executor.New(executor.Options{
		Isolation: executor.Process,
		Limits:    contract.Limits{Memory: l.Memory, Stack: l.Stack},
		// Every parallel subtest may wait here at once.
		MaxQueueSize: 1000, QueueTimeout: l.Wall,
	})
	if err != nil {
		return nil, fmt.Errorf("an executor: %w", err)
	}
	c.bySize[size] = e
	return e, nil
}

func (c *children) close(t *testing.T) {
	for _, e := range c.bySize {
		require.NoError(t, e.Close(context.Background()))
	}
}
