package bridge

import (
	"unicode/utf16"
	"unicode/utf8"
)

// maxText bounds every error text that is shown, in UTF-16 units.
const maxText = 4000

// units counts UTF-16 units.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut shortens s to at most max UTF-16 units, never inside a pair.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	n := 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > max {
			return s[:i]
		}
	}
	return s
}

// characters counts code points.
func characters(s string) int { return utf8.RuneCountInString(s) }
