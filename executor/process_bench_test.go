//go:build linux

package executor_test

import (
	"context"
	"fmt"
	"github.com/guestjs/guestjs/bridge"
	"github.com/stretchr/testify/require"
	"sync"
	"testing"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// BenchmarkProcessPipe is what the pipe costs: the child's runner does nothing.
func BenchmarkProcessPipe(b *testing.B) {
	s := executor.NewProcessSlots(executor.ProcessOptions{Skip: []string{fakeEngine}})
	defer func() { _ = s.Close(context.Background()) }()
	for name, p := range map[string]contract.Program{
		"run=value": program("value 1"), "run=call": program("call tools.echo [1]", tools()),
	} {
		b.Run(name, func(b *testing.B) {
			if out, err := s.Run(context.Background(), p); err != nil || out.Err != nil {
				b.Fatal(out.Err, err)
			}
			b.ReportAllocs()
			for b.Loop() {
				_, _ = s.Run(context.Background(), p)
			}
		})
	}
}

// BenchmarkProcessRun compares a warm run through a child with the same run on
// a sandbox in this process: at most five times as long.
func BenchmarkProcessRun(b *testing.B) {
	p := contract.Program{Source: "1 + 1"}
	b.Run("in=process", func(b *testing.B) {
		s, err := bridge.NewSandbox(bridge.Options{})
		require.NoError(b, err)
		defer func() { _ = s.Close() }()
		benchmarkRun(b, s.Run, p)
	})
	b.Run("in=child", func(b *testing.B) {
		s := executor.NewProcessSlots(executor.ProcessOptions{})
		defer func() { _ = s.Close(context.Background()) }()
		benchmarkRun(b, s.Run, p)
	})
}

func benchmarkRun(b *testing.B, run func(context.Context, contract.Program) (contract.Outcome, error), p contract.Program) {
	out, err := run(b.Context(), p)
	require.NoError(b, err)
	require.NoError(b, out.Err)
	require.Equal(b, "2", string(out.Value))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkProcessStart is what a new child costs, from start to its first
// answer.
func BenchmarkProcessStart(b *testing.B) {
	for b.Loop() {
		s := executor.NewProcessSlots(executor.ProcessOptions{})
		out, err := s.Run(context.Background(), contract.Program{Source: "1"})
		require.NoError(b, err)
		require.NoError(b, out.Err)
		require.NoError(b, s.Close(context.Background()))
	}
}

// BenchmarkProcessSlots shows that children use the cores there are.
func BenchmarkProcessSlots(b *testing.B) {
	p := contract.Program{Source: "let n = 0; for (let i = 0; i < 200000; i++) n += i; return n", Limits: contract.Limits{CPU: 5e9}}
	for _, n := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("children=%d", n), func(b *testing.B) {
			s := executor.NewProcessSlots(executor.ProcessOptions{Slots: n})
			defer func() { _ = s.Close(context.Background()) }()
			todo := make(chan struct{})
			var wg sync.WaitGroup
			for range n {
				wg.Go(func() {
					for range todo {
						if out, err := s.Run(context.Background(), p); err != nil || out.Err != nil {
							b.Error(err, out.Err)
						}
					}
				})
			}
			for range n {
				todo <- struct{}{}
			}
			for b.Loop() {
				todo <- struct{}{}
			}
			close(todo)
			wg.Wait()
		})
	}
}
