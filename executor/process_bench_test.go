//go:build linux

package executor_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
// an executor of this process, the one option apart: at most five times as long.
// Batches of the two take turns, so that a machine that is busy with other things
// is busy for both; times-in-process is the ratio of their medians.
func BenchmarkProcessRun(b *testing.B) {
	const batch = 200
	p := contract.Program{Source: "1 + 1"}
	var took [2][]time.Duration
	var on [2]*executor.Executor
	for i, isolation := range []executor.Isolation{executor.InProcess, executor.Process} {
		e, err := executor.New(executor.Options{Isolation: isolation, Concurrency: 1})
		require.NoError(b, err)
		defer func() { require.NoError(b, e.Close(context.Background())) }()
		on[i] = e
		out, err := e.Execute(b.Context(), p)
		require.NoError(b, err)
		require.NoError(b, out.Err)
		require.Equal(b, "2", string(out.Value))
	}
	for b.Loop() {
		for i, e := range on {
			start := time.Now()
			for range batch {
				if _, err := e.Execute(context.Background(), p); err != nil {
					b.Fatal(err)
				}
			}
			took[i] = append(took[i], time.Since(start)/batch)
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	inProcess, child := took[0][len(took[0])/2], took[1][len(took[1])/2]
	b.ReportMetric(float64(inProcess), "ns/run-in-process")
	b.ReportMetric(float64(child), "ns/run-in-child")
	b.ReportMetric(float64(child)/float64(inProcess), "times-in-process")
	b.ReportMetric(0, "ns/op") // of two batches: it says nothing
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

// BenchmarkProcessCall is an awaited host call of a program in a child, one of a
// hundred.
func BenchmarkProcessCall(b *testing.B) {
	const calls = 100
	e, err := executor.New(executor.Options{Isolation: executor.Process, Concurrency: 1})
	require.NoError(b, err)
	defer func() { require.NoError(b, e.Close(context.Background())) }()
	p := contract.Program{
		Source:    fmt.Sprintf("let n = 0; for (let i = 0; i < %d; i++) n += await host.one(); return n", calls),
		Providers: []contract.Provider{{Name: "host", Functions: map[string]contract.HostFunc{"one": contract.Func0(func(context.Context) (int, error) { return 1, nil })}}},
	}
	out, err := e.Execute(b.Context(), p)
	require.NoError(b, err)
	require.NoError(b, out.Err)
	require.Equal(b, fmt.Sprint(calls), string(out.Value))
	for b.Loop() {
		if _, err := e.Execute(context.Background(), p); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}
