package bench

import (
	"embed"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

//go:embed testdata/*.js testdata/*.json
var files embed.FS

const expectPrefix = "// expect: "

// Program is a guest program with the answer every engine must give before it
// is timed. The text is one JavaScript expression, so that each engine can take
// it as it is: by evaluating it, or as the operand of a return.
type Program struct {
	// Name is the file's name without its extension, and the value of the
	// program= part of a benchmark's name.
	Name string
	// Source is the expression, without the line that states the answer.
	Source string
	// Want is the answer as JSON.
	Want json.RawMessage
}

// Compute are the programs that only compute; each takes a few milliseconds
// and needs no host.
var Compute = []string{"fib", "loop", "strings", "sort", "regex", "json", "props", "mapset"}

// Load returns a program of testdata. It panics when there is none or when it
// states no answer: the set is fixed when the package is compiled.
func Load(name string) Program {
	text, err := files.ReadFile("testdata/" + name + ".js")
	if err != nil {
		panic("bench: no program " + name + " in testdata")
	}
	p, err := Parse(name, string(text))
	if err != nil {
		panic(err.Error())
	}
	return p
}

// Parse splits the text of a program file into the answer and the expression.
func Parse(name, text string) (Program, error) {
	line, source, _ := strings.Cut(text, "\n")
	want, ok := strings.CutPrefix(line, expectPrefix)
	if !ok {
		return Program{}, fmt.Errorf("bench: %s.js: the first line must be %q and the answer as JSON, not %q", name, expectPrefix, line)
	}
	if !json.Valid([]byte(want)) {
		return Program{}, fmt.Errorf("bench: %s.js: the expected answer %q is not JSON", name, want)
	}
	source = strings.TrimSpace(source)
	if source == "" {
		return Program{}, fmt.Errorf("bench: %s.js: there is no program below the answer", name)
	}
	return Program{Name: name, Source: source, Want: json.RawMessage(want)}, nil
}

// AwaitedCalls is how many host calls one run of Await makes.
const AwaitedCalls = 1000

// Await is the program that makes AwaitedCalls host calls to host.add, or to
// host.now when immediate is set, with inflight of them open at once. Inflight
// must divide AwaitedCalls.
func Await(inflight int, immediate bool) Program {
	p := Load("await")
	p.Source = strings.TrimSuffix(p.Source, "(1)") + fmt.Sprintf("(%d)", inflight)
	if immediate {
		p.Source = strings.ReplaceAll(p.Source, "host.add(", "host.now(")
	}
	return p
}

// Out is the program whose value is an array of n records, made at no cost to
// speak of: all its elements are one object.
func Out(n int) Program {
	return Program{Name: "out", Source: fmt.Sprintf("Array(%d).fill(%s)", n, Row), Want: json.RawMessage("[" + strings.Repeat(Row+",", n-1) + Row + "]")}
}

// In is the program that looks at the array in the global data.
func In(n int) Program {
	return Program{Name: "in", Source: "[data.length, data[data.length - 1].id]", Want: json.RawMessage(fmt.Sprintf("[%d,%d]", n, n-1))}
}

// Check reports whether got, a JSON text, is the program's answer, whatever
// the order of members and the white space. The error shows both.
func (p Program) Check(got []byte) error {
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		return fmt.Errorf("bench: %s.js gave %q, which is not JSON: %w", p.Name, got, err)
	}
	if err := json.Unmarshal(p.Want, &w); err != nil {
		return fmt.Errorf("bench: %s.js: the expected answer is not JSON: %w", p.Name, err)
	}
	if !reflect.DeepEqual(g, w) {
		return fmt.Errorf("bench: %s.js gave %s, want %s", p.Name, got, p.Want)
	}
	return nil
}
