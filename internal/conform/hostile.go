package conform

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// HostileProgram is one file of the hostile corpus.
type HostileProgram struct{ Name, Source string }

// Hostile reads every .js file of a directory, in the order of their names.
func Hostile(dir string) ([]HostileProgram, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.js"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("conform: no programs (*.js) in %s", dir)
	}
	slices.Sort(files)
	var all []HostileProgram
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		all = append(all, HostileProgram{
			Name:   strings.TrimSuffix(filepath.Base(file), ".js"),
			Source: strings.ToValidUTF8(string(text), "\ufffd"),
		})
	}
	return all, nil
}
