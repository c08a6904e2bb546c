package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `goversion: go1.26.8
cpu: Example CPU
pkg: example.com/bench/peers
BenchmarkRun/engine=guestjs/program=trivial-2 1 10000 ns/op
BenchmarkRun/engine=a<b/program=trivial-2 1 400000 ns/op
BenchmarkRun/engine=a<b/program=trivial-2 1 420000 ns/op
BenchmarkRun/engine=a<b/program=trivial-2 1 390000 ns/op
BenchmarkCall/engine=guestjs/kind=async/inflight=1-2 1 1000 ns/call
BenchmarkCall/engine=a<b/kind=async/inflight=1-2 1 2000 ns/call
BenchmarkCall/engine=a<b/kind=async/inflight=20-2 1 2100 ns/call
BenchmarkCompute/engine=guestjs/program=fib-2 1 2000 ns/op
BenchmarkCompute/engine=guestjs/program=loop-2 1 8000 ns/op
BenchmarkCompute/engine=a<b/program=fib-2 1 3000 ns/op
`

const promised = "cold | .name:Run /engine:guestjs | - | ns | most 3\n"

// plot makes a directory with a page and results, and runs the command.
func plot(t *testing.T, readme, ratios, text string) (dir string, err error) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range map[string]string{"README.md": readme, "ratios.txt": ratios, "results.txt": text} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	return dir, run([]string{"-dir", dir, filepath.Join(dir, "results.txt")}, io.Discard)
}

const nothingMeasured = "other | .name:Other /engine:guestjs | - | allocs/op | most 3\n"

func TestPage(t *testing.T) {
	dir, err := plot(t, "# Page\n\n"+begin+"\nstale\n"+end+"\n\nfoot\n", nothingMeasured, sample)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	page := string(text)
	require.True(t, strings.HasPrefix(page, "# Page\n\n"+begin))
	require.True(t, strings.HasSuffix(page, end+"\n\nfoot\n"))
	require.NotContains(t, page, "stale")
	require.Contains(t, page, "Measured on: Example CPU, go1.26.8.")
	require.Contains(t, page, "| other | most 3 | - | not measured |")
	require.Contains(t, page, "| | guestjs | a<b |\n|---|--:|--:|\n| program trivial | 10 µs | 400 µs |")
	require.Contains(t, page, "| kind async, inflight 20 |  | 2.1 µs |")

	require.Contains(t, page, "| program loop | 8 µs |  |\n| geometric mean | 4 µs |  |", "no mean of fewer")
	require.Equal(t, 1, strings.Count(page, "geometric mean"))

	before := page
	require.NoError(t, run([]string{"-dir", dir, filepath.Join(dir, "results.txt")}, io.Discard))
	text, err = os.ReadFile(filepath.Join(dir, "README.md"))
	require.NoError(t, err)
	require.Equal(t, before, string(text), "a second time changes nothing")
}

func TestCharts(t *testing.T) {
	dir, err := plot(t, begin+end, nothingMeasured, sample)
	require.NoError(t, err)
	for file, words := range map[string][]string{
		"cold.svg":  {"guestjs", "a&lt;b", "10 µs", "400 µs · 40×"},
		"calls.svg": {"1 µs", "2 µs · 2×"},
	} {
		svg, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		wellFormed(t, svg)
		for _, w := range words {
			require.Contains(t, string(svg), w, file)
		}
		require.Less(t, strings.Index(string(svg), ">guestjs<"), strings.Index(string(svg), ">a&lt;b<"), "the quickest is on top")
	}
}

func wellFormed(t *testing.T, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct{ name, readme, ratios, text, err string }{
		{"no marker", "# Page\n", nothingMeasured, sample, "there is no line " + begin},
		{"no end", begin, nothingMeasured, sample, "there is no line " + end + " after the one that begins the results"},
		{"no results", begin + end, nothingMeasured, "", "no benchmark results"},
		{"nothing to draw", begin + end, nothingMeasured, "BenchmarkX/engine=a 1 1 ns/op\n", "cold.svg: results: nothing matches"},
		{"bad table", begin + end, "x\n", sample, "1 columns; want 5"},
		{"a promise in a unit that is not there", begin + end, promised, sample, "has the unit ns; there are sec/op"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := plot(t, tc.readme, tc.ratios, tc.text)
			require.ErrorContains(t, err, tc.err)
		})
	}
	require.ErrorContains(t, run([]string{"-dir", t.TempDir(), "x.txt"}, io.Discard), "no such file")
}

func TestSeconds(t *testing.T) {
	for v, want := range map[float64]string{
		1e-9: "1 ns", 999.4e-9: "999 ns", 999.6e-9: "1 µs", 12.345e-6: "12.3 µs", 0.5: "500 ms", 1234: "1230 s", 2e-10: "0.2 ns",
	} {
		require.Equal(t, want, seconds(v), v)
	}
	require.Equal(t, "2.5×", times(2.5))
	require.Equal(t, "0", digits(0))
}
