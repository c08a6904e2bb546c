package conform_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/conform"
)

func judgeOf(t *testing.T, better, rows string) (*conform.Judge, error) {
	t.Helper()
	dir := t.TempDir()
	b, d := filepath.Join(dir, "better.json"), filepath.Join(dir, "DEVIATIONS.md")
	require.NoError(t, os.WriteFile(b, []byte(better), 0o600))
	require.NoError(t, os.WriteFile(d, []byte("# x\n\n| id | expected | given | reason |\n|---|---|---|---|\n"+rows), 0o600))
	return conform.NewJudge(b, d)
}

func TestJudge(t *testing.T) {
	judge, err := judgeOf(t,
		`{"ids":{"a/known":{"outcome":{"result":1}}},"texts":{"say so":{"outcome":{"error":{"$prefix":"no"}}}}}`,
		"| `a/listed` | | | we know better |\n| `a/late-*` | `old` | `new` | renamed |\n")
	require.NoError(t, err)
	require.Equal(t, []string{"a/known"}, judge.Better())
	require.Equal(t, []string{"a/listed", "a/late-* old new"}, judge.Unused("a/"))
	cases := []struct {
		name   string
		vector conform.Vector
		want   string
		got    string
		state  conform.State
	}{
		{"equal", conform.Vector{ID: "a/x"}, `{"outcome":{}}`, `{"outcome":{}}`, conform.Passed},
		{"differs", conform.Vector{ID: "a/x"}, `{"outcome":{}}`, `{"outcome":{"result":1}}`, conform.Failed},
		{"engine's words", conform.Vector{ID: "a/x", EngineDependent: true}, `{"outcome":{"result":"a"}}`, `{"outcome":{"result":"b"}}`, conform.Passed},
		{"host's words", conform.Vector{ID: "a/x", HostDependent: true}, `{"outcome":{"result":"a"}}`, `{"outcome":{"result":"b"}}`, conform.Passed},
		{"quirk kept", conform.Vector{ID: "a/known", Quirk: true}, `{"outcome":{}}`, `{"outcome":{}}`, conform.Passed},
		{"quirk bettered", conform.Vector{ID: "a/known", Quirk: true}, `{"outcome":{}}`, `{"outcome":{"result":1}}`, conform.Passed},
		{"quirk made worse", conform.Vector{ID: "a/known", Quirk: true}, `{"outcome":{}}`, `{"outcome":{"result":2}}`, conform.Failed},
		{"shape is no excuse for a quirk", conform.Vector{ID: "a/known", Quirk: true, EngineDependent: true}, `{"outcome":{"result":"[object Object]"}}`, `{"outcome":{"result":"[other]"}}`, conform.Failed},
		{"by the text of better", conform.Vector{ID: "b/y", Quirk: true, Better: "say so"}, `{"outcome":{}}`, `{"outcome":{"error":"no way"}}`, conform.Passed},
		{"not by the text of better", conform.Vector{ID: "b/y", Quirk: true, Better: "say so"}, `{"outcome":{}}`, `{"outcome":{"error":"yes"}}`, conform.Failed},
		{"unknown quirk, well formed", conform.Vector{ID: "b/y", Quirk: true}, `{"outcome":{}}`, `{"outcome":{"error":"x","failure":{"name":"E"}}}`, conform.Passed},
		{"unknown quirk, both", conform.Vector{ID: "b/y", Quirk: true}, `{"outcome":{}}`, `{"outcome":{"error":"x","result":1}}`, conform.Failed},
		{"unknown quirk, record alone", conform.Vector{ID: "b/y", Quirk: true}, `{"outcome":{}}`, `{"outcome":{"failure":{"name":"E"}}}`, conform.Failed},
		{"listed", conform.Vector{ID: "a/listed"}, `1`, `2`, conform.Deviating},
		{"listed, but passes", conform.Vector{ID: "a/listed"}, `1`, `1`, conform.Failed},
		{"a pattern covers", conform.Vector{ID: "a/late-1"}, `"old way"`, `"new way"`, conform.Deviating},
		{"not what is expected", conform.Vector{ID: "a/late-1"}, `"way"`, `"new way"`, conform.Failed},
		{"not what is given", conform.Vector{ID: "a/late-1"}, `"old way"`, `"way"`, conform.Failed},
		{"passes under a pattern", conform.Vector{ID: "a/late-2"}, `"old"`, `"old"`, conform.Passed},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.vector.Expected = parse(t, c.want)
			require.Equal(t, c.state, judge.Vector(c.vector, parse(t, c.got)).State)
		})
	}
	require.Empty(t, judge.Unused("a/"))
}

func TestJudgeRefusesBadData(t *testing.T) {
	for name, c := range map[string]struct{ better, rows, says string }{
		"not JSON":            {`{`, "", "better.json"},
		"unknown section":     {`{"other":{}}`, "", "other"},
		"cells missing":       {`{}`, "| `a/b` | reason |\n", "2 cells"},
		"no backticks":        {`{}`, "| a/b | | | reason |\n", "backticks"},
		"no category":         {`{}`, "| `ab` | | | reason |\n", "category/slug"},
		"no reason":           {`{}`, "| `a/b` | | | |\n", "no reason"},
		"twice":               {`{}`, "| `a/b` | | | r |\n| `a/b` | | | r |\n", "twice"},
		"a pattern for all":   {`{}`, "| `a/*` | | | r |\n", "pattern"},
		"a pattern half said": {`{}`, "| `a/*` | `x` | | r |\n", "pattern"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := judgeOf(t, c.better, c.rows)
			require.ErrorContains(t, err, c.says)
		})
	}
}

// Every quirk of our copy has its statement, and no statement is of anything
// else.
func TestBetterIsComplete(t *testing.T) {
	vectors, err := conform.Vectors("testdata/vectors")
	require.NoError(t, err)
	var quirks []string
	total := 0
	for _, list := range vectors {
		total += len(list)
		for _, v := range list {
			if v.Quirk {
				quirks = append(quirks, v.ID)
			}
		}
	}
	require.Equal(t, 578, total)
	slices.Sort(quirks)
	stated := newJudge(t).Better()
	slices.Sort(stated)
	require.Equal(t, quirks, stated)
}

func TestTally(t *testing.T) {
	tally := &conform.Tally{Category: "a"}
	tally.Add("a/3", conform.Verdict{State: conform.Failed})
	tally.Add("a/1", conform.Verdict{State: conform.Passed})
	tally.Add("a/2", conform.Verdict{State: conform.Failed})
	tally.Add("a/4", conform.Verdict{State: conform.Deviating})
	var b strings.Builder
	tally.Print(&b)
	require.Equal(t, "a: 1 passed, 2 failed, 1 deviating\n  failed: a/2\n  failed: a/3\n", b.String())
	require.Equal(t, 4, tally.Count())
}
