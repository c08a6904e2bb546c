package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// Pair is one benchmark on both sides, in one unit. Samples are in the order
// in which they were measured.
type Pair struct {
	// Name is what both sides have in common.
	Name string
	Ours []float64
	Base []float64
}

// Empty is the error of a selection that matches nothing.
type Empty struct{ Selection string }

// Error implements error.
func (e *Empty) Error() string {
	return fmt.Sprintf("results: nothing matches %q", e.Selection)
}

// Pair selects benchmarks by ours and by base and matches them by all parts of
// their names that neither selection mentions, and by package. A selection is
// terms such as `.name:Run /engine:guestjs pkg:/peers$/` with blanks between
// them, each as benchstat's -filter takes it. Unit is a tidy unit: sec/op,
// B/op, allocs/op. The pairs come in the order of ours.
//
// A benchmark without its other half is an error that names it, either way:
// leaving one out would change the mean.
func (s *Set) Pair(ours, base, unit string) ([]Pair, error) {
	keys, err := mentioned(ours, base)
	if err != nil {
		return nil, err
	}
	a, err := s.sel(ours, unit, keys)
	if err != nil {
		return nil, err
	}
	b, err := s.sel(base, unit, keys)
	if err != nil {
		return nil, err
	}
	pairs := make([]Pair, 0, len(a))
	for _, x := range a {
		i := slices.IndexFunc(b, func(y group) bool { return y.key == x.key })
		if i < 0 {
			return nil, fmt.Errorf("results: no baseline for %s: nothing that matches %q has its other parts (%s)", x.name, base, x.label)
		}
		pairs = append(pairs, Pair{Name: x.label, Ours: x.samples, Base: b[i].samples})
	}
	for _, y := range b {
		if !slices.ContainsFunc(a, func(x group) bool { return x.key == y.key }) {
			return nil, fmt.Errorf("results: the baseline %s has nothing beside it: nothing that matches %q has its other parts (%s)", y.name, ours, y.label)
		}
	}
	return pairs, nil
}

// Samples selects benchmarks and returns the samples of each by its full name,
// in the order in which they first appear.
func (s *Set) Samples(selection, unit string) ([]Series, error) {
	groups, err := s.sel(selection, unit, nil)
	if err != nil {
		return nil, err
	}
	series := make([]Series, len(groups))
	for i, g := range groups {
		series[i] = Series{Name: g.name, Parts: parts(g.name), Values: g.samples}
	}
	return series, nil
}

// Series is the samples of one benchmark.
type Series struct {
	Name   string            // full name
	Parts  map[string]string // its key=value parts
	Values []float64
}

// HigherIsBetter reports whether a larger value in this unit is an improvement.
func (s *Set) HigherIsBetter(unit string) bool { return s.units.GetBetter(unit) > 0 }

// Geomeans folds pairs into one sample per round on each side: the geometric
// mean over the pairs of their i-th measurements. Rounds that not every
// benchmark has are left out.
func Geomeans(pairs []Pair) (ours, base []float64, err error) {
	rounds := math.MaxInt
	for _, p := range pairs {
		rounds = min(rounds, len(p.Ours), len(p.Base))
		for _, v := range slices.Concat(p.Ours, p.Base) {
			if !(v > 0) || math.IsInf(v, 0) {
				return nil, nil, fmt.Errorf("results: %s has a measurement of %v; only positive ones have a ratio", p.Name, v)
			}
		}
	}
	if len(pairs) == 0 {
		return nil, nil, nil
	}
	for i := range rounds {
		var a, b float64
		for _, p := range pairs {
			a += math.Log(p.Ours[i])
			b += math.Log(p.Base[i])
		}
		n := float64(len(pairs))
		ours, base = append(ours, math.Exp(a/n)), append(base, math.Exp(b/n))
	}
	return ours, base, nil
}

// group is the samples of one benchmark and what it is matched by.
type group struct {
	name, key, label string
	samples          []float64
}

// sel collects what a selection matches, grouped by all parts but keys.
func (s *Set) sel(selection, unit string, keys []string) ([]group, error) {
	filter, err := benchproc.NewFilter(selection)
	if err != nil {
		return nil, fmt.Errorf("results: selection %q: %w", selection, err)
	}
	project, err := projection(keys)
	if err != nil {
		return nil, fmt.Errorf("results: selection %q: %w", selection, err)
	}
	var groups []group
	var units []string
	var without *benchfmt.Result
	for _, r := range s.results {
		if m, _ := filter.Match(r); !m.Any() {
			continue
		}
		v, ok := r.Value(unit)
		if !ok {
			units, without = addUnits(units, r), r
			continue
		}
		key, label := project(r)
		i := slices.IndexFunc(groups, func(g group) bool { return g.key == key })
		switch {
		case i < 0:
			groups = append(groups, group{r.Name.String(), key, label, []float64{v}})
		case groups[i].name != r.Name.String():
			return nil, fmt.Errorf("results: selection %q takes both %s and %s for one benchmark; add a term that tells them apart",
				selection, groups[i].name, r.Name)
		default:
			groups[i].samples = append(groups[i].samples, v)
		}
	}
	switch {
	case len(groups) == 0 && without == nil:
		return nil, &Empty{selection}
	case len(groups) == 0:
		return nil, fmt.Errorf("results: nothing that matches %q has the unit %s; there are %s", selection, unit, strings.Join(units, ", "))
	case without != nil:
		// Passing over it would shift the rounds of everything beside it.
		file, line := without.Pos()
		return nil, fmt.Errorf("results: %s:%d: %s has no measurement in %s", file, line, without.Name, unit)
	}
	return groups, nil
}

// projection returns a function that gives the part of a result's identity
// that keys leave over, and a short form of it for people.
func projection(keys []string) (func(*benchfmt.Result) (key, label string), error) {
	var parser benchproc.ProjectionParser
	if len(keys) > 0 {
		// Parsed for its effect: .fullname leaves out what others have taken.
		if _, err := parser.Parse(strings.Join(keys, ","), nil); err != nil {
			return nil, err
		}
	}
	name, err := parser.Parse(".fullname", nil)
	if err != nil {
		return nil, err
	}
	byPackage := !slices.Contains(keys, "pkg")
	return func(r *benchfmt.Result) (string, string) {
		label := name.Project(r).Get(name.Fields()[0])
		if byPackage {
			return label + " " + r.GetConfig("pkg"), label
		}
		return label, label
	}, nil
}

// mentioned returns the keys that the selections' terms are about.
func mentioned(selections ...string) ([]string, error) {
	var keys []string
	for _, sel := range selections {
		terms := strings.Fields(sel)
		if len(terms) == 0 {
			return nil, fmt.Errorf("results: empty selection; want terms such as .name:Run /engine:guestjs")
		}
		for _, term := range terms {
			key, _, ok := strings.Cut(term, ":")
			if !ok || key == "" || strings.ContainsAny(key, `()-"*`) {
				return nil, fmt.Errorf("results: selection %q: %q is not a term; want key:value", sel, term)
			}
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys, nil
}

func addUnits(units []string, r *benchfmt.Result) []string {
	for _, v := range r.Values {
		if !slices.Contains(units, v.Unit) {
			units = append(units, v.Unit)
		}
	}
	return units
}

// parts splits a full name into its key=value parts; .name is the base name.
func parts(name string) map[string]string {
	base, rest := benchfmt.Name(name).Parts()
	m := map[string]string{".name": string(base)}
	for _, p := range rest {
		if k, v, ok := strings.Cut(strings.TrimPrefix(string(p), "/"), "="); ok {
			m[k] = v
		}
	}
	return m
}
