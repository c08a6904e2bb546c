package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"golang.org/x/perf/benchmath"
)

// seconds writes a time with three digits and the unit that suits it.
func seconds(s float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"ns", 1e-9}, {"µs", 1e-6}, {"ms", 1e-3}, {"s", 1}} {
		// 999.6 of a unit rounds to 1000: it is 1 of the next.
		if v := s / u.size; v < 999.5 || u.name == "s" {
			return digits(v) + " " + u.name
		}
	}
	return ""
}

// times writes how many times as much something is.
func times(ratio float64) string { return digits(ratio) + "×" }

// digits writes a number with three significant digits and no exponent.
func digits(v float64) string {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return fmt.Sprint(v)
	}
	decimals := 2 - int(math.Floor(math.Log10(math.Abs(v))))
	scale := math.Pow(10, float64(decimals))
	rounded := math.Round(v*scale) / scale
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func median(xs []float64) float64 {
	t := benchmath.DefaultThresholds
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(xs), &t), 0.95).Center
}

func geomean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(xs)))
}
