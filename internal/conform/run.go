package conform

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Limits returns the limits a vector's input asks for, with the defaults of
// FORMAT.md.
func Limits(input Object) contract.Limits {
	v, _ := input.Get("options")
	o, _ := v.(Object)
	number := func(name string, otherwise float64) float64 {
		if n := o.Number(name); n != 0 {
			return n
		}
		return otherwise
	}
	return contract.Limits{
		Wall:   ms(number("timeoutMs", 30_000)),
		CPU:    ms(number("cpuTimeMs", 2_000)),
		Memory: int64(number("memoryLimitBytes", 64<<20)),
		Stack:  int64(number("maxStackSizeBytes", 1<<20)),
	}
}

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// Program makes the program of a vector's input, with fresh host functions.
func Program(input Object) (contract.Program, error) {
	providers, err := Providers(input)
	if err != nil {
		return contract.Program{}, err
	}
	return contract.Program{Source: utf8Text(input.Text("code")), Providers: providers, Limits: Limits(input)}, nil
}

// Result puts an outcome in the form of a vector's expectation: {outcome,
// timedOut?}. What the product reports beside that is left out: calls, usage,
// unhandled, interrupt and the column of an error.
func Result(out contract.Outcome) (Value, error) {
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("conform: outcome: %w", err)
	}
	v, err := Parse(string(text))
	if err != nil {
		return nil, err
	}
	all, _ := v.(Object)
	outcome := Object{}
	for _, name := range []string{"result", "error", "failure", "logs"} {
		member, ok := all.Get(name)
		if !ok {
			continue
		}
		if name == "failure" {
			member = without(member, "column")
		}
		outcome = append(outcome, Member{name, member})
	}
	result := Object{{"outcome", outcome}}
	if timedOut, ok := all.Get("timedOut"); ok {
		result = append(result, Member{"timedOut", timedOut})
	}
	return result, nil
}

func without(v Value, name string) Value {
	o, ok := v.(Object)
	if !ok {
		return v
	}
	var out Object
	for _, m := range o {
		if m.Key != name {
			out = append(out, m)
		}
	}
	return out
}
