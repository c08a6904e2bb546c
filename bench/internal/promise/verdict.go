package promise

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/guestjs/guestjs/bench/internal/results"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// Limits say what counts as a loss.
type Limits struct {
	// Margin is the part by which a ratio may be worse than it should be.
	Margin float64
	// Alpha is the level of significance.
	Alpha float64
}

// State is what became of a row.
type State string

// The states. Only Loss is one.
const (
	Good   State = "ok"
	Within State = "ok, within the margin"
	Noise  State = "ok, not significant"
	Loss   State = "LOSS"
	Absent State = "not measured"
)

// Verdict is what the measurements say about a row.
type Verdict struct {
	// Subject is the row's, or the name of the pair where each stands for itself.
	Subject string
	// Measured and Wanted are in words: "12x faster", "faster 15".
	Measured, Wanted string
	// P is the probability of such samples if both sides were the same, when
	// Compared is set.
	P        float64
	Compared bool
	// N is the number of rounds.
	N int
	// State says whether it is a loss.
	State State
}

// AgainstBounds holds each row's ratio within one run against its bound.
func AgainstBounds(rows []Row, set *results.Set, lim Limits, partial bool) ([]Verdict, error) {
	var verdicts []Verdict
	for _, r := range rows {
		cases, err := r.measure(set)
		if absentRow(err, r) && partial {
			verdicts = append(verdicts, Verdict{Subject: r.Subject, Measured: "-", Wanted: r.Bound.text, State: Absent})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Subject, err)
		}
		for _, c := range cases {
			v, err := c.bounded(r, lim)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.subject, err)
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts, nil
}

// AgainstOld holds each row's ratio in one run against that in an older one.
func AgainstOld(rows []Row, before, after *results.Set, lim Limits, partial bool) ([]Verdict, error) {
	var verdicts []Verdict
	for _, r := range rows {
		was, err := r.measure(before)
		if err != nil && !absentRow(err, r) {
			return nil, fmt.Errorf("%s: old: %w", r.Subject, err)
		}
		is, err2 := r.measure(after)
		if err2 != nil && !absentRow(err2, r) {
			return nil, fmt.Errorf("%s: new: %w", r.Subject, err2)
		}
		if err != nil || err2 != nil {
			// A subject only one file has cannot be compared. One that went
			// away is an error all the same, unless asked for.
			if err2 != nil && !partial {
				return nil, fmt.Errorf("%s: new: %w", r.Subject, err2)
			}
			verdicts = append(verdicts, Verdict{Subject: r.Subject, Measured: "-", Wanted: "-", State: Absent})
			continue
		}
		for _, c := range is {
			i := slices.IndexFunc(was, func(o side) bool { return o.subject == c.subject })
			if i < 0 {
				verdicts = append(verdicts, Verdict{Subject: c.subject, Measured: "-", Wanted: "-", State: Absent})
				continue
			}
			v, err := c.since(was[i], lim)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.subject, err)
			}
			verdicts = append(verdicts, v)
		}
	}
	return verdicts, nil
}

// absentRow reports whether nothing at all was measured of a row's own side. A
// missing baseline is another matter: then there is a claim without a witness.
func absentRow(err error, r Row) bool {
	var e *results.Empty
	return errors.As(err, &e) && e.Selection == r.Ours
}

// side is the samples of one comparison, round by round. An absolute count has
// no base.
type side struct {
	subject    string
	ours, base []float64
}

// measure takes a row's samples out of a set.
func (r Row) measure(set *results.Set) ([]side, error) {
	if set.HigherIsBetter(r.Unit) {
		return nil, fmt.Errorf("more is better in %s; state the row in a unit of cost", r.Unit)
	}
	if r.Baseline == "" {
		series, err := set.Samples(r.Ours, r.Unit)
		if err != nil {
			return nil, err
		}
		if len(series) > 1 {
			return nil, fmt.Errorf("%q matches both %s and %s; an absolute count is of one benchmark", r.Ours, series[0].Name, series[1].Name)
		}
		return []side{{subject: r.Subject, ours: series[0].Values}}, nil
	}
	pairs, err := set.Pair(r.Ours, r.Baseline, r.Unit)
	if err != nil {
		return nil, err
	}
	if !r.Each {
		s := side{subject: r.Subject}
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
func (s side) bounded(r Row, lim Limits) (Verdict, error) {
	v := Verdict{Subject: s.subject, Wanted: r.Bound.text, N: len(s.ours)}
	if s.base == nil {
		return s.counted(v, r), nil
	}
	ratio := median(s.ours) / median(s.base)
	v.Measured = factor(ratio)
	return v, v.compare(s.ours, scaled(s.base, r.Bound.most), ratio/r.Bound.most, lim)
}

// counted judges an absolute count: a loss when every sample is over. Counts
// have no margin; they do not depend on how fast the machine is.
func (s side) counted(v Verdict, r Row) Verdict {
	v.Measured = benchunit.Scale(median(s.ours), benchunit.ClassOf(r.Unit)) + " " + r.Unit
	v.State = Good
	if slices.Min(s.ours) > r.Bound.most {
		v.State = Loss
	} else if median(s.ours) > r.Bound.most {
		v.State = Noise
	}
	return v
}

// since holds the ratio against what it was.
func (s side) since(old side, lim Limits) (Verdict, error) {
	is, was := s.ours, old.ours
	show := func(x float64) string { return fmt.Sprintf("%.4g", x) }
	if s.base != nil {
		is, was, show = ratios(s), ratios(old), factor
	}
	v := Verdict{Subject: s.subject, Measured: show(median(is)), Wanted: show(median(was)) + " before", N: min(len(is), len(was))}
	return v, v.compare(is, was, median(is)/median(was), lim)
}

// compare sets the state: is against the most it should be, of which worse is
// the quotient. The test is made on samples from which the margin is taken off.
func (v *Verdict) compare(is, most []float64, worse float64, lim Limits) error {
	need := samplesFor(lim.Alpha)
	if len(is) < need || len(most) < need {
		return fmt.Errorf("%d and %d samples are too few to tell a loss at the level %v; measure at least %d times (go test -count %d)",
			len(is), len(most), lim.Alpha, need, need)
	}
	t := benchmath.DefaultThresholds
	t.CompareAlpha = lim.Alpha
	allowed := scaled(most, 1+lim.Margin)
	cmp := benchmath.AssumeNothing.Compare(
		benchmath.NewSample(slices.Clone(is), &t), benchmath.NewSample(allowed, &t))
	v.P, v.Compared = cmp.P, true
	switch {
	case worse <= 1:
		v.State = Good
	case worse <= 1+lim.Margin:
		v.State = Within
	case cmp.P < lim.Alpha:
		v.State = Loss
	default:
		v.State = Noise
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
