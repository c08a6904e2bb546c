package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	warming = `fuzz: elapsed: 0s, gathering baseline coverage: 0/1703 completed
fuzz: elapsed: 30s, gathering baseline coverage: 1562/1703 completed
`
	fuzzing = `fuzz: elapsed: 0s, gathering baseline coverage: 0/28 completed
fuzz: elapsed: 1s, gathering baseline coverage: 28/28 completed, now fuzzing with 1 workers
fuzz: elapsed: 3s, execs: 120 (40/sec), new interesting: 2 (total: 30)
fuzz: elapsed: 30s, execs: 1972 (68/sec), new interesting: 13 (total: 41)
`
	deadline = `--- FAIL: FuzzDifferential (31.17s)
    context deadline exceeded
FAIL
`
	crash = `fuzz: minimizing 40-byte failing input file
--- FAIL: FuzzDifferential (3.02s)
    --- FAIL: FuzzDifferential (0.00s)
        differential_test.go:40: 1 here, 2 there

    Failing input written to testdata/fuzz/FuzzDifferential/582528ddfad69eb5
    To re-run:
    go test -run=FuzzDifferential/582528ddfad69eb5
FAIL
`
)

func TestOnlyOutOfTime(t *testing.T) {
	for _, c := range []struct {
		name, log string
		want      bool
	}{
		{"while warming up", warming + deadline, true},
		{"while fuzzing", fuzzing + deadline, true},
		{"a finding", fuzzing + crash, false},
		{"a finding that was being made smaller", fuzzing + "fuzz: minimizing 40-byte failing input file\n" + deadline, false},
		{"a seed that fails", "failure while testing seed corpus entry: FuzzName/empty\n" + `--- FAIL: FuzzName (0.02s)
    --- FAIL: FuzzName (0.00s)
        name_test.go:12: context deadline exceeded
FAIL
`, false},
		{"a worker that died", fuzzing + `--- FAIL: FuzzName (4.00s)
    fuzzing process hung or terminated unexpectedly: exit status 2
FAIL
`, false},
		{"more after the deadline", deadline + "panic: and then this\n", false},
		{"nothing", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, onlyOutOfTime([]byte(c.log)))
		})
	}
}

func TestSummary(t *testing.T) {
	require.Equal(t, "ok  30s, 1972 inputs, 13 new of interest, 41 in all", summary([]byte(fuzzing), nil))
	require.Equal(t, "ok  30s, got through 1562 of the 1703 inputs it had and tried no new one", summary([]byte(warming), nil))
	require.Equal(t, "FAILED  30s, 1972 inputs, 13 new of interest, 41 in all", summary([]byte(fuzzing+crash), errors.New("exit status 1")))
	require.Equal(t, "FAILED", summary(nil, errors.New("killed")))
}
