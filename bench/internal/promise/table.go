package promise

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Row is one promise: ours against a baseline, in a unit, within a bound.
type Row struct {
	// Subject is what people call it.
	Subject string
	// Ours and Baseline are selections (see package results). No baseline means
	// that ours is an absolute count.
	Ours, Baseline string
	// Unit is a tidy unit of cost: sec/op, B/op, allocs/op.
	Unit string
	// Bound is what is promised.
	Bound Bound
	// Each asks for a verdict on every pair instead of on their geometric mean.
	Each bool
}

// Bound is the largest good value of ours/baseline, or of ours alone, with the
// text that says so. ParseBound makes one.
type Bound struct {
	most float64
	text string
}

// String returns the text of the bound.
func (b Bound) String() string { return b.text }

// ParseTable reads rows of five columns with | between them: subject, ours,
// baseline, unit, bound. Text after # and empty lines do not count. A baseline
// of - asks for an absolute count.
func ParseTable(name, text string) ([]Row, error) {
	var rows []Row
	line := 0
	for l := range strings.Lines(text) {
		line++
		l, _, _ = strings.Cut(l, "#")
		if strings.TrimSpace(l) == "" {
			continue
		}
		r, err := parseRow(l)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		for _, other := range rows {
			if other.Subject == r.Subject {
				return nil, fmt.Errorf("%s:%d: subject %q stands twice", name, line, r.Subject)
			}
		}
		rows = append(rows, r)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: no rows; want lines of subject | ours | baseline | unit | bound", name)
	}
	return rows, nil
}

func parseRow(line string) (Row, error) {
	cols := strings.Split(line, "|")
	if len(cols) != 5 {
		return Row{}, fmt.Errorf("%d columns; want 5: subject | ours | baseline | unit | bound", len(cols))
	}
	for i, name := range []string{"subject", "ours", "baseline", "unit", "bound"} {
		cols[i] = strings.TrimSpace(cols[i])
		if cols[i] == "" {
			return Row{}, fmt.Errorf("the column %s is empty", name)
		}
	}
	r := Row{Subject: cols[0], Ours: cols[1], Baseline: cols[2], Unit: cols[3]}
	var err error
	if r.Bound, err = ParseBound(cols[4]); err != nil {
		return Row{}, err
	}
	absolute := strings.HasPrefix(r.Bound.text, "most ")
	switch {
	case r.Baseline == "-" && !absolute:
		return Row{}, fmt.Errorf("bound %q needs a baseline; a count without one takes \"most\"", r.Bound.text)
	case r.Baseline != "-" && absolute:
		return Row{}, fmt.Errorf("bound %q is absolute, but there is a baseline; write \"faster\" or \"slower\"", r.Bound.text)
	case absolute && strings.HasPrefix(r.Unit, "sec"):
		return Row{}, errors.New("an absolute time says nothing about another machine; give it a baseline")
	}
	if absolute {
		r.Baseline = ""
	}
	return r, nil
}

// ParseBound reads "faster 15" (at least 15 times faster than the baseline),
// "slower 2.5" (at most 2.5 times slower) or "most 25" (at most 25).
func ParseBound(text string) (Bound, error) {
	word, number, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(x > 0) || math.IsInf(x, 0) {
		return Bound{}, fmt.Errorf("bound %q has no positive number; want \"faster 15\", \"slower 2.5\" or \"most 25\"", text)
	}
	switch word {
	case "faster":
		return Bound{1 / x, text}, nil
	case "slower", "most":
		return Bound{x, text}, nil
	}
	return Bound{}, fmt.Errorf("bound %q starts with none of faster, slower, most", text)
}
