package results_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/guestjs/guestjs/bench/internal/results"
	"github.com/stretchr/testify/require"
)

const sample = `goos: linux
pkg: example.com/bench
cpu: Example CPU
BenchmarkCompute/engine=a/program=fib-2 	 100	 2000 ns/op	 10 allocs/op
BenchmarkCompute/engine=a/program=fib-2 	 100	 2200 ns/op	 10 allocs/op
BenchmarkCompute/engine=b/program=fib-2 	 100	 4000 ns/op	 20 allocs/op
BenchmarkCompute/engine=b/program=fib-2 	 100	 4400 ns/op	 20 allocs/op
BenchmarkCompute/engine=a/program=sort-2 	 100	 9000 ns/op	 1 allocs/op
BenchmarkCompute/engine=b/program=sort-2 	 100	 1000 ns/op	 1 allocs/op
PASS
ok  	example.com/bench	1.0s
`

func set(t *testing.T, texts ...string) *results.Set {
	t.Helper()
	s := &results.Set{}
	for _, text := range texts {
		require.NoError(t, s.Add("sample.txt", []byte(text)))
	}
	return s
}

func TestPairMatchesByTheOtherParts(t *testing.T) {
	pairs, err := set(t, sample).Pair(".name:Compute /engine:a", ".name:Compute /engine:b", "allocs/op")
	require.NoError(t, err)
	require.Equal(t, []results.Pair{
		{Name: "*/program=fib-2", Ours: []float64{10, 10}, Base: []float64{20, 20}},
		{Name: "*/program=sort-2", Ours: []float64{1}, Base: []float64{1}},
	}, pairs)
}

func TestPairStaysWithinAPackage(t *testing.T) {
	other := "pkg: example.com/other\nBenchmarkCompute/engine=c/program=fib-2 100 1 ns/op\nBenchmarkCompute/engine=c/program=sort-2 100 1 ns/op\n"
	s := set(t, sample, other)
	_, err := s.Pair("/engine:a", "/engine:c", "sec/op")
	require.ErrorContains(t, err, `no baseline for Compute/engine=a/program=fib-2`)
	pairs, err := s.Pair("/engine:a pkg:/bench$/", "/engine:c pkg:/other$/", "sec/op")
	require.NoError(t, err)
	require.Len(t, pairs, 2)
}

func TestPairErrors(t *testing.T) {
	for _, tc := range []struct{ name, ours, base, unit, err string }{
		{"no ours", "/engine:z", "/engine:b", "sec/op", `results: nothing matches "/engine:z"`},
		{"no baseline at all", "/engine:a", "/engine:z", "sec/op", `results: nothing matches "/engine:z"`},
		{
			"half a baseline", "/engine:a", "/engine:b /program:fib", "sec/op",
			`results: selection "/engine:a" takes both Compute/engine=a/program=fib-2 and Compute/engine=a/program=sort-2 for one benchmark; add a term that tells them apart`,
		},
		{"unit", "/engine:a", "/engine:b", "B/op", `results: nothing that matches "/engine:a" has the unit B/op; there are sec/op, allocs/op`},
		{"not a term", "guestjs", "/engine:b", "sec/op", `results: selection "guestjs": "guestjs" is not a term; want key:value`},
		{"empty", " ", "/engine:b", "sec/op", `results: empty selection; want terms such as .name:Run /engine:guestjs`},
		{"negation", "-/engine:a", "/engine:b", "sec/op", `results: selection "-/engine:a": "-/engine:a" is not a term; want key:value`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := set(t, sample).Pair(tc.ours, tc.base, tc.unit)
			require.EqualError(t, err, tc.err)
		})
	}
}

func TestPairWantsBothHalves(t *testing.T) {
	const lonely = "BenchmarkX/engine=a/n=1 1 1 ns/op\nBenchmarkX/engine=a/n=2 1 1 ns/op\nBenchmarkX/engine=b/n=1 1 1 ns/op\n"
	_, err := set(t, lonely).Pair("/engine:a", "/engine:b", "sec/op")
	require.EqualError(t, err, `results: no baseline for X/engine=a/n=2: nothing that matches "/engine:b" has its other parts (X/n=2)`)
	_, err = set(t, lonely).Pair("/engine:b", "/engine:a", "sec/op")
	require.EqualError(t, err, `results: the baseline X/engine=a/n=2 has nothing beside it: nothing that matches "/engine:b" has its other parts (X/n=2)`)
}

func TestPairTellsNothingMatchesApart(t *testing.T) {
	_, err := set(t, sample).Pair("/engine:z", "/engine:b", "sec/op")
	var empty *results.Empty
	require.True(t, errors.As(err, &empty))
	require.Equal(t, "/engine:z", empty.Selection)
}

func TestSamples(t *testing.T) {
	s := set(t, sample)
	series, err := s.Samples("/engine:a", "allocs/op")
	require.NoError(t, err)
	require.Equal(t, []results.Series{
		{Name: "Compute/engine=a/program=fib-2", Parts: map[string]string{".name": "Compute", "engine": "a", "program": "fib"}, Values: []float64{10, 10}},
		{Name: "Compute/engine=a/program=sort-2", Parts: map[string]string{".name": "Compute", "engine": "a", "program": "sort"}, Values: []float64{1}},
	}, series)
	require.Equal(t, "Example CPU", s.Config("cpu"))
	require.Empty(t, s.Config("none"))
}

func TestGeomeans(t *testing.T) {
	ours, base, err := results.Geomeans([]results.Pair{
		{Name: "x", Ours: []float64{1, 2, 3}, Base: []float64{4, 4}},
		{Name: "y", Ours: []float64{4, 8}, Base: []float64{1, 9, 1}},
	})
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{2, 4}, ours, 1e-9)
	require.InDeltaSlice(t, []float64{2, 6}, base, 1e-9)

	_, _, err = results.Geomeans([]results.Pair{{Name: "x", Ours: []float64{0}, Base: []float64{1}}})
	require.EqualError(t, err, "results: x has a measurement of 0; only positive ones have a ratio")
}

func TestReadRefuses(t *testing.T) {
	for _, tc := range []struct{ name, text, err string }{
		{"empty", "", `results: in.txt: no benchmark results; want lines such as "BenchmarkRun/engine=x 100 2000 ns/op"`},
		{"other text", "hello\nworld\n", `results: in.txt: no benchmark results; want lines such as "BenchmarkRun/engine=x 100 2000 ns/op"`},
		{"bad count", "BenchmarkX many 12 ns/op\n", "results: in.txt:1: parsing iteration count: invalid syntax"},
		{"bad value", "\nBenchmarkX 10 fast ns/op\n", "results: in.txt:2: parsing measurement: invalid syntax"},
		{"no unit", "BenchmarkX 10 12\n", "results: in.txt:1: missing units"},
		{"failed test", "BenchmarkX 10 12 ns/op\n--- FAIL: BenchmarkY\n", `results: in.txt:2: "--- FAIL: BenchmarkY": the run that made this file failed`},
		{"panic", "panic: oops\n", `results: in.txt:1: "panic: oops": the run that made this file failed`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.EqualError(t, (&results.Set{}).Add("in.txt", []byte(tc.text)), tc.err)
		})
	}
}

func TestReadFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(path, []byte(sample), 0o600))
	s, err := results.Read(path, path)
	require.NoError(t, err)
	series, err := s.Samples(".name:Compute /engine:a /program:sort", "sec/op")
	require.NoError(t, err)
	require.Equal(t, []float64{9e-6, 9e-6}, series[0].Values)

	_, err = results.Read()
	require.EqualError(t, err, "results: no file given")
	_, err = results.Read(filepath.Join(t.TempDir(), "none.txt"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
