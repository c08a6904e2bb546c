package main

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/guestjs/guestjs/bench/internal/results"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// limits say what counts as a loss.
type limits struct{ margin, alpha float64 }

// state is what became of a row.
type state string

const (
	good   state = "ok"
	within state = "ok, within the margin"
	noise  state = "ok, not significant"
	loss   state = "LOSS"
	absent state = "not measured"
)

// verdict is one line of the report.
type verdict struct {
	subject          string
	measured, wanted string
	p                float64
	compared         bool // p means something
	n                int  // rounds
	state            state
}

// againstBounds holds each row's ratio within one run against its bound.
func againstBounds(rows []row, set *results.Set, lim limits, partial bool) ([]verdict, error) {
	var verdicts []verdict
	for _, r := range rows {
		cases, err := r.measure(set)
		if absentRow(err, r) && partial {
			verdicts = append(verdicts, verdict{subject: r.subject, measured: "-", wanted: r.bound.text, state: absent})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("gate: %s: %w", r.subject, err)
		}
		for _, c := range cases {
			v, err := c.bounded(r, lim)
			if err != nil {
				return nil, fmt.Errorf("gate: %s: %w", c.subject, err)
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts, nil
}

// againstOld holds each row's ratio in one run against that in an older one.
func againstOld(rows []row, before, after *results.Set, lim limits, partial bool) ([]verdict, error) {
	var verdicts []verdict
	for _, r := range rows {
		was, err := r.measure(before)
		if err != nil && !absentRow(err, r) {
			return nil, fmt.Errorf("gate: %s: old: %w", r.subject, err)
		}
		is, err2 := r.measure(after)
		if err2 != nil && !absentRow(err2, r) {
			return nil, fmt.Errorf("gate: %s: new: %w", r.subject, err2)
		}
		if err != nil || err2 != nil {
			// A subject only one file has cannot be compared. One that went
			// away is an error all the same, unless asked for.
			if err2 != nil && !partial {
				return nil, fmt.Errorf("gate: %s: new: %w", r.subject, err2)
			}
			verdicts = append(verdicts, verdict{subject: r.subject, measured: "-", wanted: "-", state: absent})
			continue
		}
		for _, c := range is {
			i := slices.IndexFunc(was, func(o side) bool { return o.subject == c.subject })
			if i < 0 {
				verdicts = append(verdicts, verdict{subject: c.subject, measured: "-", wanted: "-", state: absent})
				continue
			}
			v, err := c.since(was[i], lim)
			if err != nil {
				return nil, fmt.Errorf("gate: %s: %w", c.subject, err)
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts, nil
}

// absentRow reports whether nothing at all was measured of a row's own side. A
// missing baseline is another matter: then there is a claim without a witness.
func absentRow(err error, r row) bool {
	var e *results.Empty
	return errors.As(err, &e) && e.Selection == r.ours
}

// side is the samples of one comparison, round by round. An absolute count has
// no base.
type side struct {
	subject    string
	ours, base []float64
}

// measure takes a row's samples out of a set.
func (r row) measure(set *results.Set) ([]side, error) {
	if set.HigherIsBetter(r.unit) {
		return nil, fmt.Errorf("more is better in %s; state the row in a unit of cost", r.unit)
	}
	if r.baseline == "" {
		series, err := set.Samples(r.ours, r.unit)
		if err != nil {
			return nil, err
		}
		if len(series) > 1 {
			return nil, fmt.Errorf("%q matches both %s and %s; an absolute count is of one benchmark", r.ours, series[0].Name, series[1].Name)
		}
		return []side{{subject: r.subject, ours: series[0].Values}}, nil
	}
	pairs, err := set.Pair(r.ours, r.baseline, r.unit)
	if err != nil {
		return nil, err
	}
	if !r.each {
		s := side{subject: r.subject}
		s.ours, s.base, err = results.Geomeans(pairs)
		return []side{s}, err
	}
	sides := make([]side, len(pairs))
	for i, p := range pairs {
		sides[i].subject = p.Name
		if sides[i].ours, sides[i].base, err = results.Geomeans([]results.Pair{p}); err != nil {
			return nil, err
		}
	}
	return sides, nil
}

// bounded holds the ratio against the row's bound.
func (s side) bounded(r row, lim limits) (verdict, error) {
	v := verdict{subject: s.subject, wanted: r.bound.text, n: len(s.ours)}
	if s.base == nil {
		return s.counted(v, r), nil
	}
	ratio := median(s.ours) / median(s.base)
	v.measured = factor(ratio)
	return v, v.compare(s.ours, scaled(s.base, r.bound.most), ratio/r.bound.most, lim)
}

// counted judges an absolute count: a loss when every sample is over. Counts
// have no margin; they do not depend on how fast the machine is.
func (s side) counted(v verdict, r row) verdict {
	v.measured = benchunit.Scale(median(s.ours), benchunit.ClassOf(r.unit)) + " " + r.unit
	v.state = good
	if slices.Min(s.ours) > r.bound.most {
		v.state = loss
	} else if median(s.ours) > r.bound.most {
		v.state = noise
	}
	return v
}

// since holds the ratio against what it was.
func (s side) since(old side, lim limits) (verdict, error) {
	is, was := s.ours, old.ours
	show := func(x float64) string { return fmt.Sprintf("%.4g", x) }
	if s.base != nil {
		is, was, show = ratios(s), ratios(old), factor
	}
	v := verdict{subject: s.subject, measured: show(median(is)), wanted: show(median(was)) + " before", n: min(len(is), len(was))}
	return v, v.compare(is, was, median(is)/median(was), lim)
}

// compare sets the state: is against the most it should be, of which worse is
// the quotient. The test is made on samples from which the margin is taken off.
func (v *verdict) compare(is, most []float64, worse float64, lim limits) error {
	need := samplesFor(lim.alpha)
	if len(is) < need || len(most) < need {
		return fmt.Errorf("%d and %d samples are too few to tell a loss at the level %v; measure at least %d times (go test -count %d)",
			len(is), len(most), lim.alpha, need, need)
	}
	t := benchmath.DefaultThresholds
	t.CompareAlpha = lim.alpha
	allowed := scaled(most, 1+lim.margin)
	cmp := benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(is), &t), benchmath.NewSample(allowed, &t))
	v.p, v.compared = cmp.P, true
	switch {
	case worse <= 1:
		v.state = good
	case worse <= 1+lim.margin:
		v.state = within
	case cmp.P < lim.alpha:
		v.state = loss
	default:
		v.state = noise
	}
	return nil
}

// samplesFor is how many samples a side needs before the U test can tell two
// sides apart at all: with n on each, the least p is 2/binomial(2n, n).
func samplesFor(alpha float64) int {
	p := 2.0
	for n := 1; ; n++ {
		p *= float64(n) / float64(2*(2*n-1))
		if p < alpha {
			return n
		}
	}
}

func ratios(s side) []float64 {
	r := make([]float64, len(s.ours))
	for i := range r {
		r[i] = s.ours[i] / s.base[i]
	}
	return r
}

func scaled(xs []float64, by float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = x * by
	}
	return out
}

func median(xs []float64) float64 {
	t := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(xs), &t), 0.95).Center
}

// factor says a ratio of costs in words.
func factor(ratio float64) string {
	if math.IsNaN(ratio) {
		return "no ratio"
	}
	if ratio < 1 {
		return fmt.Sprintf("%.3gx faster", 1/ratio)
	}
	return fmt.Sprintf("%.3gx slower", ratio)
}
