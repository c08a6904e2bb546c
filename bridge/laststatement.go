package bridge

import "strings"

// The search for the last statement is bounded by what it compiles, in bytes.
const (
	searchSize  = 1 << 20
	attemptSize = 128 // of an attempt that fails, about: most fail at once
)

// lastExpression finds where the last statement begins, if that is an
// expression statement. It goes back from the end, over the places where a
// statement can begin; the first tail that compiles by itself and begins at a
// border between two statements is the last one.
func (s *source) lastExpression(c compiler, whole string) (at int, found bool, err error) {
	text := s.text
	left := max(searchSize, 4*len(text))
	for end := len(text); left > 0; end = at - 1 {
		at = statementStart(text, end)
		if !s.trivia()[at] && mayBeginStatement(text[at:]) && !continues(text[:at]) {
			left -= attemptSize + (len(text)-at)/256
			stands, err := c.try(body(text[at:]), false)
			if err != nil {
				return 0, false, err
			}
			if stands {
				left -= len(text) + len(text)/4
				border, err := isBorder(c.surely(), text, at, whole)
				if err != nil {
					return 0, false, err
				}
				if border {
					return s.isExpressionTail(c.surely(), at)
				}
			}
		}
		if at == 0 {
			break
		}
	}
	return 0, false, nil
}

// statementStart returns the last place before end at which the outermost
// statement can begin: behind a semicolon, a closing brace or a line end.
func statementStart(text string, end int) int {
	for i := end - 1; i > 0; i-- {
		switch text[i-1] {
		case ';', '}', '\n', '\r':
			return i
		}
	}
	return 0
}

// mayBeginStatement reports whether the text's first character can begin a
// statement. It spares the parser most of the places inside of one.
func mayBeginStatement(text string) bool {
	text = strings.TrimLeftFunc(text, isSpace)
	return text == "" || strings.IndexByte(")]},:?=*%&|^>", text[0]) < 0
}

// continues reports whether a line ends in an operator, so that no statement
// ends there. A line that could be a comment is not judged.
func continues(text string) bool {
	n := len(text)
	if n == 0 || text[n-1] != '\n' && text[n-1] != '\r' {
		return false
	}
	text = text[strings.LastIndexAny(text[:n-1], "\n\r")+1:]
	if strings.IndexByte(text, '/') >= 0 {
		return false
	}
	text = strings.TrimRightFunc(text, isSpace)
	return text != "" && strings.IndexByte("+-*%&|^=<>?:,.([!~", text[len(text)-1]) >= 0 &&
		!strings.HasSuffix(text, "++") && !strings.HasSuffix(text, "--")
}

// isBorder reports whether one statement ends and another begins at a place. A
// semicolon there must not change the compiled code, and a throw must: it would
// not inside a comment, or where nothing is reached.
func isBorder(c compiler, text string, at int, whole string) (bool, error) {
	if at == 0 {
		return true, nil
	}
	with, ok, err := c.stripped(body(text[:at] + ";" + text[at:]))
	if !ok || err != nil || with != whole {
		return false, err
	}
	with, ok, err = c.stripped(body(text[:at] + ";throw 0;" + text[at:]))
	return ok && with != whole, err
}

// isExpressionTail reports whether what begins at a border is one expression
// statement.
func (s *source) isExpressionTail(c compiler, at int) (int, bool, error) {
	tail := s.text[at:]
	if startsDeclaration(tail) {
		return 0, false, nil
	}
	ok, err := c.try(body(loopOpen+s.trivia().trimSemicolons(s.text, at)+loopClose), false)
	if !ok || err != nil {
		return 0, false, err
	}
	ok, err = c.try(body(s.text[:at]+giveBack+tail), false)
	return at, ok, err
}

// startsDeclaration reports whether a statement begins with a token that an
// expression statement must not begin with (ECMA-262 section 14.5).
func startsDeclaration(s string) bool {
	s = skipTrivia(s)
	if strings.HasPrefix(s, "{") {
		return true
	}
	word := s[:len(s)-len(strings.TrimLeftFunc(s, isWordPart))]
	switch word {
	case "function", "class", "let":
		return true
	case "async":
		next := skipTrivia(s[len(word):])
		return strings.HasPrefix(next, "function") && !isWordPart(rune((next + " ")[len("function")]))
	}
	return false
}

func isWordPart(r rune) bool {
	return r == '$' || r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7F && !isSpace(r)
}
