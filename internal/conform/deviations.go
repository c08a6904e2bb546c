package conform

import (
	"fmt"
	"os"
	"path"
	"strings"
)

// deviation is one row of DEVIATIONS.md.
type deviation struct {
	row                    string // the first three cells, for messages
	id                     string // an id, or a pattern of path.Match
	expects, gives, reason string
}

// covers reports whether the row speaks of this vector and of this difference.
func (d deviation) covers(id string, expected, got Value) bool {
	matched, err := path.Match(d.id, id)
	return err == nil && matched &&
		strings.Contains(Stringify(expected), d.expects) && strings.Contains(Stringify(got), d.gives)
}

// readDeviations reads the rows of a Markdown table with the columns id,
// expected, given and reason. The first three are in backticks; the second and
// third may be empty.
func readDeviations(file string) ([]deviation, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list []deviation
	seen := map[string]bool{}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| id ") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			return nil, fmt.Errorf("%s:%d: %d cells; id, expected, given and reason are needed", file, n+1, len(cells))
		}
		var d deviation
		for i, into := range []*string{&d.id, &d.expects, &d.gives} {
			cell := strings.TrimSpace(cells[i])
			*into = strings.Trim(cell, "`")
			if cell != "" && (len(cell) < 3 || "`"+*into+"`" != cell) {
				return nil, fmt.Errorf("%s:%d: %q is not in backticks", file, n+1, cell)
			}
		}
		d.reason = strings.TrimSpace(cells[3])
		d.row = strings.Join(strings.Fields(d.id+" "+d.expects+" "+d.gives), " ")
		switch {
		case !strings.Contains(d.id, "/"):
			return nil, fmt.Errorf("%s:%d: %q is not category/slug", file, n+1, d.id)
		case strings.ContainsAny(d.id, "*?[") && (d.expects == "" || d.gives == ""):
			return nil, fmt.Errorf("%s:%d: a pattern must say what is expected and what is given", file, n+1)
		case d.reason == "":
			return nil, fmt.Errorf("%s:%d: %s has no reason", file, n+1, d.id)
		case seen[d.row]:
			return nil, fmt.Errorf("%s:%d: %s is there twice", file, n+1, d.row)
		}
		seen[d.row] = true
		list = append(list, d)
	}
	return list, nil
}
