package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"modernc.org/quickjs"
)

// Resident memory of a sandbox that has run a program and waits for the next.
// One operation makes a hundred of them; B/sandbox is what the process grew by.
func BenchmarkIdle(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("resident memory is read from /proc/self/statm, which only Linux has")
	}
	const n = 100
	for _, state := range []struct{ name, source string }{
		{"trivial", "1 + 2"},
		{"large", "Array.from({length: 20000}, (_, i) => ({ i })).length"},
	} {
		b.Run(fmt.Sprintf("engine=guestjs/sandboxes=%d/after=%s", n, state.name), func(b *testing.B) {
			idle(b, n, func() (func() error, error) {
				s, err := bridge.NewSandbox(bridge.Options{})
				if err != nil {
					return nil, err
				}
				out, err := s.Run(context.Background(), contract.Program{Source: state.source, Limits: contract.Limits{CPU: contract.Unlimited}})
				if err == nil {
					err = out.Err
				}
				if err == nil && state.name == "large" {
					err = s.Trim()
				}
				return s.Close, err
			})
		})
		b.Run(fmt.Sprintf("engine=modernc/sandboxes=%d/after=%s", n, state.name), func(b *testing.B) {
			idle(b, n, func() (func() error, error) {
				vm, err := quickjs.NewVM()
				if err != nil {
					return nil, err
				}
				_, err = vm.Eval(state.source, quickjs.EvalGlobal)
				return vm.Close, err
			})
		})
	}
}

// idle makes n places, looks at how much the process grew, and closes them.
func idle(b *testing.B, n int, open func() (shut func() error, err error)) {
	shuts := make([]func() error, 0, n)
	grown := 0.0
	for b.Loop() {
		before := resident(b)
		for range n {
			shut, err := open()
			if err != nil {
				b.Fatal(err)
			}
			shuts = append(shuts, shut)
		}
		grown += resident(b) - before
		for _, shut := range shuts {
			if err := shut(); err != nil {
				b.Fatal(err)
			}
		}
		shuts = shuts[:0]
	}
	b.ReportMetric(grown/float64(b.N*n), "B/sandbox")
}

// resident is the process's resident memory in bytes, without what Go's heap
// has let go of.
func resident(b *testing.B) float64 {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Fatal(err)
	}
	fields := bytes.Fields(text)
	pages, err := strconv.ParseFloat(string(fields[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return pages * float64(os.Getpagesize())
}
