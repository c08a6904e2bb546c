package quickjs_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// Calls that copy their arguments outside the arena go no deeper than those
// copies may take: frameBudget bytes for each of the stack. A value is at least
// 8 bytes, so the default stack of 1 MiB has room for 16 MiB / (8 * 60,000) = 34
// calls of 60,000 arguments; before they were counted it was thousands.
func TestCopiedArgumentsBoundTheDepth(t *testing.T) {
	if raceEnabled {
		t.Skip("megabytes of arguments take minutes under the race detector, and nothing here is concurrent")
	}
	const deepest = 16 << 20 / (8 * 60_000)
	for _, tt := range []struct{ name, js string }{
		{"bound", "let h; const g = function () { n++; return h() }; h = g.bind(null, ...many); h()"},
		{"bound, constructed", "let h; const g = function () { n++; return new h() }; h = g.bind(null, ...many); new h()"},
		{"bound, given arguments", "let h; const g = function () { n++; return h(...many) }; h = g.bind(); h(...many)"},
		{"bound bit by bit", "const f = function () { n++; return h() }; let h = f; for (let i = 0; i < 900; i++) h = h.bind(null, ...many.slice(0, 60)); h()"},
		{"bound, through a proxy", "let h; const g = new Proxy(function () { n++; return h() }, {}); h = g.bind(null, ...many); h()"},
		{"a long chain, called once", "let h = () => { n++ }; for (let i = 0; i < 900; i++) h = h.bind(); h(...many)"},
		{"native", "const f = () => { n++; return native(f, ...many) }; f()"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c := ready(t, quickjs.Limits{})
			f, err := c.Function("native", 1, func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
				return args[0].Call(c.Undefined())
			})
			require.NoError(t, err)
			global := c.Global()
			require.NoError(t, global.Set("native", f))
			got := textOf(t, c, "(() => { const many = Array(60000).fill(1); let n = 0; try {"+tt.js+"} catch (e) { return String(e) + n } })()")
			require.Regexp(t, "^"+overflow+"[0-9]+$", got)
			depth, err := strconv.Atoi(got[len(overflow):])
			require.NoError(t, err)
			require.LessOrEqual(t, depth, deepest)
		})
	}
}

// What calls have copied is given back when they return, throw or are stopped.
func TestCopiedArgumentsAreGivenBack(t *testing.T) {
	if raceEnabled {
		t.Skip("megabytes of arguments take minutes under the race detector, and nothing here is concurrent")
	}
	const most = "(() => { const many = Array(60000).fill(1); let n = 0, h; const g = function () { n++; return h() }; h = g.bind(null, ...many); try { h() } catch (e) { return n } })()"
	const once = "{ const h = ((...a) => { if (a[0] === 2) throw 1 }); const many = Array(60000).fill(1); for (let i = 0; i < 50; i++) { h.bind(null, ...many)(); try { h.bind(null, 2, ...many)() } catch {} } }"
	rt, c := ready(t, quickjs.Limits{})
	want := textOf(t, c, most)
	for _, tt := range []struct {
		name, js string
		stops    bool
	}{
		{"returned and thrown", once, false},
		{"overflowed", most, false},
		{"stopped", "const many = Array(60000).fill(1); (() => { new ArrayBuffer(1e9) }).bind(null, ...many)()", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, rt.Rewind())
			v, err := c.Eval(tt.js, quickjs.EvalOptions{})
			if tt.stops {
				require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
				require.NoError(t, rt.Rewind())
			} else {
				require.NoError(t, err)
				v.Free()
			}
			require.Equal(t, want, textOf(t, c, most))
		})
	}
}
