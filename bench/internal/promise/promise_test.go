package promise_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/guestjs/guestjs/bench/internal/promise"
	"github.com/guestjs/guestjs/bench/internal/results"
	"github.com/stretchr/testify/require"
)

// The table that the library is held to has to be readable.
func TestTheCheckedInTable(t *testing.T) {
	text, err := os.ReadFile("../../ratios.txt")
	require.NoError(t, err)
	rows, err := promise.ParseTable("ratios.txt", string(text))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(rows), 9)
}

// How many samples are too few depends on the level: with n on each side, the
// least p that the test can give is 2/binomial(2n, n).
func TestTooFewSamples(t *testing.T) {
	rows, err := promise.ParseTable("t", "x | /engine:a | /engine:b | sec/op | slower 1")
	require.NoError(t, err)
	for alpha, need := range map[float64]int{0.5: 2, 0.2: 3, 0.05: 4, 0.01: 5, 0.001: 7} {
		for n := 1; n <= need; n++ {
			var set results.Set
			require.NoError(t, set.Add("t", []byte(strings.Repeat("BenchmarkX/engine=a 1 9 ns/op\n", n)+strings.Repeat("BenchmarkX/engine=b 1 3 ns/op\n", n))))
			verdicts, err := promise.AgainstBounds(rows, &set, promise.Limits{Margin: 0.1, Alpha: alpha}, false)
			if n < need {
				require.ErrorContains(t, err, fmt.Sprintf("measure at least %d times", need))
				continue
			}
			require.NoError(t, err)
			require.Less(t, verdicts[0].P, alpha)
		}
	}
}

func ExampleAgainstBounds() {
	rows, err := promise.ParseTable("ratios.txt", "cold run | /engine:guestjs | /engine:other | sec/op | faster 15")
	if err != nil {
		fmt.Println(err)
		return
	}
	var set results.Set
	text := strings.Repeat("BenchmarkRun/engine=guestjs 1 10 ns/op\nBenchmarkRun/engine=other 1 200 ns/op\n", 4)
	if err := set.Add("run.txt", []byte(text)); err != nil {
		fmt.Println(err)
		return
	}
	verdicts, err := promise.AgainstBounds(rows, &set, promise.Limits{Margin: 0.1, Alpha: 0.05}, false)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range verdicts {
		fmt.Println(v.Subject, "|", v.Measured, "|", v.Wanted, "|", v.State)
	}
	// Output: cold run | 20x faster | faster 15 | ok
}
