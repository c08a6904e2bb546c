package bench_test

import (
	"testing"

	"github.com/guestjs/guestjs/quickjs"
)

// Rewinding alone: back to the image after nothing happened, and together with
// the program that made it necessary.
func BenchmarkRewind(b *testing.B) {
	for _, p := range []struct{ name, source string }{
		{"nothing", ""},
		{"trivial", "1 + 2"},
		{"1MB", "new Uint8Array(1 << 20).length"},
	} {
		b.Run("engine=guestjs/after="+p.name, func(b *testing.B) {
			rt, err := quickjs.NewRuntime(quickjs.Limits{})
			if err != nil {
				b.Fatal(err)
			}
			defer rt.Close()
			qc, err := rt.NewContext(quickjs.ContextOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if err := rt.Checkpoint(); err != nil {
				b.Fatal(err)
			}
			once := func() {
				if p.source != "" {
					if _, err := qc.Eval(p.source, quickjs.EvalOptions{}); err != nil {
						b.Fatal(err)
					}
				}
				if err := rt.Rewind(); err != nil {
					b.Fatal(err)
				}
			}
			// What a program leaves behind has to be gone.
			if _, err := qc.Eval("var left = 1", quickjs.EvalOptions{}); err != nil {
				b.Fatal(err)
			}
			once()
			v, err := qc.Eval("typeof left", quickjs.EvalOptions{})
			if err != nil {
				b.Fatal(err)
			}
			if text, ok := v.Text(); !ok || text != "undefined" {
				b.Fatalf("after a rewind the program's variable is %q", text)
			}
			b.ReportAllocs()
			for b.Loop() {
				once()
			}
		})
	}
}
