package main

import (
	"fmt"
	"strings"
	"unicode"
)

// visible returns a guest's text with control characters written out, all but
// line feeds and tabs: a program must not steer the terminal that shows it.
func visible(s string) string {
	steers := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	}
	if !strings.ContainsFunc(s, steers) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if steers(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// maxShownLine is how much of a source line is shown, in characters.
const maxShownLine = 100

// excerpt returns the line at a place of the source and a caret under the
// column, both from 1, or "" when there is no such place. Columns
// count code points. Of a long line it is the part around the column.
func excerpt(source string, line, column int) string {
	lines := strings.Split(source, "\n")
	if line < 1 || line > len(lines) || column < 1 {
		return ""
	}
	at := []rune(strings.TrimSuffix(lines[line-1], "\r"))
	caret := min(column-1, len(at))
	if len(at) > maxShownLine {
		from := max(0, min(caret-maxShownLine/2, len(at)-maxShownLine))
		at, caret = at[from:from+maxShownLine], caret-from
	}
	// What stands before the caret is written twice, the second time as space of
	// the same width: a tab stays one.
	space := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, visible(string(at[:caret])))
	return fmt.Sprintf("    %s\n    %s^\n", visible(string(at)), space)
}
