package main

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/guestjs/guestjs/bench/internal/results"
)

// chart is a picture of horizontal bars on a logarithmic scale of seconds.
type chart struct {
	title, note string
	bars        []bar
}

// bar is one engine.
type bar struct {
	name        string
	value       float64 // seconds, the median
	least, most float64 // of the samples
	ours        bool    // drawn strong
}

// bars takes the engines out of series, the quickest first.
func bars(series []results.Series) []bar {
	list := make([]bar, len(series))
	for i, s := range series {
		list[i] = bar{
			name: s.Parts["engine"], value: median(s.Values),
			least: slices.Min(s.Values), most: slices.Max(s.Values),
			ours: s.Parts["engine"] == "guestjs",
		}
	}
	slices.SortFunc(list, func(a, b bar) int {
		switch {
		case a.value < b.value:
			return -1
		case a.value > b.value:
			return 1
		}
		return strings.Compare(a.name, b.name)
	})
	return list
}

// The measures of a chart, in pixels.
const (
	width   = 760
	labels  = 170 // the column of names
	right   = 130 // room for the numbers
	top     = 64
	step    = 34
	thick   = 20
	bottom  = 40
	plotted = width - labels - right
)

// svg draws the chart. Colours follow the reader's colour scheme.
func (c chart) svg() string {
	lo, hi := c.decades()
	x := func(v float64) float64 {
		return labels + plotted*(math.Log10(v)-float64(lo))/float64(hi-lo)
	}
	height := top + step*len(c.bars) + bottom
	floor := top + step*len(c.bars)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s" font-family="system-ui, 'DejaVu Sans', sans-serif">`,
		width, height, width, height, html.EscapeString(c.words()))
	b.WriteString(style)
	fmt.Fprintf(&b, "<rect class=\"back\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", width, height)
	fmt.Fprintf(&b, "<text class=\"ink\" x=\"16\" y=\"28\" font-size=\"17\" font-weight=\"600\">%s</text>\n", html.EscapeString(c.title))
	fmt.Fprintf(&b, "<text class=\"soft\" x=\"16\" y=\"48\" font-size=\"12\">%s</text>\n", html.EscapeString(c.note))
	for d := lo; d <= hi; d++ {
		v := math.Pow10(d)
		fmt.Fprintf(&b, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x(v), x(v), top, floor)
		fmt.Fprintf(&b, "<text class=\"soft\" x=\"%.1f\" y=\"%d\" font-size=\"11\" text-anchor=\"middle\">%s</text>\n", x(v), floor+18, seconds(v))
	}
	ours := c.oursValue()
	for i, bar := range c.bars {
		y := top + step*i + (step-thick)/2
		class, weight := "their", "400"
		if bar.ours {
			class, weight = "our", "600"
		}
		mid := y + thick/2
		fmt.Fprintf(&b, "<text class=\"ink\" x=\"%d\" y=\"%d\" font-size=\"13\" font-weight=\"%s\" text-anchor=\"end\">%s</text>\n",
			labels-10, mid+5, weight, html.EscapeString(bar.name))
		fmt.Fprintf(&b, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n", class, labels, y, max(x(bar.value)-labels, 1), thick)
		fmt.Fprintf(&b, "<line class=\"whisker\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x(bar.least), x(bar.most), mid, mid)
		text := seconds(bar.value)
		if ours > 0 && !bar.ours {
			text += " · " + times(bar.value/ours)
		}
		fmt.Fprintf(&b, "<text class=\"ink number\" x=\"%.1f\" y=\"%d\" font-size=\"12\" font-weight=\"%s\">%s</text>\n", x(bar.most)+8, mid+4, weight, text)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

const style = `
<style>
.back { fill: #ffffff } .ink { fill: #1f2328 } .soft { fill: #59636e }
.number { paint-order: stroke; stroke: #ffffff; stroke-width: 5 }
.our { fill: #0969da } .their { fill: #afb8c1 }
.grid { stroke: #d1d9e0; stroke-width: 1 } .whisker { stroke: #1f2328; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  .back { fill: #0d1117 } .ink { fill: #e6edf3 } .soft { fill: #9198a1 }
  .number { stroke: #0d1117 } .our { fill: #4493f8 } .their { fill: #59636e }
  .grid { stroke: #30363d } .whisker { stroke: #e6edf3 }
}
</style>
`

// decades are the powers of ten that hold every bar, at least one decade.
func (c chart) decades() (lo, hi int) {
	least, most := math.Inf(1), 0.0
	for _, b := range c.bars {
		least, most = min(least, b.least), max(most, b.most)
	}
	// The shortest bar keeps some length: its decade begins below it.
	lo, hi = int(math.Floor(math.Log10(least/1.5))), int(math.Ceil(math.Log10(most)))
	return lo, max(hi, lo+1)
}

func (c chart) oursValue() float64 {
	for _, b := range c.bars {
		if b.ours {
			return b.value
		}
	}
	return 0
}

// words are the chart for those who cannot see it.
func (c chart) words() string {
	parts := make([]string, len(c.bars))
	for i, b := range c.bars {
		parts[i] = b.name + " " + seconds(b.value)
	}
	return c.title + ": " + strings.Join(parts, ", ")
}
