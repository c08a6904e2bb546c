package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// lines makes results of one benchmark, a line for each time.
func lines(name string, ns ...float64) string {
	var b strings.Builder
	for _, t := range ns {
		fmt.Fprintf(&b, "Benchmark%s-2 100 %v ns/op 7 allocs/op\n", name, t)
	}
	return b.String()
}

const (
	oursRun  = "Run/engine=guestjs/via=sandbox/program=trivial"
	theirRun = "Run/engine=other/program=trivial"
)

// gate writes files and runs the command on them; args that name one of the
// files are replaced by its path.
func gate(t *testing.T, files map[string]string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for i, a := range args {
		if _, ok := files[a]; ok {
			args[i] = filepath.Join(dir, a)
		}
	}
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), strings.ReplaceAll(errs.String(), dir+string(filepath.Separator), "")
}

func TestBounds(t *testing.T) {
	const table = "cold run | .name:Run /engine:guestjs /via:sandbox | .name:Run /engine:other | sec/op | "
	for _, tc := range []struct {
		name         string
		bound        string
		ours, theirs []float64
		code         int
		verdict      string
	}{
		{"well within", "faster 15", []float64{10, 11, 9, 10}, []float64{300, 310, 290, 300}, exitOK, "30x faster  faster 15  0.029  4  ok"},
		{"within the margin", "faster 15", []float64{21, 21, 21, 21.1}, []float64{300, 300, 300, 301}, exitOK, "14.3x faster  faster 15  0.029  4  ok, within the margin"},
		{"loss", "faster 15", []float64{30, 31, 29, 30}, []float64{300, 310, 290, 300}, exitLoss, "10x faster  faster 15  0.029  4  LOSS"},
		{"too noisy to say", "slower 1", []float64{10, 40, 5, 50}, []float64{9, 30, 20, 10}, exitOK, "ok, not significant"},
		{"slower but allowed", "slower 2.5", []float64{20, 21, 20, 20}, []float64{10, 10, 10, 10}, exitOK, "2x slower  slower 2.5"},
		{"slower than allowed", "slower 1.5", []float64{20, 21, 20, 20}, []float64{10, 10, 10, 10}, exitLoss, "LOSS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, out, _ := gate(t, map[string]string{
				"ratios.txt": table + tc.bound,
				"new.txt":    lines(oursRun, tc.ours...) + lines(theirRun, tc.theirs...),
			}, "-require", "ratios.txt", "new.txt")
			require.Equal(t, tc.code, code, out)
			require.Contains(t, out, tc.verdict)
		})
	}
}

func TestARowOfSeveralIsTheirGeometricMean(t *testing.T) {
	files := map[string]string{
		"ratios.txt": "compute | .name:Compute /engine:guestjs | .name:Compute /engine:other | sec/op | faster 2",
		"new.txt": lines("Compute/engine=guestjs/program=fib", 10, 10, 10, 10) + lines("Compute/engine=other/program=fib", 80, 80, 80, 80) +
			lines("Compute/engine=guestjs/program=sort", 10, 10, 10, 10) + lines("Compute/engine=other/program=sort", 5, 5, 5, 5),
	}
	code, out, _ := gate(t, files, "-require", "ratios.txt", "new.txt")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "compute  2x faster  faster 2")

	code, out, _ = gate(t, files, "-ours", "/engine:guestjs", "-baseline", "/engine:other", "-bound", "slower 1", "new.txt")
	require.Equal(t, exitLoss, code, "without a table each pair stands for itself")
	require.Contains(t, out, "Compute/program=sort-2  2x slower  slower 1  0.029  4  LOSS")
}

func TestCounts(t *testing.T) {
	for _, tc := range []struct {
		bound   string
		code    int
		verdict string
	}{{"most 7", exitOK, "ok"}, {"most 6", exitLoss, "LOSS"}} {
		code, out, _ := gate(t, map[string]string{
			"ratios.txt": "allocations | .name:Run /engine:guestjs | - | allocs/op | " + tc.bound,
			"new.txt":    lines(oursRun, 10),
		}, "-require", "ratios.txt", "new.txt")
		require.Equal(t, tc.code, code)
		require.Contains(t, out, "7.000 allocs/op  "+tc.bound)
		require.Contains(t, out, tc.verdict)
	}
}

func TestOldAndNew(t *testing.T) {
	was := lines(oursRun, 10, 10.1, 9.9, 10) + lines(theirRun, 100, 101, 99, 100)
	for _, tc := range []struct {
		name string
		now  string
		code int
		want string
	}{
		{"a slower machine is no loss", lines(oursRun, 20, 20.2, 19.8, 20) + lines(theirRun, 200, 202, 198, 200), exitOK, "10x faster  10x faster before"},
		{"the same beside a faster baseline is one", lines(oursRun, 10, 10.1, 9.9, 10) + lines(theirRun, 50, 51, 49, 50), exitLoss, "5x faster   10x faster before"},
		{"a little slower is within the margin", lines(oursRun, 10.6, 10.6, 10.7, 10.5) + lines(theirRun, 100, 101, 99, 100), exitOK, "within the margin"},
	} {
		for _, args := range [][]string{
			{"-ours", "/engine:guestjs /via:sandbox", "-baseline", "/engine:other"},
			{"-require", "ratios.txt"},
		} {
			t.Run(tc.name+args[0], func(t *testing.T) {
				code, out, errs := gate(t, map[string]string{
					"ratios.txt": "cold | /engine:guestjs /via:sandbox | /engine:other | sec/op | faster 15\n",
					"old.txt":    was, "new.txt": tc.now,
				}, append(args, "old.txt", "new.txt")...)
				require.Equal(t, tc.code, code, out+errs)
				require.Contains(t, strings.ReplaceAll(out, "   ", "  "), strings.ReplaceAll(tc.want, "   ", "  "))
			})
		}
	}
}

func TestPartial(t *testing.T) {
	files := map[string]string{
		"ratios.txt": "cold | /engine:guestjs /via:sandbox | /engine:other | sec/op | faster 2\nthrow | .name:Throw /engine:guestjs | .name:Throw /engine:other | sec/op | faster 2\n",
		"new.txt":    lines(oursRun, 10, 10, 10, 10) + lines(theirRun, 100, 100, 100, 100),
		"old.txt":    lines("Throw/engine=guestjs", 1, 1, 1, 1) + lines("Throw/engine=other", 9, 9, 9, 9),
		"alone.txt":  lines("Throw/engine=guestjs", 1, 1, 1, 1),
	}
	code, out, _ := gate(t, files, "-partial", "-require", "ratios.txt", "new.txt")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "not measured")

	code, _, errs := gate(t, files, "-require", "ratios.txt", "new.txt")
	require.Equal(t, exitBad, code)
	require.Equal(t, "gate: throw: results: nothing matches \".name:Throw /engine:guestjs\"\n", errs)

	code, _, errs = gate(t, files, "-partial", "-require", "ratios.txt", "alone.txt")
	require.Equal(t, exitBad, code, "a baseline that is missing is never passed over")
	require.Contains(t, errs, `gate: throw: results: nothing matches ".name:Throw /engine:other"`)

	code, _, errs = gate(t, files, "-require", "ratios.txt", "old.txt", "new.txt")
	require.Equal(t, exitBad, code, "a subject that went away hides its loss")
	require.Contains(t, errs, "gate: throw: new: results: nothing matches")
}

func TestRefusals(t *testing.T) {
	four := []float64{1, 1, 1, 1}
	files := map[string]string{
		"ratios.txt":   "cold | /engine:guestjs | /engine:other | sec/op | faster 2\n",
		"count.txt":    "allocs | /engine:guestjs | - | allocs/op | most 2\n",
		"few.txt":      lines("Run/engine=guestjs", 1, 1, 1) + lines("Run/engine=other", 1, 1, 1, 1),
		"good.txt":     lines("Run/engine=guestjs", four...) + lines("Run/engine=other", four...),
		"alone.txt":    lines("Run/engine=guestjs", four...),
		"odd.txt":      lines("Run/engine=guestjs/n=1", four...) + lines("Run/engine=other/n=2", four...),
		"two.txt":      lines("Run/engine=guestjs/n=1", four...) + lines("Run/engine=guestjs/n=2", four...),
		"zero.txt":     "BenchmarkRun/engine=guestjs-2 1 0 allocs/op\nBenchmarkRun/engine=other-2 1 1 allocs/op\n",
		"hole.txt":     "BenchmarkRun/engine=guestjs 1 3 allocs/op\n" + lines("Run/engine=guestjs", four...) + lines("Run/engine=other", four...),
		"allocs.txt":   "cold | /engine:guestjs | /engine:other | allocs/op | faster 2\n",
		"broken.txt":   "BenchmarkRun/engine=guestjs 100 fast ns/op\n",
		"nothing.txt":  "",
		"cols.txt":     "cold | /engine:guestjs | faster 2\n",
		"gap.txt":      "\ncold | | /engine:other | sec/op | faster 2\n",
		"bound.txt":    "cold | /engine:guestjs | /engine:other | sec/op | quick 2\n",
		"number.txt":   "cold | /engine:guestjs | /engine:other | sec/op | faster\n",
		"negative.txt": "cold | /engine:guestjs | /engine:other | sec/op | faster -2\n",
		"absolute.txt": "cold | /engine:guestjs | - | sec/op | most 1\n",
		"nobase.txt":   "cold | /engine:guestjs | - | sec/op | faster 2\n",
		"both.txt":     "cold | /engine:guestjs | /engine:other | allocs/op | most 2\n",
		"twice.txt":    "a | /x:1 | /x:2 | sec/op | faster 2\na | /x:1 | /x:2 | sec/op | faster 2\n",
		"comment.txt":  "# nothing here\n\n",
		"unit.txt":     "cold | /engine:guestjs | /engine:other | B/op | faster 2\n",
		"more.txt":     "Unit frames/s better=higher\nBenchmarkRun/engine=guestjs 1 5 frames/s\n",
		"rate.txt":     "cold | /engine:guestjs | /engine:other | frames/s | faster 2\n",
	}
	for _, tc := range []struct {
		name string
		args []string
		err  string
	}{
		{"too few samples", []string{"-require", "ratios.txt", "few.txt"}, "gate: cold: 3 and 3 samples are too few to tell a loss at the level 0.05; measure at least 4 times (go test -count 4)"},
		{"a finer level needs more", []string{"-alpha", "0.01", "-require", "ratios.txt", "good.txt"}, "gate: cold: 4 and 4 samples are too few to tell a loss at the level 0.01; measure at least 5 times (go test -count 5)"},
		{"missing baseline", []string{"-require", "ratios.txt", "alone.txt"}, `gate: cold: results: nothing matches "/engine:other"`},
		{"no partner", []string{"-require", "ratios.txt", "odd.txt"}, `gate: cold: results: no baseline for Run/engine=guestjs/n=1-2: nothing that matches "/engine:other" has its other parts (Run/n=1-2)`},
		{"zero", []string{"-require", "allocs.txt", "zero.txt"}, "gate: cold: results: Run-2 has a measurement of 0; only positive ones have a ratio"},
		{"a line without the unit", []string{"-require", "ratios.txt", "hole.txt"}, "gate: cold: results: hole.txt:1: Run/engine=guestjs has no measurement in sec/op"},
		{"malformed results", []string{"-require", "ratios.txt", "broken.txt"}, "results: broken.txt:1: parsing measurement: invalid syntax"},
		{"empty results", []string{"-require", "ratios.txt", "nothing.txt"}, `results: nothing.txt: no benchmark results; want lines such as "BenchmarkRun/engine=x 100 2000 ns/op"`},
		{"columns", []string{"-require", "cols.txt", "good.txt"}, "gate: cols.txt:1: 3 columns; want 5: subject | ours | baseline | unit | bound"},
		{"empty column", []string{"-require", "gap.txt", "good.txt"}, "gate: gap.txt:2: the column ours is empty"},
		{"bound", []string{"-require", "bound.txt", "good.txt"}, `gate: bound.txt:1: bound "quick 2" starts with none of faster, slower, most`},
		{"number", []string{"-require", "number.txt", "good.txt"}, `gate: number.txt:1: bound "faster" has no positive number; want "faster 15", "slower 2.5" or "most 25"`},
		{"negative", []string{"-require", "negative.txt", "good.txt"}, `gate: negative.txt:1: bound "faster -2" has no positive number; want "faster 15", "slower 2.5" or "most 25"`},
		{"absolute time", []string{"-require", "absolute.txt", "good.txt"}, "gate: absolute.txt:1: an absolute time says nothing about another machine; give it a baseline"},
		{"ratio without baseline", []string{"-require", "nobase.txt", "good.txt"}, `gate: nobase.txt:1: bound "faster 2" needs a baseline; a count without one takes "most"`},
		{"count with baseline", []string{"-require", "both.txt", "good.txt"}, `gate: both.txt:1: bound "most 2" is absolute, but there is a baseline; write "faster" or "slower"`},
		{"twice", []string{"-require", "twice.txt", "good.txt"}, `gate: twice.txt:2: subject "a" stands twice`},
		{"no rows", []string{"-require", "comment.txt", "good.txt"}, "gate: comment.txt: no rows; want lines of subject | ours | baseline | unit | bound"},
		{"unit", []string{"-require", "unit.txt", "good.txt"}, `gate: cold: results: nothing that matches "/engine:guestjs" has the unit B/op; there are sec/op, allocs/op`},
		{"more is better", []string{"-require", "rate.txt", "more.txt"}, "gate: cold: more is better in frames/s; state the row in a unit of cost"},
		{"two for one count", []string{"-require", "count.txt", "two.txt"}, `gate: allocs: "/engine:guestjs" matches both Run/engine=guestjs/n=1-2 and Run/engine=guestjs/n=2-2; an absolute count is of one benchmark`},
		{"no file", []string{"-require", "ratios.txt"}, "gate: want one file of results, or an old and a new one; got 0"},
		{"neither", []string{"good.txt"}, "gate: want either -require or both -ours and -baseline"},
		{"half", []string{"-ours", "/a:b", "good.txt"}, "gate: -ours and -baseline go together"},
		{"no bound", []string{"-ours", "/a:b", "-baseline", "/a:c", "good.txt"}, `gate: with one file, -ours and -baseline need a -bound such as "faster 15"`},
		{"margin", []string{"-margin", "1", "-require", "ratios.txt", "good.txt"}, "gate: -margin is 1; want a part of at least 0 and below 1"},
		{"alpha", []string{"-alpha", "0", "-require", "ratios.txt", "good.txt"}, "gate: -alpha is 0; want a level between 0 and 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, _, errs := gate(t, files, tc.args...)
			require.Equal(t, exitBad, code)
			require.Equal(t, "gate: "+strings.TrimPrefix(tc.err, "gate: ")+"\n", errs)
		})
	}
}
