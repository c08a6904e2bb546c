// Command gate reads benchmark results and fails when what they show is worse
// than what is promised.
//
//	gate -require ratios.txt results.txt
//	gate -require ratios.txt old.txt new.txt
//	gate -ours /engine:guestjs -baseline /engine:modernc old.txt new.txt
//
// It compares ratios only: a benchmark of ours against a named baseline that
// was measured beside it, on the same machine in the same run. With one file it
// holds each ratio against the bound that a table states; with two it holds the
// ratios of the new file against those of the old, which may be of another
// machine. Absolute times are never looked at.
//
// A loss counts when it is beyond the margin and significant: the samples of
// the two sides differ by the Mann-Whitney U test (benchmath.AssumeNothing) at
// the level alpha once the margin has been allowed for. Several benchmarks in
// one row count as their geometric mean, taken round by round.
//
// The exit code is 0 when all is well, 1 when there is a loss, 2 when the
// question cannot be answered: bad input, a missing baseline, too few samples.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/guestjs/guestjs/bench/internal/promise"
	"github.com/guestjs/guestjs/bench/internal/results"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const (
	exitOK   = 0
	exitLoss = 1
	exitBad  = 2
)

// options are the flags.
type options struct {
	require        string
	ours, baseline string
	unit, bound    string
	partial        bool
	limits         promise.Limits
	files          []string
}

func run(args []string, stdout, stderr io.Writer) int {
	opts, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(stderr, "gate:", err)
		return exitBad
	}
	verdicts, err := judge(opts)
	if err != nil {
		fmt.Fprintln(stderr, "gate:", err)
		return exitBad
	}
	losses := report(stdout, verdicts)
	if losses > 0 {
		fmt.Fprintf(stderr, "gate: %d of %d lost\n", losses, len(verdicts))
		return exitLoss
	}
	return exitOK
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("gate", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.require, "require", "", "`file` with a table of rows: subject | ours | baseline | unit | bound")
	fs.StringVar(&o.ours, "ours", "", "`selection` of our benchmarks, instead of a table")
	fs.StringVar(&o.baseline, "baseline", "", "`selection` of the benchmarks beside them")
	fs.StringVar(&o.unit, "unit", "sec/op", "`unit` that is compared with -ours and -baseline")
	fs.StringVar(&o.bound, "bound", "", "`bound` of -ours against -baseline in one file: \"faster 15\" or \"slower 2.5\"")
	fs.BoolVar(&o.partial, "partial", false, "pass over rows of which nothing was measured")
	fs.Float64Var(&o.limits.Margin, "margin", 0.10, "part by which a ratio may be worse than its bound")
	fs.Float64Var(&o.limits.Alpha, "alpha", 0.05, "level of significance")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	o.files = fs.Args()
	switch {
	case len(o.files) < 1 || len(o.files) > 2:
		return o, fmt.Errorf("want one file of results, or an old and a new one; got %d", len(o.files))
	case (o.require == "") == (o.ours == "" && o.baseline == ""):
		return o, errors.New("want either -require or both -ours and -baseline")
	case o.require == "" && (o.ours == "" || o.baseline == ""):
		return o, errors.New("-ours and -baseline go together")
	case o.require == "" && len(o.files) == 1 && o.bound == "":
		return o, errors.New("with one file, -ours and -baseline need a -bound such as \"faster 15\"")
	case !(o.limits.Margin >= 0 && o.limits.Margin < 1):
		return o, fmt.Errorf("-margin is %v; want a part of at least 0 and below 1", o.limits.Margin)
	case !(o.limits.Alpha > 0 && o.limits.Alpha < 1):
		return o, fmt.Errorf("-alpha is %v; want a level between 0 and 1", o.limits.Alpha)
	}
	return o, nil
}

// judge reads what the flags name and gives a verdict on each row.
func judge(o options) ([]promise.Verdict, error) {
	rows, err := o.rows()
	if err != nil {
		return nil, err
	}
	sets := make([]*results.Set, len(o.files))
	for i, f := range o.files {
		if sets[i], err = results.Read(f); err != nil {
			return nil, err
		}
	}
	if len(sets) == 1 {
		return promise.AgainstBounds(rows, sets[0], o.limits, o.partial)
	}
	return promise.AgainstOld(rows, sets[0], sets[1], o.limits, o.partial)
}

func (o options) rows() ([]promise.Row, error) {
	if o.require == "" {
		r := promise.Row{Subject: o.ours, Ours: o.ours, Baseline: o.baseline, Unit: o.unit, Each: true}
		if o.bound != "" {
			var err error
			if r.Bound, err = promise.ParseBound(o.bound); err != nil {
				return nil, fmt.Errorf("-bound: %w", err)
			}
		}
		return []promise.Row{r}, nil
	}
	text, err := os.ReadFile(o.require)
	if err != nil {
		return nil, err
	}
	return promise.ParseTable(o.require, string(text))
}

// report prints the verdicts and returns how many are losses.
func report(w io.Writer, verdicts []promise.Verdict) (losses int) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "subject\tmeasured\twanted\tp\tn\tverdict")
	for _, v := range verdicts {
		if v.State == promise.Loss {
			losses++
		}
		p := "-"
		if v.Compared {
			p = fmt.Sprintf("%.3f", v.P)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d\t%s\n", v.Subject, v.Measured, v.Wanted, p, v.N, v.State)
	}
	if err := t.Flush(); err != nil {
		return losses // nothing is left to write to
	}
	return losses
}
