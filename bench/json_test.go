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
// nothing crosses: a null as the second argument says nothing, and leaves the
// work to the engine. how=guest is the same without the null, as programs write
// it. All are whole runs.
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
		for _, h := range inGuest {
			b.Run("engine=guestjs/dir=out/size="+size.Name+"/how="+h.how, func(b *testing.B) {
				b.SetBytes(int64(len(out.Want)))
				engine.Measure(b, bench.Program{
					Name: "stringify", Source: "JSON.stringify(" + out.Source + h.second + ").length", Want: json.RawMessage(fmt.Sprint(units(string(out.Want)))),
				}, s.Eval)
			})
		}
		b.Run("engine=guestjs/dir=in/size="+size.Name+"/how=direct", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			engine.Measure(b, reading(size.Rows), func(source string) (json.RawMessage, error) { return s.Parse(text, source) })
		})
		for _, h := range inGuest {
			b.Run("engine=guestjs/dir=in/size="+size.Name+"/how="+h.how, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				engine.Measure(b, parsing(size.Rows, h.second), s.Eval)
			})
		}
	}
}

// inGuest are the ways of a program's own, by the second argument of its call.
var inGuest = []struct{ how, second string }{{"engine", ", null"}, {"guest", ""}}

// The engine's own parser needs a text within the guest, and making one takes
// about a twentieth of the time of parsing it. So that this does not count in
// our favour, the program that is handed the value makes the same text too.

// reading makes a text of n records and looks at the global data.
func reading(n int) bench.Program {
	return withText("read", n, "data")
}

// parsing makes a text of n records and looks at what it parses to.
func parsing(n int, second string) bench.Program {
	return withText("parse", n, "JSON.parse(text"+second+")")
}

func withText(name string, n int, value string) bench.Program {
	return bench.Program{
		Name: name,
		Source: fmt.Sprintf(`(() => {
			const one = JSON.stringify(%s);
			const text = "[" + Array(%d).fill(one).join() + "]";
			const rows = %s;
			return [text.length, rows.length, rows[rows.length - 1].name];
		})()`, bench.Row, n, value),
		Want: json.RawMessage(fmt.Sprintf(`[%d,%d,"Ada Lovelace"]`, n*(units(bench.Row)+1)+1, n)),
	}
}

// units is the length of a text as JavaScript counts it.
func units(text string) int { return len(utf16.Encode([]rune(text))) }
