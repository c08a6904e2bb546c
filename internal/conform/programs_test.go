package conform_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/conform"
)

const category = "cases"

// TestPrograms runs the small programs of programs.jsonl.
func TestPrograms(t *testing.T) {
	cases, err := conform.Programs(directory("GUESTJS_CASES", "testdata/cases"))
	require.NoError(t, err)
	judge := newJudge(t)
	places := newPlaces(t)
	tally := &conform.Tally{Category: category}
	t.Run(category, func(t *testing.T) {
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				// Not in parallel: some budgets are short, and one case looks at
				// the memory of the process.
				problems := playCase(t, places, c)
				why := strings.Join(problems, "\n")
				verdict := judge.Verdict(category+"/"+c.ID, why, c.Expected, why)
				tally.Add(c.ID, verdict)
				switch verdict.State {
				case conform.Failed:
					t.Errorf("%s\nprogram: %s", verdict.Why, c.Source)
				case conform.Deviating:
					t.Log(verdict.Why)
				}
			})
		}
	})
	tally.Print(os.Stdout)
	if os.Getenv("GUESTJS_CASES") == "" && tally.Count() == len(cases) {
		require.Empty(t, judge.Unused(category+"/"), "rows of DEVIATIONS.md that stand for nothing")
	}
}

// playCase runs a case in every way it asks for, and returns what is wrong.
func playCase(t *testing.T, places *places, c conform.Case) []string {
	problems := playOnce(t, places, c, 0)
	if len(problems) == 0 {
		problems = playAgain(t, places, c)
	}
	if also, ok := c.Expected.Get("alsoAtMiB"); ok {
		list, _ := also.([]conform.Value)
		for _, item := range list {
			mib, _ := item.(float64)
			for _, p := range playOnce(t, places, c, int64(mib)<<20) {
				problems = append(problems, fmt.Sprintf("at %v MiB: %s", mib, p))
			}
		}
	}
	if most, ok := c.Expected.Get("maxRssGrowthMiB"); ok {
		problems = append(problems, playForMemory(t, places, c, most.(float64))...)
	}
	if n := int(c.Limits.Number("repeat")); n > 0 {
		problems = append(problems, playAtOnce(t, places, c, max(1, int(c.Limits.Number("goroutines"))), n)...)
	}
	return problems
}

func playOnce(t *testing.T, places *places, c conform.Case, memory int64) (problems []string) {
	host := &conform.Host{}
	program, err := c.Program(host, memory)
	if err != nil {
		return []string{err.Error()}
	}
	place, give, err := places.take(program.Limits)
	if err != nil {
		return []string{err.Error()}
	}
	defer give()
	start := time.Now()
	out, err := runOn(t.Context(), place, program)
	took := time.Since(start)
	if err != nil {
		return []string{"no outcome: " + err.Error()}
	}
	problems = c.Problems(out, host, took)
	if same, _ := c.Expected.Get("sameTwice"); same == true {
		again, err := runOn(t.Context(), place, program)
		if err != nil {
			return append(problems, "no second outcome: "+err.Error())
		}
		if string(out.Value) != string(again.Value) {
			problems = append(problems, fmt.Sprintf("twice: %s, then %s", out.Value, again.Value))
		}
	}
	if next, ok := c.Expected.Get("then"); ok {
		problems = append(problems, playThen(t, place, next.(conform.Object))...)
	}
	if works, _ := c.Expected.Get("nextRunWorks"); works == true {
		problems = append(problems, nextWorks(t, place)...)
	}
	return problems
}

// playAgain runs a case over and over in one sandbox, which keeps what it learnt of
// a program that comes again: nothing of that may show.
func playAgain(t *testing.T, places *places, c conform.Case) (problems []string) {
	program, err := c.Program(&conform.Host{}, 0)
	if err != nil {
		return []string{err.Error()}
	}
	place, give, err := places.take(program.Limits)
	if err != nil {
		return []string{err.Error()}
	}
	defer give()
	for i := range 5 {
		host := &conform.Host{}
		program, err := c.Program(host, 0)
		if err != nil {
			return []string{err.Error()}
		}
		start := time.Now()
		out, err := runOn(t.Context(), place, program)
		if err != nil {
			return []string{"no outcome: " + err.Error()}
		}
		took := time.Since(start)
		for _, p := range c.Problems(out, host, took) {
			problems = append(problems, fmt.Sprintf("run %d in one sandbox: %s", i, p))
		}
		if took > 50*time.Millisecond {
			break // a limit ends it, or it is there to be long
		}
	}
	return problems
}

// playThen runs the program that must not notice the one before.
func playThen(t *testing.T, place runner, want conform.Object) (problems []string) {
	out, err := runOn(t.Context(), place, contract.Program{Source: want.Text("program")})
	if err != nil {
		return []string{"then: " + err.Error()}
	}
	value, _ := want.Get("value")
	got, err := conform.Parse(string(out.Value))
	if err != nil {
		return []string{fmt.Sprintf("then: no value: %v", out.Err)}
	}
	if d := conform.Diff(value, got); d != "" {
		problems = append(problems, "then: "+d)
	}
	if logs, ok := want.Get("logs"); ok {
		entries := []conform.Value{}
		for _, entry := range out.Logs {
			entries = append(entries, entry)
		}
		if d := conform.Diff(logs, entries); d != "" {
			problems = append(problems, "then: logs: "+d)
		}
	}
	return problems
}

func nextWorks(t *testing.T, place runner) []string {
	out, err := runOn(t.Context(), place, contract.Program{Source: "[1, 2, 3].map((x) => x + 1)"})
	if err != nil {
		return []string{"the next run: " + err.Error()}
	}
	if string(out.Value) != "[2,3,4]" {
		return []string{fmt.Sprintf("the next run: %s, %v", out.Value, out.Err)}
	}
	return nil
}

// playForMemory runs a case five times and looks at how much the process grew
// after the first.
func playForMemory(t *testing.T, places *places, c conform.Case, mostMiB float64) (problems []string) {
	debug.FreeOSMemory()
	before := resident(t)
	for range 5 {
		problems = append(problems, playOnceAgain(t, places, c)...)
	}
	debug.FreeOSMemory()
	if grown := resident(t) - before; grown > int64(mostMiB)<<20 {
		problems = append(problems, fmt.Sprintf("the process grew by %d MiB", grown>>20))
	}
	return problems
}

func playOnceAgain(t *testing.T, places *places, c conform.Case) []string {
	host := &conform.Host{}
	program, err := c.Program(host, 0)
	if err != nil {
		return []string{err.Error()}
	}
	start := time.Now()
	out, err := places.run(t.Context(), program)
	if err != nil {
		return []string{err.Error()}
	}
	return c.Problems(out, host, time.Since(start))
}

// playAtOnce runs a case n times on each of several goroutines that share the
// sandboxes.
func playAtOnce(t *testing.T, places *places, c conform.Case, goroutines, n int) (problems []string) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range goroutines {
		wg.Go(func() {
			for range n {
				found := playOnceAgain(t, places, c)
				mu.Lock()
				problems = append(problems, found...)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(problems) > 10 {
		problems = append(problems[:10], fmt.Sprintf("and %d more", len(problems)-10))
	}
	return problems
}

// resident returns the resident memory of the process in bytes, or zero where
// the system does not say.
func resident(t *testing.T) int64 { return statusField(t, "VmRSS:") }

func statusField(t *testing.T, field string) int64 {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			var kib int64
			_, err := fmt.Sscanf(rest, "%d", &kib)
			require.NoError(t, err)
			return kib << 10
		}
	}
	return 0
}
