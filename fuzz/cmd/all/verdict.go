package main

import (
	"bytes"
	"fmt"
	"regexp"
)

// outOfTime is all that a round says which the end of its time has failed.
var outOfTime = regexp.MustCompile(`(?m)^--- FAIL: Fuzz\w+ \(.*\)\n    context deadline exceeded\nFAIL\n?\z`)

// onlyOutOfTime reports whether a failed round found nothing and only met the
// end of its time: Go before 1.27 sometimes takes its own deadline for a failure
// (go.dev/issue/75804). The deadline can also take the place of a failing input
// that was being made smaller, so a log that speaks of one is a finding.
func onlyOutOfTime(log []byte) bool {
	return outOfTime.Match(log) && !bytes.Contains(bytes.ToLower(log), []byte("failing input"))
}

var (
	progress = regexp.MustCompile(`elapsed: (\S+), execs: (\d+) .*new interesting: (\d+) \(total: (\d+)\)`)
	baseline = regexp.MustCompile(`elapsed: (\S+), gathering baseline coverage: (\d+)/(\d+) completed`)
)

// summary is the last line of progress in short.
func summary(log []byte, err error) string {
	verdict := "ok"
	if err != nil {
		verdict = "FAILED"
	}
	if m := last(progress, log); m != nil {
		return fmt.Sprintf("%s  %s, %s inputs, %s new of interest, %s in all", verdict, m[1], m[2], m[3], m[4])
	}
	if m := last(baseline, log); m != nil {
		return fmt.Sprintf("%s  %s, got through %s of the %s inputs it had and tried no new one", verdict, m[1], m[2], m[3])
	}
	return verdict
}

func last(e *regexp.Regexp, log []byte) [][]byte {
	all := e.FindAllSubmatch(log, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}
