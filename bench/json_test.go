package bench_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf16"

	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bench/internal/engine"
)

// JSON out of the guest and into it. how=direct is what a caller gets: the
// run's value as text, a global made from text. how=engine is the same sandbox
// doing the same work with its engine's own JSON.stringify and JSON.parse, and
// nothing crosses. Both are whole runs.
func BenchmarkJSON(b *testing.B) {
	engine.JSON(b, bench.Sizes, engine.Modernc())

	s, err := engine.Guestjs().Open()
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, size := range bench.Sizes {
		out, text := bench.Out(size.Rows), bench.Rows(size.Rows)
		b.Run("engine=guestjs/dir=out/size="+size.Name+"/how=direct", func(b *testing.B) {
			b.SetBytes(int64(len(out.Want)))
			engine.Measure(b, out, s.Eval)
		})
		b.Run("engine=guestjs/dir=out/size="+size.Name+"/how=engine", func(b *testing.B) {
			b.SetBytes(int64(len(out.Want)))
			units := len(utf16.Encode([]rune(string(out.Want))))
			engine.Measure(b, bench.Program{
				Name: "stringify", Source: "JSON.stringify(" + out.Source + ").length", Want: json.RawMessage(fmt.Sprint(units)),
			}, s.Eval)
		})
		b.Run("engine=guestjs/dir=in/size="+size.Name+"/how=direct", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			engine.Measure(b, bench.In(size.Rows), func(source string) (json.RawMessage, error) { return s.Parse(text, source) })
		})
		b.Run("engine=guestjs/dir=in/size="+size.Name+"/how=engine", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			engine.Measure(b, parsing(size.Rows), s.Eval)
		})
	}
}

// parsing makes a text of n records within the guest, which costs a fiftieth of
// parsing it, and parses it there.
func parsing(n int) bench.Program {
	return bench.Program{
		Name: "parse",
		Source: fmt.Sprintf(`(() => {
			const one = JSON.stringify(%s);
			const data = JSON.parse("[" + Array(%d).fill(one).join() + "]");
			return [data.length, data[data.length - 1].id];
		})()`, bench.Row, n),
		Want: json.RawMessage(fmt.Sprintf("[%d,4711]", n)),
	}
}
