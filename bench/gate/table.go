package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// row is one promise: ours against a baseline, in a unit, within a bound.
type row struct {
	subject        string
	ours, baseline string // selections; no baseline means an absolute count
	unit           string // tidy: sec/op, B/op, allocs/op
	bound          bound
	each           bool // judge every pair for itself, not their geometric mean
}

// bound is the largest good value of ours/baseline, or of ours alone.
type bound struct {
	most float64
	text string
}

// parseTable reads rows of five columns with | between them: subject, ours,
// baseline, unit, bound. Text after # and empty lines do not count. A baseline
// of - asks for an absolute count.
func parseTable(name, text string) ([]row, error) {
	var rows []row
	line := 0
	for l := range strings.Lines(text) {
		line++
		l, _, _ = strings.Cut(l, "#")
		if strings.TrimSpace(l) == "" {
			continue
		}
		r, err := parseRow(l)
		if err != nil {
			return nil, fmt.Errorf("gate: %s:%d: %w", name, line, err)
		}
		for _, other := range rows {
			if other.subject == r.subject {
				return nil, fmt.Errorf("gate: %s:%d: subject %q stands twice", name, line, r.subject)
			}
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("gate: %s: no rows; want lines of subject | ours | baseline | unit | bound", name)
	}
	return rows, nil
}

func parseRow(line string) (row, error) {
	cols := strings.Split(line, "|")
	if len(cols) != 5 {
		return row{}, fmt.Errorf("%d columns; want 5: subject | ours | baseline | unit | bound", len(cols))
	}
	for i, name := range []string{"subject", "ours", "baseline", "unit", "bound"} {
		cols[i] = strings.TrimSpace(cols[i])
		if cols[i] == "" {
			return row{}, fmt.Errorf("the column %s is empty", name)
		}
	}
	r := row{subject: cols[0], ours: cols[1], baseline: cols[2], unit: cols[3]}
	var err error
	if r.bound, err = parseBound(cols[4]); err != nil {
		return row{}, err
	}
	absolute := strings.HasPrefix(r.bound.text, "most ")
	switch {
	case r.baseline == "-" && !absolute:
		return row{}, fmt.Errorf("bound %q needs a baseline; a count without one takes \"most\"", r.bound.text)
	case r.baseline != "-" && absolute:
		return row{}, fmt.Errorf("bound %q is absolute, but there is a baseline; write \"faster\" or \"slower\"", r.bound.text)
	case absolute && strings.HasPrefix(r.unit, "sec"):
		return row{}, errors.New("an absolute time says nothing about another machine; give it a baseline")
	}
	if absolute {
		r.baseline = ""
	}
	return r, nil
}

// parseBound reads "faster 15" (at least 15 times faster than the baseline),
// "slower 2.5" (at most 2.5 times slower) or "most 25" (at most 25).
func parseBound(text string) (bound, error) {
	word, number, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return bound{}, fmt.Errorf("bound %q has no positive number; want \"faster 15\", \"slower 2.5\" or \"most 25\"", text)
	}
	switch word {
	case "faster":
		return bound{1 / x, text}, nil
	case "slower", "most":
		return bound{x, text}, nil
	}
	return bound{}, fmt.Errorf("bound %q starts with none of faster, slower, most", text)
}
