package bridge_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

// What people and models write by mistake is refused with a hint that names the
// mistake.
func TestHintsForCommonMistakes(t *testing.T) {
	box := newBox(t)
	for source, hint := range map[string]string{
		"const a = t.hang(); return a.b.c":                                 "write `await` in front of the call",
		"for (const x of t.hang()) ;":                                      "write `await` in front of the call",
		"const [a] = t.hang(); return a":                                   "write `await` in front of the call",
		"return JSON.parse(t.hang())":                                      "write `await` in front of the call",
		"function f() { const x = await t.echo(1); return x }\nreturn f()": "write `async` in front",
		"if (true) { return 1":                                             "ends too early",
		"return [1, 2":                                                     "ends too early",
		"export default async function () {\n  return f(1\n}":              "does not compile either",
		"return structuredClone({})":                                       "`structuredClone` does not exist here",
		"null.x":                                                           "",
		"t.hang(); return Symbol() + ''":                                   "",
		"throw new ReferenceError('mine')":                                 "",
		"return JSON.parse('{')":                                           "",
	} {
		out := run(t, box, source)
		var e *contract.GuestError
		require.True(t, errors.As(out.Err, &e), source)
		if hint == "" {
			require.Empty(t, e.Hint, source)
			continue
		}
		require.Contains(t, e.Hint, hint, source)
	}
}
