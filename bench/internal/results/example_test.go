package results_test

import (
	"fmt"

	"github.com/guestjs/guestjs/bench/internal/results"
)

func ExampleSet_Pair() {
	var s results.Set
	err := s.Add("run.txt", []byte(`BenchmarkRun/engine=guestjs/program=trivial 1000 20000 ns/op
BenchmarkRun/engine=other/program=trivial 1000 300000 ns/op
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	pairs, err := s.Pair("/engine:guestjs", "/engine:other", "sec/op")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pairs {
		fmt.Printf("%s: %.3f of the baseline\n", p.Name, p.Ours[0]/p.Base[0])
	}
	// Output: Run/program=trivial: 0.067 of the baseline
}
