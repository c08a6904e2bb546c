package engine

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/guestjs/guestjs/bench"
)

// Runs measures a fresh run of a program that does nothing, and of the
// fifty-line program with three host calls.
func Runs(b *testing.B, engines ...Engine) {
	for _, e := range engines {
		Run(b, "engine="+e.Name()+"/program=trivial", bench.Load("trivial"), e.Fresh)
		Run(b, "engine="+e.Name()+"/program=calls", bench.Load("calls"), e.FreshAwait)
	}
}

// Run measures one way to run one program, after it has given the right answer.
func Run(b *testing.B, name string, p bench.Program, run func(source string) (json.RawMessage, error)) {
	b.Run(name, func(b *testing.B) {
		check(b, p, run)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := run(p.Source); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Calls measures awaited host calls, so many in flight at once. One operation
// is a run of bench.AwaitedCalls calls; ns/call is the time of one.
func Calls(b *testing.B, engines ...Engine) {
	for _, e := range engines {
		for _, kind := range []string{"async", "immediate"} {
			for _, inflight := range []int{1, 20, 200} {
				name := fmt.Sprintf("engine=%s/kind=%s/inflight=%d", e.Name(), kind, inflight)
				b.Run(name, func(b *testing.B) {
					p := bench.Await(inflight, kind == "immediate")
					s := open(b, e)
					check(b, p, s.Await)
					b.ReportAllocs()
					for b.Loop() {
						if _, err := s.Await(p.Source); err != nil {
							b.Fatal(err)
						}
					}
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
			out := bench.Out(size.Rows)
			b.Run(fmt.Sprintf("engine=%s/dir=out/size=%s", e.Name(), size.Name), func(b *testing.B) {
				s := open(b, e)
				check(b, out, s.Eval)
				b.SetBytes(int64(len(out.Want)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Eval(out.Source); err != nil {
						b.Fatal(err)
					}
				}
			})
			in, text := bench.In(size.Rows), bench.Rows(size.Rows)
			b.Run(fmt.Sprintf("engine=%s/dir=in/size=%s", e.Name(), size.Name), func(b *testing.B) {
				s := open(b, e)
				parse := func(source string) (json.RawMessage, error) { return s.Parse(text, source) }
				check(b, in, parse)
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := parse(in.Source); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// Compute measures the programs that only compute.
func Compute(b *testing.B, engines ...Engine) {
	for _, e := range engines {
		for _, name := range bench.Compute {
			p := bench.Load(name)
			b.Run(fmt.Sprintf("engine=%s/program=%s", e.Name(), name), func(b *testing.B) {
				s := open(b, e)
				check(b, p, s.Eval)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.Eval(p.Source); err != nil {
						b.Fatal(err)
					}
				}
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

// open opens a session that is closed with the benchmark.
func open(b *testing.B, e Engine) Session {
	b.Helper()
	s, err := e.Open()
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

// check runs a program once and compares its answer.
func check(b *testing.B, p bench.Program, run func(string) (json.RawMessage, error)) {
	b.Helper()
	if err := answer(p, run); err != nil {
		b.Fatal(err)
	}
}
