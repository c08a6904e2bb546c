package bridge

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

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

	moduleError string // why it is no module, for a hint
	fails       int    // where it does not compile, in text and from 1, if the engine does not say
	only        trivia // see there; nil until it is needed
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
	sure bool // see surely
}

// surely is for texts that are as deep as one that compiles, give or take what is
// put around them. When the stack is too small for one of those, that is no answer
// to what the text is: the program would run, but as something else.
func (c compiler) surely() compiler {
	// Under another name, since its places are not those of the program.
	return compiler{c.qc, "<attempt>", true}
}

// refused reports whether an error says that a text does not compile. Any other
// ends the attempt.
func (c compiler) refused(err error) bool {
	var thrown *quickjs.Exception
	if !errors.As(err, &thrown) || c.sure && thrown.Message == "stack overflow" {
		return false
	}
	thrown.Free()
	return true
}

// compile returns the code of a text, and whether it compiles.
func (c compiler) compile(code string, module bool) (v quickjs.Value, ok bool, err error) {
	v, err = c.qc.Compile(code, quickjs.EvalOptions{Name: c.name, Module: module})
	if c.refused(err) {
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
	if c.refused(err) {
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

// wrapperSize is at least what is ever put around a program.
const wrapperSize = 256

func body(s string) string { return bodyOpen + s + bodyClose }

const (
	checkOpen  = "(1 ? async () => {"
	checkClose = "\n} : 0)"
)

func check(s string) string { return checkOpen + s + checkClose }

// understand decides what the text is and returns its code, owned. When no
// reading compiles, the error is the engine's for the body (SPEC 5.5).
func (s *source) understand(c compiler) (code quickjs.Value, err error) {
	defer func() { s.only = nil }() // a source may be kept
	if code, ok, err := s.asExpression(c); ok || err != nil {
		return code, err
	}
	if code, ok, err := s.asBody(c); ok || err != nil {
		return code, err
	}
	if code, ok, err := s.asModule(c); ok || err != nil {
		return code, err
	}
	s.set(formBody, insert{0, len(bodyOpen)})
	code, err = c.qc.Compile(body(s.text), quickjs.EvalOptions{Name: c.name})
	if err != nil {
		return code, s.locate(c, err, body)
	}
	// It closes the wrapper. The other one has the error.
	code.Free()
	s.set(formBody, insert{0, len(checkOpen)})
	code, err = c.qc.Compile(check(s.text), quickjs.EvalOptions{Name: c.name})
	if err != nil {
		err = s.locate(c, err, check)
	}
	return code, err
}

// asModule takes the text as a module with a default export: one more must be
// one too many.
func (s *source) asModule(c compiler) (code quickjs.Value, ok bool, err error) {
	code, err = c.qc.Compile(s.text, quickjs.EvalOptions{Name: c.name, Module: true})
	var thrown *quickjs.Exception
	if errors.As(err, &thrown) {
		s.moduleError = thrown.Message
		first, _, _ := strings.Cut(thrown.Stack, "\n")
		if line, _, found := framePlace(first, c.name); found {
			s.moduleError += fmt.Sprintf(" in line %d", line+strings.Count(s.before, "\n"))
		}
		thrown.Free()
		return code, false, nil
	}
	if err != nil {
		return code, false, err
	}
	s.set(formModule)
	more, err := c.try(s.text+"\n;export default 0", true)
	if more && err == nil {
		code.Free()
	}
	return code, !more, err
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
		if ok, err = c.try("["+s.text+"\n]", false); ok && err == nil {
			ok, err = c.awaitsNothing(s.text)
		}
		if !ok && err == nil {
			code.Free()
		}
		return code, ok, err
	}
	// With semicolons and comments behind it: a loop takes one statement only,
	// and the comma makes that an expression.
	statement := s.trivia().trimSemicolons(s.text, 0)
	if ok, err = c.try(loopOpen+statement+loopClose, false); !ok || err != nil {
		return code, false, err
	}
	if ok, err = c.awaitsNothing(strings.TrimSuffix(statement, ";")); !ok || err != nil {
		return code, false, err
	}
	s.set(formExpression, insert{0, len(comma)})
	return c.compile(comma+s.text, false)
}

// awaitsNothing reports whether an expression has no await of its own. In a
// script await is an identifier, so that "await (x)" compiles there, as a call.
// The default of an async function's parameter must not contain it in either
// meaning (ECMA-262 section 15.8.1).
func (c compiler) awaitsNothing(expression string) (bool, error) {
	if !strings.Contains(expression, "await") && !strings.Contains(expression, `\u`) {
		return true, nil
	}
	return c.surely().try("(async (a = ("+expression+"\n)) => 0)", false)
}

// trivia is that of the text.
func (s *source) trivia() trivia {
	if s.only == nil {
		s.only = triviaOf(s.text)
	}
	return s.only
}

// asBody takes the text as the body of an async function. When its last
// statement is an expression, that is what the function returns.
func (s *source) asBody(c compiler) (code quickjs.Value, ok bool, err error) {
	whole, ok, err := c.stripped(body(s.text))
	if !ok || err != nil {
		return code, false, err
	}
	// A text could close the wrapper by itself. It cannot close this one as well:
	// there, only a colon may follow the brace, and here no colon may.
	if ok, err := c.try(check(s.text), false); !ok || err != nil {
		return code, false, err
	}
	at, found, err := s.lastExpression(c, whole)
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

// place turns a line and column of the compiled code into those of the text as
// it was handed in, both from 1; a column counts code points, as the engine's
// do. It reports false for a place that lies outside.
func (s *source) place(line, column int) (int, int, bool) {
	lines := 1 + strings.Count(s.text, "\n")
	if line < 1 || line > lines+1 {
		return 0, 0, false
	}
	if line > lines {
		// The wrapper's last line: the text ended too early.
		line = lines
		column = characters(s.text[strings.LastIndexByte(s.text, '\n')+1:]) + 1
	} else {
		for _, in := range s.inserts {
			if 1+strings.Count(s.text[:in.at], "\n") == line {
				if at := 1 + characters(s.text[strings.LastIndexByte(s.text[:in.at], '\n')+1:in.at]); column >= at+in.bytes {
					column -= in.bytes
				} else if column > at {
					column = at
				}
			}
		}
	}
	if line == 1 {
		column += characters(s.before[strings.LastIndexByte(s.before, '\n')+1:])
	}
	return line + strings.Count(s.before, "\n"), max(column, 1), true
}

// atEnd reports whether a place of the text as it was handed in is its end.
func (s *source) atEnd(line, column int) bool {
	whole := s.before + s.text
	last := 1 + strings.Count(whole, "\n")
	return line > last || line == last && column > utf8.RuneCountInString(whole[strings.LastIndexByte(whole, '\n')+1:])
}
