// Command plot turns benchmark results into the results page.
//
//	go run ./bench/plot -dir bench bench/results.txt
//
// It writes cold.svg and calls.svg into the directory and puts tables between
// the markers in its README.md, so that everything the page claims comes from
// the file beside it. -require names the table of promises; by default it is
// ratios.txt in the directory.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/guestjs/guestjs/bench/internal/promise"
	"github.com/guestjs/guestjs/bench/internal/results"
)

func main() {
	err := run(os.Args[1:], os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

// charts are the pictures of the page.
var charts = []struct {
	file, title, note string
	selection, unit   string
}{
	{
		"cold.svg", "A fresh, isolated run of 1 + 2", "median, logarithmic scale, less is better",
		".name:Run /program:trivial pkg:/peers$/", "sec/op",
	},
	{
		"calls.svg", "One awaited host call", "median of a run of 1,000, one in flight, logarithmic scale, less is better",
		".name:Call /inflight:1 /kind:async pkg:/peers$/", "sec/call",
	},
}

func run(args []string, stderr io.Writer) error {
	fs := flag.NewFlagSet("plot", flag.ContinueOnError)
	fs.SetOutput(stderr)
	dir := fs.String("dir", "bench", "`directory` of the page")
	require := fs.String("require", "", "`file` with the table of promises; default ratios.txt in the directory")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *require == "" {
		*require = filepath.Join(*dir, "ratios.txt")
	}
	set, err := results.Read(fs.Args()...)
	if err != nil {
		return err
	}
	table, err := os.ReadFile(*require)
	if err != nil {
		return err
	}
	rows, err := promise.ParseTable(*require, string(table))
	if err != nil {
		return err
	}
	for _, c := range charts {
		series, err := set.Samples(c.selection, c.unit)
		if err != nil {
			return fmt.Errorf("%s: %w", c.file, err)
		}
		svg := chart{title: c.title, note: c.note, bars: bars(series)}.svg()
		if err := os.WriteFile(filepath.Join(*dir, c.file), []byte(svg), 0o644); err != nil {
			return err
		}
	}
	return page(filepath.Join(*dir, "README.md"), rows, set)
}

// page replaces what stands between the markers of a file.
func page(path string, rows []promise.Row, set *results.Set) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	body, err := tables(rows, set)
	if err != nil {
		return err
	}
	out, err := between(string(text), body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(out), 0o644)
}
