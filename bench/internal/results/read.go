package results

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Set is everything that was read from one or more files.
type Set struct {
	results []*benchfmt.Result
	units   benchfmt.UnitMetadataMap
}

// Read reads files of benchmark results, in order. The name "-" is standard
// input. A line that starts like a result and is none is an error that names
// the file and line, and so is a failure of the tests that made the file: a
// result beside a failure proves nothing.
func Read(paths ...string) (*Set, error) {
	if len(paths) == 0 {
		return nil, errors.New("results: no file given")
	}
	s := &Set{units: benchfmt.UnitMetadataMap{}}
	for _, path := range paths {
		text, err := readFile(path)
		if err != nil {
			return nil, fmt.Errorf("results: %w", err)
		}
		if err := s.Add(path, text); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Add reads text as one more file called name.
func (s *Set) Add(name string, text []byte) error {
	if s.units == nil {
		s.units = benchfmt.UnitMetadataMap{}
	}
	if line, what := failure(text); line > 0 {
		return fmt.Errorf("results: %s:%d: %q: the run that made this file failed", name, line, what)
	}
	found := false
	r := benchfmt.NewReader(bytes.NewReader(text), name)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return fmt.Errorf("results: %w", rec)
		case *benchfmt.Result:
			s.results = append(s.results, rec.Clone())
			found = true
		}
	}
	if err := r.Err(); err != nil {
		return fmt.Errorf("results: %s: %w", name, err)
	}
	if !found {
		return fmt.Errorf("results: %s: no benchmark results; want lines such as \"BenchmarkRun/engine=x 100 2000 ns/op\"", name)
	}
	for k, v := range r.Units() {
		s.units[k] = v
	}
	return nil
}

// Config returns a configuration value of the files, such as "cpu", or "".
// When files differ the first one that has it counts.
func (s *Set) Config(key string) string {
	for _, r := range s.results {
		if v := r.GetConfig(key); v != "" {
			return v
		}
	}
	return ""
}

func readFile(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}

// failure finds a line by which go test says that something failed.
func failure(text []byte) (line int, what string) {
	for l := range strings.Lines(string(text)) {
		line++
		for _, prefix := range []string{"--- FAIL", "FAIL", "panic:", "fatal error:"} {
			if strings.HasPrefix(l, prefix) {
				return line, strings.TrimSpace(l)
			}
		}
	}
	return 0, ""
}
