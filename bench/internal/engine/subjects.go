package engine

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/guestjs/guestjs/bench"
)

// Runs measures a fresh, isolated run: of a program that does nothing, of one
// like it that was never seen before, so that nothing kept of an earlier run
// helps, and of the fifty-line program with three host calls.
func Runs(b *testing.B, engines ...Engine) {
	for _, e := range engines {
		RunsOf(b, "engine="+e.Name(), e.Isolated)
	}
}

// RunsOf is Runs for sessions that open opens, under the name so far.
func RunsOf(b *testing.B, name string, open func() (Session, error)) {
	b.Run(name+"/program=trivial", func(b *testing.B) {
		Measure(b, bench.Load("trivial"), closing(b, open).Eval)
	})
	b.Run(name+"/program=unseen", func(b *testing.B) {
		s, n := closing(b, open), 0
		Measure(b, bench.Load("trivial"), func(source string) (json.RawMessage, error) {
			n++
			return s.Eval(source + " // " + strconv.Itoa(n))
		})
	})
	b.Run(name+"/program=calls", func(b *testing.B) {
		Measure(b, bench.Load("calls"), closing(b, open).Await)
	})
}

// Measure measures run on a program, after it has given the right answer.
func Measure(b *testing.B, p bench.Program, run func(source string) (json.RawMessage, error)) {
	b.Helper()
	if err := answer(p, run); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := run(p.Source); err != nil {
			b.Fatal(err)
		}
	}
}

// Calls measures awaited host calls, so many in flight at once. One operation
// is a run of bench.AwaitedCalls calls; ns/call is the time of one.
func Calls(b *testing.B, engines ...Engine) {
	for _, e := range engines {
		for _, kind := range []string{"async", "immediate"} {
			for _, inflight := range []int{1, 20, 200} {
				name := fmt.Sprintf("engine=%s/kind=%s/inflight=%d", e.Name(), kind, inflight)
				b.Run(name, func(b *testing.B) {
					Measure(b, bench.Await(inflight, kind == "immediate"), open(b, e).Await)
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*bench.AwaitedCalls), "ns/call")
				})
			}
		}
	}
}

// JSON measures a value on its way out as JSON text and a text on its way in as
// a value.
func JSON(b *testing.B, sizes []bench.Size, engines ...Engine) {
	for _, e := range engines {
		for _, size := range sizes {
			b.Run(fmt.Sprintf("engine=%s/dir=out/size=%s", e.Name(), size.Name), func(b *testing.B) {
				out := bench.Out(size.Rows)
				b.SetBytes(int64(len(out.Want)))
				Measure(b, out, open(b, e).Eval)
			})
			b.Run(fmt.Sprintf("engine=%s/dir=in/size=%s", e.Name(), size.Name), func(b *testing.B) {
				text, s := bench.Rows(size.Rows), open(b, e)
				b.SetBytes(int64(len(text)))
				Measure(b, bench.In(size.Rows), func(source string) (json.RawMessage, error) { return s.Parse(text, source) })
			})
		}
	}
}

// Compute measures the programs that only compute.
func Compute(b *testing.B, engines ...Engine) {
	for _, e := range engines {
		for _, name := range bench.Compute {
			b.Run(fmt.Sprintf("engine=%s/program=%s", e.Name(), name), func(b *testing.B) {
				Measure(b, bench.Load(name), open(b, e).Eval)
			})
		}
	}
}

// Throws measures a program that throws, up to the described error.
func Throws(b *testing.B, engines ...Engine) {
	p := bench.Load("throw")
	var want string
	if err := json.Unmarshal(p.Want, &want); err != nil {
		b.Fatal(err)
	}
	for _, e := range engines {
		b.Run("engine="+e.Name(), func(b *testing.B) {
			s := open(b, e)
			fails := func() {
				_, err := s.Eval(p.Source)
				if err := throws(err, want); err != nil {
					b.Fatal(err)
				}
			}
			fails()
			b.ReportAllocs()
			for b.Loop() {
				fails()
			}
		})
	}
}

// open opens an engine's session for many programs.
func open(b *testing.B, e Engine) Session {
	b.Helper()
	return closing(b, e.Open)
}

// closing opens a session that is closed with the benchmark.
func closing(b *testing.B, open func() (Session, error)) Session {
	b.Helper()
	s, err := open()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}
