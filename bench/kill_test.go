package bench_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"modernc.org/quickjs"
)

// How long after its budget a program ends that will not end by itself, and
// what the sandbox needs before the next one. One operation is such a program,
// with 5 ms of its own, and 1 + 2 after it; late-ns/op is the time past the
// budget, most-late-ns the worst of them.
func BenchmarkKill(b *testing.B) {
	const budget = 5 * time.Millisecond
	for _, p := range []struct{ name, source string }{
		{"loop", "for (;;);"},
		{"catch", "for (;;) try { for (;;); } catch {}"},
		{"builtin", "new Array(1e9).includes(5)"},
		{"regex", `/^(a+)+$/.test("a".repeat(60) + "b")`},
		{"jobs", "(async () => { for (;;) await null; })()"},
	} {
		b.Run("engine=guestjs/program="+p.name, func(b *testing.B) {
			s, err := bridge.NewSandbox(bridge.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			var late, most time.Duration
			b.ReportAllocs()
			for b.Loop() {
				over := stopped(b, s, contract.Program{Source: p.source, Limits: contract.Limits{CPU: budget}}, contract.InterruptCPU)
				late, most = late+over, max(most, over)
			}
			b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "late-ns/op")
			b.ReportMetric(float64(most.Nanoseconds()), "most-late-ns")
		})
	}
	// The engine's own way to stop, which a builtin does not hear.
	b.Run("engine=modernc/program=loop", func(b *testing.B) {
		var late, most time.Duration
		b.ReportAllocs()
		for b.Loop() {
			vm, err := quickjs.NewVM()
			if err != nil {
				b.Fatal(err)
			}
			if err := vm.SetEvalTimeout(budget); err != nil {
				b.Fatal(err)
			}
			start := time.Now()
			if _, err := vm.Eval("for (;;);", quickjs.EvalGlobal); err == nil {
				b.Fatal("the loop ended")
			}
			past := time.Since(start) - budget
			late, most = late+past, max(most, past)
			if err := vm.Close(); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(late.Nanoseconds())/float64(b.N), "late-ns/op")
		b.ReportMetric(float64(most.Nanoseconds()), "most-late-ns")
	})
}

// A program that fills its memory, and 1 + 2 after it.
func BenchmarkFull(b *testing.B) {
	b.Run("engine=guestjs", func(b *testing.B) {
		s, err := bridge.NewSandbox(bridge.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		b.ReportAllocs()
		for b.Loop() {
			stopped(b, s, contract.Program{
				Source: `const s = []; for (;;) s.push("x".repeat(1e6) + s.length)`,
				Limits: contract.Limits{CPU: 10 * time.Second},
			}, contract.InterruptMemory)
		}
	})
}

// stopped runs a program that a limit has to end, then one that must not
// notice, and returns how late the first one ended.
func stopped(b *testing.B, s *bridge.Sandbox, p contract.Program, cause contract.Interrupt) time.Duration {
	b.Helper()
	out, err := s.Run(context.Background(), p)
	if err != nil || !errors.Is(out.Err, cause) {
		b.Fatalf("the run ended with %v, %v; want %v", out.Err, err, cause)
	}
	over := out.Usage.Overshoot
	if out, err = s.Run(context.Background(), contract.Program{Source: "1 + 2"}); err != nil || string(out.Value) != "3" {
		b.Fatalf("the program after it gave %s, %v, %v", out.Value, out.Err, err)
	}
	return over
}
