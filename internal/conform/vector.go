package conform

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Vector is one line of a vector file.
type Vector struct {
	ID, Category string
	// Input has its generators written out.
	Input Object
	// Expected may hold matchers.
	Expected Value
	Better   string

	EngineDependent, HostDependent, Assumption, Quirk bool
}

// Slug is the part of the id after the category.
func (v Vector) Slug() string { return strings.TrimPrefix(v.ID, v.Category+"/") }

// Vectors reads every .jsonl file of a directory. The result is by category, in
// the order of the lines.
func Vectors(dir string) (map[string][]Vector, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("conform: no vector files (*.jsonl) in %s", dir)
	}
	all := map[string][]Vector{}
	seen := map[string]bool{}
	for _, file := range files {
		err := eachLine(file, func(o Object) error {
			v, err := vector(o)
			if err != nil {
				return err
			}
			if seen[v.ID] {
				return fmt.Errorf("id %s is there twice", v.ID)
			}
			seen[v.ID] = true
			all[v.Category] = append(all[v.Category], v)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func vector(o Object) (Vector, error) {
	v := Vector{
		ID: o.Text("id"), Category: o.Text("category"), Better: o.Text("better"),
		EngineDependent: flag(o, "engineDependent"), HostDependent: flag(o, "hostDependent"),
		Assumption: flag(o, "assumption"), Quirk: flag(o, "quirk"),
	}
	if v.ID == "" || v.Category == "" {
		return v, fmt.Errorf("a line without id or category")
	}
	raw, _ := o.Get("input")
	input, err := Expand(raw)
	if err != nil {
		return v, fmt.Errorf("%s: %w", v.ID, err)
	}
	v.Input, _ = input.(Object)
	var ok bool
	if v.Expected, ok = o.Get("expected"); !ok {
		return v, fmt.Errorf("%s has no expectation", v.ID)
	}
	return v, nil
}

func flag(o Object, name string) bool {
	v, _ := o.Get(name)
	return v == true
}

// eachLine reads a file of one JSON object a line.
func eachLine(file string, each func(Object) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		v, err := Parse(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
		o, ok := v.(Object)
		if !ok {
			return fmt.Errorf("%s:%d: not an object", file, n)
		}
		if err := each(o); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		}
	}
	return lines.Err()
}

// Categories returns the names of all in a fixed order.
func Categories(all map[string][]Vector) []string {
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
