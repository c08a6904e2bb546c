package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/guestjs/guestjs/bench/internal/promise"
	"github.com/guestjs/guestjs/bench/internal/results"
)

const (
	begin = "<!-- results: written by go run ./bench/plot; do not edit -->"
	end   = "<!-- end of results -->"
)

// between puts body between the markers of text.
func between(text, body string) (string, error) {
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("there is no line %s", begin)
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("there is no line %s after the one that begins the results", end)
	}
	return before + begin + "\n\n" + strings.TrimSpace(body) + "\n\n" + end + after, nil
}

// tables writes the page's body: the machine, what is promised and measured,
// the pictures, and a table for each subject.
func tables(rows []promise.Row, set *results.Set) (string, error) {
	var b strings.Builder
	b.WriteString(machine(set) + "\n\n")
	promised, err := promises(rows, set)
	if err != nil {
		return "", err
	}
	b.WriteString(promised)
	for _, c := range charts {
		fmt.Fprintf(&b, "\n![%s](%s)\n", c.title, c.file)
	}
	for _, s := range subjects {
		text, err := s.table(set)
		var none *results.Empty
		if errors.As(err, &none) {
			continue // a short set does not have every subject
		}
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s", s.title, text)
	}
	return b.String(), nil
}

// machine says where the results come from, in the words of their file.
func machine(set *results.Set) string {
	var parts []string
	for _, k := range []struct{ key, form string }{
		{"cpu", "%s"}, {"processors", "%s processors"}, {"goos", "%s"}, {"goarch", "%s"}, {"goversion", "%s"}, {"node", "Node %s"}, {"benchtime", "%s each"},
	} {
		if v := set.Config(k.key); v != "" {
			parts = append(parts, fmt.Sprintf(k.form, v))
		}
	}
	return "Measured on: " + strings.Join(parts, ", ") + "."
}

// promises is the table of ratios.txt beside what was measured. The margin is
// none: a reader sees the number itself.
func promises(rows []promise.Row, set *results.Set) (string, error) {
	verdicts, err := promise.AgainstBounds(rows, set, promise.Limits{Alpha: 0.05}, true)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| subject | promised | measured | |\n|---|---|---|---|\n")
	for _, v := range verdicts {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", v.Subject, v.Wanted, v.Measured, v.State)
	}
	return b.String(), nil
}

// subject is a table: a row for each benchmark, a column for each engine.
type subject struct {
	title           string
	selection, unit string
	mean            bool // a last row for the geometric mean of those above
}

var subjects = []subject{
	{title: "A fresh, isolated run", selection: ".name:Run pkg:/peers$/", unit: "sec/op"},
	{title: "Awaited host calls, time of one", selection: ".name:Call pkg:/peers$/", unit: "sec/call"},
	{title: "JSON across the border", selection: ".name:JSON pkg:/peers$/", unit: "sec/op"},
	{title: "Computing", selection: ".name:Compute pkg:/peers$/", unit: "sec/op", mean: true},
	{title: "Throwing and describing", selection: ".name:Throw pkg:/peers$/", unit: "sec/op"},
	{title: "Ways to run", selection: ".name:Run pkg:/bench$/ /engine:guestjs", unit: "sec/op"},
	{title: "Ending a program past its budget, time beyond it", selection: ".name:Kill pkg:/bench$/", unit: "late-sec/op"},
	{title: "Filling 64 MiB of memory, and the run after it", selection: ".name:Full pkg:/bench$/", unit: "sec/op"},
	{title: "Rewinding", selection: ".name:Rewind pkg:/bench$/", unit: "sec/op"},
	{title: "Busy sandboxes beside each other, time of one run", selection: ".name:Parallel pkg:/bench$/", unit: "sec/op"},
	{title: "JSON of several sizes", selection: ".name:JSON pkg:/bench$/", unit: "sec/op"},
	{title: "The guard on a long result", selection: ".name:Guard pkg:/bench$/", unit: "sec/op"},
	{title: "Admission, time of one lease", selection: ".name:Admission pkg:/bench$/", unit: "sec/op"},
	{title: "Resident memory of an idle sandbox", selection: ".name:Idle pkg:/bench$/", unit: "B/sandbox"},
	{title: "Go allocations of a run", selection: ".name:Run pkg:/bench$/", unit: "allocs/op"},
}

// table has a column for each value of the engine= part, or one for a subject
// that has none.
func (s subject) table(set *results.Set) (string, error) {
	series, err := set.Samples(s.selection, s.unit)
	if err != nil {
		return "", err
	}
	var columns, lines []string
	cells := map[[2]string]string{}
	medians := map[string][]float64{}
	for _, x := range series {
		column, line := "measured", caption(x.Name)
		if e := x.Parts["engine"]; e != "" {
			column = e
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
		m := median(x.Values)
		cells[[2]string{line, column}] = amount(m, s.unit)
		medians[column] = append(medians[column], m)
	}
	if s.mean {
		each := len(lines)
		lines = append(lines, "geometric mean")
		for column, ms := range medians {
			if len(ms) == each { // that of fewer could not be compared
				cells[[2]string{"geometric mean", column}] = amount(geomean(ms), s.unit)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("--:|", len(columns)))
	for _, line := range lines {
		b.WriteString("| " + line + " |")
		for _, column := range columns {
			fmt.Fprintf(&b, " %s |", cells[[2]string{line, column}])
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// caption is a benchmark's name without its base, engine and processors.
func caption(name string) string {
	var words []string
	_, rest, _ := strings.Cut(name, "/")
	if i := strings.LastIndexByte(rest, '-'); i >= 0 && strings.Trim(rest[i+1:], "0123456789") == "" {
		rest = rest[:i]
	}
	for part := range strings.SplitSeq(rest, "/") {
		if k, v, ok := strings.Cut(part, "="); ok && k != "engine" {
			words = append(words, k+" "+v)
		}
	}
	if len(words) == 0 {
		return "a run"
	}
	return strings.Join(words, ", ")
}

// amount writes a median in its unit.
func amount(v float64, unit string) string {
	switch {
	case strings.Contains(unit, "sec"):
		return seconds(v)
	case strings.HasPrefix(unit, "B/"):
		return digits(v/1000) + " kB"
	}
	return digits(v)
}
