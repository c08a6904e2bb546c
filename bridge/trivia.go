package bridge

import (
	"strings"
	"unicode/utf8"
)

// trivia knows for every offset of a text whether nothing but semicolons, white
// space and comments follows there, for an offset that does not lie inside a
// string or comment. It is found in one pass from the end: asked at each
// semicolon anew, a hostile text would take time in the square of its length.
type trivia []bool

func triviaOf(s string) trivia {
	only := make(trivia, len(s)+1)
	only[len(s)] = true
	line, close := len(s), -1 // the next line end, and what follows the next "*/"
	for i := len(s); i > 0; {
		r, n := utf8.DecodeLastRuneInString(s[:i])
		i -= n
		switch {
		case r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029':
			line = i
			only[i] = only[i+n]
		case r == ';' || isSpace(r):
			only[i] = only[i+n]
		case r == '/' && strings.HasPrefix(s[i:], "//"):
			only[i] = only[line]
		case r == '/' && strings.HasPrefix(s[i:], "/*"):
			// "/*/" does not close itself.
			end := close
			if strings.HasPrefix(s[i:], "/*/") {
				end = closeAfter(s, i+2)
			}
			only[i] = end >= 0 && only[end]
		}
		if strings.HasPrefix(s[i:], "*/") {
			close = i + 2
		}
	}
	return only
}

// closeAfter returns what follows the first "*/" at or after i, or -1.
func closeAfter(s string, i int) int {
	if n := strings.Index(s[i:], "*/"); n >= 0 {
		return i + n + 2
	}
	return -1
}

// trimSemicolons drops all but the first semicolon of a run at the end of
// s[from:], with comments and white space between and behind them.
func (only trivia) trimSemicolons(s string, from int) string {
	for i := from; i < len(s); i++ {
		n := strings.IndexByte(s[i:], ';')
		if n < 0 {
			break
		}
		if i += n; only[i] {
			return s[from : i+1]
		}
	}
	return s[from:]
}

// skipTrivia drops white space and comments at the start.
func skipTrivia(s string) string {
	for {
		t := strings.TrimLeftFunc(s, isSpace)
		switch {
		case strings.HasPrefix(t, "//"):
			i := strings.IndexAny(t, "\n\r\u2028\u2029")
			if i < 0 {
				return ""
			}
			t = t[i:]
		case strings.HasPrefix(t, "/*"):
			i := strings.Index(t[2:], "*/")
			if i < 0 {
				return ""
			}
			t = t[i+4:]
		}
		if len(t) == len(s) {
			return t
		}
		s = t
	}
}
