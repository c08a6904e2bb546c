//go:build linux

package executor_test

import (
	"context"
	"testing"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// BenchmarkProcessPipe is what the pipe costs: the child's runner does nothing.
func BenchmarkProcessPipe(b *testing.B) {
	s := executor.NewProcessSlots(executor.ProcessOptions{})
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
