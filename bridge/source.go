package bridge

import (
	"errors"
	"strings"

	"github.com/guestjs/guestjs/quickjs"
)

// source is a program's text and how it is to be understood. The engine's own
// parser decides that: each reading is compiled, and the first that compiles is
// taken (SPEC section 5). Nothing here looks into code beyond white space, a
// fence around the whole text, and semicolons and comments at its end.
type source struct {
	handed string // as the caller handed it in
	text   string // the program itself
	before string // what comes before it in handed

	form    form
	inserts []insert // what was put in between to make it code
}

type form uint8

const (
	formExpression form = iota // evaluates to the value, or to a function to call
	formBody                   // evaluates to an async function to call
	formModule                 // exports the value, or a function to call, as default
)

// insert says that text was put into the code in front of a place in the
// program, on the same line.
type insert struct {
	at    int // offset in text
	bytes int
}

func newSource(handed string) *source {
	before, text := unfence(handed)
	return &source{handed: handed, before: before, text: text}
}

// unfence trims white space, and a fence if that is all there is around the
// program. It returns what comes before the program, for counting lines.
func unfence(s string) (before, text string) {
	text = strings.TrimLeftFunc(s, isSpace)
	before = s[:len(s)-len(text)]
	text = strings.TrimRightFunc(text, isSpace)
	mark := leadingRun(text)
	if len(mark) < 3 {
		return before, text
	}
	info, body, found := strings.Cut(text, "\n")
	if !found || strings.ContainsAny(info[len(mark):], "`") {
		return before, text
	}
	body = strings.TrimSuffix(body, "\r")
	// The closing fence is the last line, of the same kind and at least as long.
	start := strings.LastIndexByte(body, '\n') + 1
	last := strings.TrimFunc(body[start:], isSpace)
	if len(last) < len(mark) || strings.Trim(last, mark[:1]) != "" {
		return before, text
	}
	inner := body[:start]
	before += info + "\n"
	trimmed := strings.TrimLeftFunc(inner, isSpace)
	before += inner[:len(inner)-len(trimmed)]
	return before, strings.TrimRightFunc(trimmed, isSpace)
}

// leadingRun returns the run of backticks or tildes that s begins with.
func leadingRun(s string) string {
	for _, c := range []string{"`", "~"} {
		if strings.HasPrefix(s, c) {
			return s[:len(s)-len(strings.TrimLeft(s, c))]
		}
	}
	return ""
}

// isSpace reports ECMAScript white space and line ends (ECMA-262 section 12.2).
func isSpace(r rune) bool {
	switch r {
	case '\t', '\v', '\f', ' ', '\u00A0', '\uFEFF', '\n', '\r', '\u2028', '\u2029',
		'\u1680', '\u202F', '\u205F', '\u3000':
		return true
	}
	return r >= '\u2000' && r <= '\u200A'
}

// compiler compiles without running. It is the oracle for what a text is.
type compiler struct {
	qc   *quickjs.Context
	name string
}

// compile returns the code of a text, and whether it compiles. An error that is
// not the guest's own ends the attempt.
func (c compiler) compile(code string, module bool) (v quickjs.Value, ok bool, err error) {
	v, err = c.qc.Compile(code, quickjs.EvalOptions{Name: c.name, Module: module})
	var thrown *quickjs.Exception
	if errors.As(err, &thrown) {
		thrown.Free()
		return v, false, nil
	}
	return v, err == nil, err
}

// try reports whether a text compiles.
func (c compiler) try(code string, module bool) (bool, error) {
	v, ok, err := c.compile(code, module)
	if ok {
		v.Free()
	}
	return ok, err
}

// stripped returns the compiled form of a text without positions, so that two
// texts can be compared for meaning.
func (c compiler) stripped(code string) (data string, ok bool, err error) {
	v, err := c.qc.Compile(code, quickjs.EvalOptions{Name: c.name, StripDebug: true})
	var thrown *quickjs.Exception
	if errors.As(err, &thrown) {
		thrown.Free()
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	b, err := c.qc.WriteCode(v)
	v.Free()
	return string(b), err == nil, err
}

const (
	bodyOpen  = "(async function () {"
	bodyClose = "\n})"
	loopOpen  = "do\n0,"
	loopClose = "\nwhile (0)"
	comma     = "0,"
	giveBack  = ";return 0,"
)

func body(s string) string { return bodyOpen + s + bodyClose }

// understand decides what the text is and returns its code, owned. When no
// reading compiles, the error is the engine's for the body (SPEC 5.5).
func (s *source) understand(c compiler) (code quickjs.Value, err error) {
	if code, ok, err := s.asExpression(c); ok || err != nil {
		return code, err
	}
	if code, ok, err := s.asBody(c); ok || err != nil {
		return code, err
	}
	if code, ok, err := c.compile(s.text, true); ok || err != nil {
		s.set(formModule)
		return code, err
	}
	s.set(formBody, insert{0, len(bodyOpen)})
	return c.qc.Compile(body(s.text), quickjs.EvalOptions{Name: c.name})
}

func (s *source) set(f form, inserts ...insert) { s.form, s.inserts = f, inserts }

// asExpression takes the whole text as one expression. Two wrappings have to
// compile, since a text could close one of them by itself.
func (s *source) asExpression(c compiler) (code quickjs.Value, ok bool, err error) {
	if s.text == "" {
		return code, false, nil
	}
	if code, ok, err = c.compile("("+s.text+"\n)", false); err != nil {
		return code, false, err
	}
	if ok {
		s.set(formExpression, insert{0, 1})
		if ok, err = c.try("["+s.text+"\n]", false); !ok && err == nil {
			code.Free()
		}
		return code, ok, err
	}
	// With semicolons and comments behind it: a loop takes one statement only,
	// and the comma makes that an expression.
	if ok, err = c.try(loopOpen+trimSemicolons(s.text)+loopClose, false); !ok || err != nil {
		return code, false, err
	}
	s.set(formExpression, insert{0, len(comma)})
	return c.compile(comma+s.text, false)
}

// trimSemicolons drops all but the first semicolon of a run at the end of the
// text, with comments and white space between and behind them.
func trimSemicolons(s string) string {
	for i := strings.IndexByte(s, ';'); i >= 0; {
		if onlyTrivia(s[i:]) {
			return s[:i+1]
		}
		next := strings.IndexByte(s[i+1:], ';')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return s
}

// onlyTrivia reports whether s, which does not begin inside a string or comment,
// is nothing but semicolons, white space and comments.
func onlyTrivia(s string) bool {
	for s != "" {
		switch {
		case strings.HasPrefix(s, "//"):
			i := strings.IndexAny(s, "\n\r\u2028\u2029")
			if i < 0 {
				return true
			}
			s = s[i:]
		case strings.HasPrefix(s, "/*"):
			i := strings.Index(s[2:], "*/")
			if i < 0 {
				return false
			}
			s = s[i+4:]
		default:
			t := strings.TrimLeftFunc(s, func(r rune) bool { return r == ';' || isSpace(r) })
			if len(t) == len(s) {
				return false
			}
			s = t
		}
	}
	return true
}

// asBody takes the text as the body of an async function. When its last
// statement is an expression, that is what the function returns.
func (s *source) asBody(c compiler) (code quickjs.Value, ok bool, err error) {
	whole, ok, err := c.stripped(body(s.text))
	if !ok || err != nil {
		return code, false, err
	}
	// A text that closes the wrapper itself does not stand on its own either.
	if ok, err := c.try("(async () => {"+s.text+"\n}, 0)", false); !ok || err != nil {
		return code, false, err
	}
	at, found, err := lastExpression(c, s.text, whole)
	if err != nil {
		return code, false, err
	}
	if !found {
		s.set(formBody, insert{0, len(bodyOpen)})
		return c.compile(body(s.text), false)
	}
	s.set(formBody, insert{0, len(bodyOpen)}, insert{at, len(giveBack)})
	return c.compile(body(s.text[:at]+giveBack+s.text[at:]), false)
}

// maxTails bounds how many places are tried as the start of the last statement.
const maxTails = 400

// lastExpression finds where the last statement begins, if that is an
// expression statement. It goes back from the end, over the places where a
// statement can begin; the first tail that compiles by itself holds the last
// statement or ends with it. That the place is a border between two statements
// is shown by a semicolon put there: it must not change the compiled code.
func lastExpression(c compiler, text, whole string) (at int, found bool, err error) {
	end := len(text)
	for tries := 0; tries < maxTails; tries++ {
		at = statementStart(text, end)
		tail := text[at:]
		end = at - 1
		if !onlyTrivia(tail) {
			stands, err := c.try(body(tail), false)
			if err != nil {
				return 0, false, err
			}
			if stands {
				border, err := isBorder(c, text, at, whole)
				if err != nil {
					return 0, false, err
				}
				if border {
					return isExpressionTail(c, text, at)
				}
			}
		}
		if at == 0 {
			return 0, false, nil
		}
	}
	return 0, false, nil
}

// statementStart returns the last place before end at which a statement can
// begin: behind a semicolon, a brace, a colon or a line end.
func statementStart(text string, end int) int {
	for i := end - 1; i > 0; i-- {
		switch text[i-1] {
		case ';', '}', '{', '\n', '\r':
			return i
		}
	}
	return 0
}

func isBorder(c compiler, text string, at int, whole string) (bool, error) {
	if at == 0 {
		return true, nil
	}
	with, ok, err := c.stripped(body(text[:at] + ";" + text[at:]))
	return ok && with == whole, err
}

// isExpressionTail reports whether text[at:] is one expression statement.
func isExpressionTail(c compiler, text string, at int) (int, bool, error) {
	tail := text[at:]
	if startsDeclaration(tail) {
		return 0, false, nil
	}
	ok, err := c.try(body(loopOpen+trimSemicolons(tail)+loopClose), false)
	if !ok || err != nil {
		return 0, false, err
	}
	ok, err = c.try(body(text[:at]+giveBack+tail), false)
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

// place turns a line and column of the compiled code into those of the text as
// it was handed in. It reports false for a place that lies outside.
func (s *source) place(line, column int) (int, int, bool) {
	lines := 1 + strings.Count(s.text, "\n")
	if line < 1 || line > lines+1 {
		return 0, 0, false
	}
	if line > lines {
		// The wrapper's last line: the text ended too early.
		line = lines
		column = len(s.text) - strings.LastIndexByte(s.text, '\n')
	} else {
		for _, in := range s.inserts {
			if 1+strings.Count(s.text[:in.at], "\n") == line {
				if at := in.at - strings.LastIndexByte(s.text[:in.at], '\n'); column >= at+in.bytes {
					column -= in.bytes
				} else if column > at {
					column = at
				}
			}
		}
	}
	if line == 1 {
		column += len(s.before) - 1 - strings.LastIndexByte(s.before, '\n')
	}
	return line + strings.Count(s.before, "\n"), max(column, 1), true
}
