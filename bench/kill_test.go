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
	for _, p := range []struct {
		name, source string
		cause        contract.Interrupt
	}{
		{"loop", "for (;;);", contract.InterruptCPU},
		{"catch", "for (;;) try { for (;;); } catch {}", contract.InterruptCPU},
		{"builtin", "new Array(1e9).includes(5)", contract.InterruptCPU},
		{"regex", `/^(a+)+$/.test("a".repeat(60) + "b")`, contract.InterruptCPU},
		{"jobs", "(async () => { for (;;) await null; })()", contract.InterruptCPU},
		{"memory", `let s = []; for (;;) s.push("x".repeat(1e6) + s.length)`, contract.InterruptMemory},
	} {
		b.Run("engine=guestjs/program="+p.name, func(b *testing.B) {
			s, err := bridge.NewSandbox(bridge.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			limits := contract.Limits{CPU: budget}
			if p.cause == contract.InterruptMemory {
				limits = contract.Limits{CPU: 10 * time.Second}
			}
			var late, most time.Duration
			b.ReportAllocs()
			for b.Loop() {
				out, err := s.Run(context.Background(), contract.Program{Source: p.source, Limits: limits})
				if err != nil || !errors.Is(out.Err, p.cause) {
					b.Fatalf("the run ended with %v, %v; want %v", out.Err, err, p.cause)
				}
				late += out.Usage.Overshoot
				most = max(most, out.Usage.Overshoot)
				if out, err = s.Run(context.Background(), contract.Program{Source: "1 + 2"}); err != nil || string(out.Value) != "3" {
					b.Fatalf("the program after it gave %s, %v, %v", out.Value, out.Err, err)
				}
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
