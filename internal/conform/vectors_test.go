package conform_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/conform"
)

// directory returns what the variable names, or the copy in testdata.
func directory(variable, otherwise string) string {
	return cmp.Or(os.Getenv(variable), otherwise)
}

func newJudge(t *testing.T) *conform.Judge {
	t.Helper()
	judge, err := conform.NewJudge("testdata/better.json", "DEVIATIONS.md")
	require.NoError(t, err)
	return judge
}

// answer runs one vector and returns its result in the form of an expectation.
type answer func(t *testing.T, v conform.Vector) (conform.Value, error)

// TestVectors runs every vector of every category.
func TestVectors(t *testing.T) {
	vectors, err := conform.Vectors(directory("GUESTJS_VECTORS", "testdata/vectors"))
	require.NoError(t, err)
	judge := newJudge(t)
	places := newPlaces(t)
	programs := func(t *testing.T, v conform.Vector) (conform.Value, error) {
		return runProgram(t.Context(), places, v)
	}
	answers := map[string]answer{
		"program": programs, "bridge": programs, "failures": programs, "errors": programs,
		"lines": programs, "limits": programs, "logs": programs,
		"result":    answerResult,
		"contract":  answerContract,
		"admission": answerAdmission,
		"protocol":  answerProtocol,
		"transport": answerTransport,
	}
	for _, category := range conform.Categories(vectors) {
		run, ok := answers[category]
		if !ok {
			fmt.Printf("%s: not run here\n", category)
			continue
		}
		runCategory(t, judge, category, category, vectors[category], run)
	}
}

// alone are the categories whose vectors run one after another.
func alone(category string) bool {
	switch category {
	case "limits": // budgets of 60 ms: two at a time would wait for each other
	case "admission": // a bubble of testing/synctest does not run in parallel
	case "transport": // a process each
	default:
		return false
	}
	return true
}

// runCategory runs the vectors of a category and prints the account.
func runCategory(t *testing.T, judge *conform.Judge, category, title string, vectors []conform.Vector, run answer) {
	tally := &conform.Tally{Category: title}
	t.Run(category, func(t *testing.T) {
		for _, v := range vectors {
			t.Run(v.Slug(), func(t *testing.T) {
				if !alone(category) {
					t.Parallel()
				}
				judged(t, judge, tally, v, run)
			})
		}
	})
	if tally.Count() > 0 { // none ran when -run asked for another category
		tally.Print(os.Stdout)
	}
	if os.Getenv("GUESTJS_VECTORS") == "" && tally.Count() == len(vectors) {
		assert.Empty(t, judge.Unused(category+"/"), "rows of DEVIATIONS.md that stand for nothing")
	}
}

func judged(t *testing.T, judge *conform.Judge, tally *conform.Tally, v conform.Vector, run answer) {
	got, err := run(t, v)
	var verdict conform.Verdict
	if err != nil {
		verdict = judge.Verdict(v.ID, "no result: "+err.Error(), v.Expected, err.Error())
	} else {
		verdict = judge.Vector(v, got)
	}
	tally.Add(v.ID, verdict)
	switch verdict.State {
	case conform.Failed:
		t.Errorf("%s\ninput: %.500s", verdict.Why, conform.Stringify(v.Input))
	case conform.Deviating:
		t.Log(verdict.Why)
	}
}

// runProgram is the answer of the categories whose input is a program.
func runProgram(ctx context.Context, places *places, v conform.Vector) (conform.Value, error) {
	program, err := conform.Program(v.Input)
	if err != nil {
		return nil, err
	}
	out, err := places.run(ctx, program)
	if err != nil {
		return nil, err
	}
	return conform.Result(out)
}
