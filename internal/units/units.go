// Package units counts and cuts text in UTF-16 code units, the length of a
// string as a guest sees it (ECMA-262 section 6.1.4).
package units

import "unicode/utf16"

// Count returns the length of s.
func Count(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// Cut shortens s to at most limit units, never inside a surrogate pair.
func Cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > limit {
			return s[:i]
		}
	}
	return s
}
