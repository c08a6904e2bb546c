package bridge_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// Sources that comments beside their lines would change.
func TestSourceReadings(t *testing.T) {
	fence := "```"
	tests := []struct{ name, source, value string }{
		{"nothing", "", ""},
		{"white space", " \t\r\n\u00A0\uFEFF\u2028", ""},
		{"only a comment", "/* a */", ""},
		{"only semicolons", ";;;", ""},
		{"byte order mark", "\uFEFF1 + 1", "2"},
		{"no-break space", "\u00A01 + 1\u00A0", "2"},
		{"CRLF", "const x = 1\r\n\r\nx // a;\r\n", "1"},
		{"CR alone", "const x = 1\rx", "1"},
		{"line separator", "const x = 1\u2028x", ""}, // no place is looked for behind it
		{"line comment at the end", "1 // one", "1"},
		{"line comment ends the wrapper", "const x = 1; x // }) //", "1"},
		{"unclosed comment", "1 /*", "SyntaxError: unexpected end of comment"},
		{"comment that does not close itself", "const x = 1; x /*/ ; */", "1"},
		{"fence", fence + "js\n1 + 1\n" + fence, "2"},
		{"fence with CRLF", fence + "js\r\nconst x = 1\r\nx\r\n" + fence + "\r\n", "1"},
		{"fence without info", fence + "\n() => 5\n" + fence, "5"},
		{"tildes", "~~~ts\n1\n~~~", "1"},
		{"longer fence", "````\n1\n`````  ", "1"},
		{"blank lines in a fence", "\n\n" + fence + "\n\n\nreturn 1\n\n" + fence + "\n\n", "1"},
		{"template literal in a fence", fence + "\nconst x = `a\n`; x\n" + fence, `"a\n"`},
		{"empty fence", fence + "\n" + fence, ""},
		{"shorter closing fence", "````\n1\n" + fence, "SyntaxError: "},
		{"other closing fence", fence + "\n1\n~~~", "SyntaxError: "},
		{"prose around a fence", "Here it is:\n" + fence + "\n1\n" + fence, "SyntaxError: "},
		{"nested arrow body", "(x => y => { return 5 })()", "5"},
		{"unicode escape of await", "aw\\u0061it (5)", "SyntaxError: "},
		{"a loop that closes the wrapper", "x\nwhile (0)\ndo y", "SyntaxError: expecting"},
		{"NUL is a character", "'a\x00b'.length", "3"},
		{"surrogate pair", "'\U0001F600'.length", "2"},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, box, test.source)
			if want, is := strings.CutPrefix(test.value, "SyntaxError: "); is {
				require.ErrorContains(t, out.Err, "SyntaxError: "+want)
				require.ErrorIs(t, checkError(t, box, test.source), out.Err)
				return
			}
			require.NoError(t, out.Err)
			require.Equal(t, test.value, string(out.Value))
			require.NoError(t, checkError(t, box, test.source))
		})
	}
}

// checkError is what Check says of a source, with errors that are equal made
// the same by their text.
func checkError(t *testing.T, box *bridge.Sandbox, source string) error {
	t.Helper()
	err := box.Check(t.Context(), contract.Program{Source: source})
	if err == nil {
		return nil
	}
	var thrown *contract.GuestError
	require.ErrorAs(t, err, &thrown)
	return sameText{thrown}
}

type sameText struct{ *contract.GuestError }

func (e sameText) Is(other error) bool { return e.Error() == other.Error() }

// Places are those of the text as it was handed in; a column counts characters.
func TestSyntaxErrorPlaces(t *testing.T) {
	tests := []struct {
		name, source string
		line, column int
	}{
		{"first line", "foo bar", 1, 5},
		{"second line", "const a = 1\nfoo bar", 2, 5},
		{"too early an end", "f(", 1, 3},
		{"too early an end of a later line", "f(\n  g(", 2, 5},
		{"leading blank lines", "\n\n  foo bar", 3, 7},
		{"byte order mark", "\uFEFFfoo bar", 1, 6},
		{"fence", "```js\nfoo bar\n```", 2, 5},
		{"fence with CRLF", "```js\r\n\r\n foo bar\r\n```", 3, 6},
		{"characters before", "'\u00E9\U0001F600'; foo bar", 1, 11},
		{"characters in front", "\u00A0\u00A0foo bar", 1, 7},
		{"CRLF", "const a = 1\r\nfoo bar", 2, 5},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var thrown *contract.GuestError
			require.ErrorAs(t, run(t, box, test.source).Err, &thrown)
			require.Equal(t, "SyntaxError", thrown.Name)
			require.Equal(t, [2]int{test.line, test.column}, [2]int{thrown.Line, thrown.Column})
		})
	}
}

func TestRuntimeErrorPlaces(t *testing.T) {
	tests := []struct {
		name, source string
		line, column int
	}{
		{"expression", "null.x", 1, 5},
		{"function", "() => { throw new Error('a') }", 1, 24},
		{"body", "throw new Error('a')", 1, 16},
		{"last expression", "let a = 1; null.x", 1, 16},
		{"last expression of its own line", "let a = 1\nnull.x", 2, 5},
		{"characters before", "'\u00E9'; throw new Error('a')", 1, 21},
		{"fence and indentation", "```\n  throw new Error('a')\n```", 2, 18},
		{"module", "export default null.x", 1, 20},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var thrown *contract.GuestError
			require.ErrorAs(t, run(t, box, test.source).Err, &thrown)
			require.Equal(t, [2]int{test.line, test.column}, [2]int{thrown.Line, thrown.Column})
		})
	}
}

// No text makes finding out what it is take longer than the budget allows.
func TestUnderstandingStaysInTheBudget(t *testing.T) {
	const n = 1 << 20
	fill := func(head, s string) string { return head + strings.Repeat(s, (n-len(head))/len(s)) }
	sources := map[string]string{
		"semicolons":          fill("", ";"),
		"newlines":            fill("a", "\n")[:n-1] + "b",
		"commented semicolon": fill("", ";//x")[:n-2] + "\na",
		"block comments":      fill("x;", ";/**/"),
		"open comments":       fill("x;", "/*/"),
		"slashes":             fill("", "/"),
		"braces":              strings.Repeat("{", n/2) + strings.Repeat("}", n/2),
		"opening braces":      fill("", "{\n"),
		"closing braces":      fill("", "}\n"),
		"statements":          fill("", "x=1\n"),
		"operators":           fill("let x = 1\n", "x +\n") + "1",
		"operators in front":  fill("let x = 1\n", "+ x\n"),
		"one long tail":       "let a = 1\n" + strings.Repeat(";\n", 400) + "/*" + strings.Repeat("x", n/2) + "*/",
		"templates":           fill("let a = 1\n", "`\n"),
		"awaits":              fill("", "await "),
		"backticks":           fill("", "`"),
		"white space":         fill("a;", "\u2003\n"),
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: 50 * time.Millisecond}})
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			out, err := box.Run(t.Context(), contract.Program{Source: source[:min(len(source), n)]})
			require.NoError(t, err)
			require.Less(t, time.Since(start), 20*time.Second)
			if out.Err != nil && !errors.Is(out.Err, contract.InterruptCPU) && !errors.Is(out.Err, contract.InterruptMemory) {
				var thrown *contract.GuestError
				require.ErrorAs(t, out.Err, &thrown)
				require.NotContains(t, thrown.Message, "source text is too long")
			}
		})
	}
}

// A program of exactly the limit's size runs; one byte more is refused.
func TestSourceLimit(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{Source: 1000}})
	source := "return 5" + strings.Repeat(" ", 1000-9) + ";"
	require.Equal(t, "5", string(run(t, box, source).Value))
	_, err := box.Run(t.Context(), contract.Program{Source: source + " "})
	require.ErrorIs(t, err, contract.ErrInvalid)
}
