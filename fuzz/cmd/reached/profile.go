package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// block is a stretch of a file that is executed as a whole, as a profile has it.
type block struct {
	from, to   place
	statements int
}

// place is a line and a column, both from 1.
type place struct{ line, column int }

func (p place) before(q place) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// blocks are those of one file, and how often each was executed.
type blocks map[block]uint64

// at returns the innermost block that a place is in.
func (list blocks) at(p place) (in block, ok bool) {
	for b := range list {
		if !p.before(b.from) && p.before(b.to) && (!ok || in.from.before(b.from)) {
			in, ok = b, true
		}
	}
	return in, ok
}

var profileLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// readProfile reads what go test -coverprofile wrote, by file. Each test binary
// has a line for each block; they are added up.
func readProfile(name string) (map[string]blocks, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading the profile: %w", err)
	}
	first, rest, _ := strings.Cut(string(text), "\n")
	switch strings.TrimSpace(first) {
	case "mode: set", "mode: count", "mode: atomic":
	default:
		return nil, fmt.Errorf("%s:1: %.60q is not the first line of a cover profile, as go test -coverprofile writes it", name, first)
	}
	files := map[string]blocks{}
	number := 1
	for line := range strings.Lines(rest) {
		number++
		m := profileLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return nil, fmt.Errorf("%s:%d: %.60q is no line of a cover profile", name, number, line)
		}
		var n [6]int
		for i, digits := range m[2:] {
			if n[i], err = strconv.Atoi(digits); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, number, err)
			}
		}
		if files[m[1]] == nil {
			files[m[1]] = blocks{}
		}
		files[m[1]][block{place{n[0], n[1]}, place{n[2], n[3]}, n[4]}] += uint64(n[5])
	}
	return files, nil
}
