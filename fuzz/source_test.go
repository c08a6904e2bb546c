package fuzz_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzSource: any text is one program or a syntax error with a place in it,
// never both, and the same each time it comes. A text whose meaning is known -
// a function, an IIFE, a body, a module, in a fence or not, with CRLF, comments,
// a byte order mark - means that.
func FuzzSource(f *testing.F) {
	w := newWorld(f, bridge.Options{})
	f.Add([]byte{0}, "")
	f.Fuzz(func(t *testing.T, tape []byte, raw string) {
		text := grammar.Text{Source: raw}
		if raw == "" {
			text = grammar.Source(tape)
		}
		ctx := context.Background()
		p := contract.Program{Source: text.Source}
		refusal := w.sandbox.Check(ctx, p)
		out, err := w.run(ctx, p)
		if !utf8.ValidString(text.Source) {
			require.ErrorIs(t, refusal, contract.ErrInvalid)
			require.ErrorIs(t, err, contract.ErrInvalid)
			return
		}
		require.NoError(t, err)
		w.sound(t, out)
		var syntax *contract.GuestError
		var stopped *contract.InterruptError
		switch {
		case errors.As(refusal, &stopped), out.Interrupt != contract.InterruptNone:
			// A budget was spent, perhaps on compiling.
		case errors.As(refusal, &syntax):
			placed(t, text.Source, syntax)
			require.Equal(t, refusal.Error(), out.Err.Error())
			require.False(t, text.Known, "%s is refused: %v\n%s", text.Shape, refusal, text.Source)
		default:
			require.NoError(t, refusal)
			require.False(t, text.Syntax, "%s is no program\n%s", text.Shape, text.Source)
		}
		if text.Known && out.Interrupt == contract.InterruptNone {
			if text.Want == "" {
				hasNone(t, out)
			} else {
				require.NoError(t, out.Err, "%s\n%s", text.Shape, text.Source)
				sameJSON(t, text.Want, string(out.Value))
			}
		}
		for range 3 { // what is kept of a text changes nothing
			again, err := w.run(ctx, p)
			require.NoError(t, err)
			if deterministic(text.Source) {
				same(t, out, again)
			}
		}
		w.next(t)
	})
}

// placed checks that a syntax error names a place in the text as it was handed
// in.
func placed(t *testing.T, source string, e *contract.GuestError) {
	if e.Name != "SyntaxError" {
		// The compiler gave up: too deep, too large, or an engine limit.
		require.Contains(t, []string{"Error", "RangeError", "InternalError"}, e.Name, "%v", e)
		return
	}
	require.GreaterOrEqual(t, e.Line, 1, "%v", e)
	lines := 1 + strings.Count(source, "\n")
	require.LessOrEqual(t, e.Line, lines, "%v in %q", e, source)
	line := strings.Split(source, "\n")[e.Line-1]
	require.GreaterOrEqual(t, e.Column, 1)
	require.LessOrEqual(t, e.Column, len(line)+2, "%v in %q", e, source)
}

// deterministic reports whether a text cannot ask for the time or for chance.
func deterministic(source string) bool {
	for _, word := range []string{"Date", "random", "[", "eval", "Function", "constructor", "globalThis", "\\u", "for", "while"} {
		if strings.Contains(source, word) {
			return false
		}
	}
	return true
}
