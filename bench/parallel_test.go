package bench_test

import (
	"fmt"
	"testing"

	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bench/internal/engine"
)

// Busy sandboxes beside each other: a run of fib is one operation, whichever
// sandbox it is in. Two sandboxes want two processors.
func BenchmarkParallel(b *testing.B) {
	p := bench.Load("fib")
	for _, e := range engine.All() {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprintf("engine=%s/sandboxes=%d", e.Name(), n), func(b *testing.B) {
				sessions := make([]engine.Session, n)
				for i := range sessions {
					s, err := e.Open()
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					out, err := s.Eval(p.Source)
					if err != nil {
						b.Fatal(err)
					}
					if err := p.Check(out); err != nil {
						b.Fatal(err)
					}
					sessions[i] = s
				}
				b.ReportAllocs()
				share(b, n, func(i int) error {
					_, err := sessions[i].Eval(p.Source)
					return err
				})
			})
		}
	}
}
