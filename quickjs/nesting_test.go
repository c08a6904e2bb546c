package quickjs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

const overflow = "InternalError: stack overflow"

// Chains that the engine follows without looking at the stack end as any other
// recursion does, and a chain of a sensible length works.
func TestNesting(t *testing.T) {
	for name, tt := range map[string]struct{ js, want string }{
		"drop":             {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = it.drop(0); return it.next().value", overflow},
		"map":              {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = it.map(x => x); return it.next().value", overflow},
		"filter":           {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = it.filter(x => 1); return it.toArray()", overflow},
		"take":             {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = it.take(9); return [...it]", overflow},
		"flatMap":          {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = it.flatMap(x => [x]); for (const x of it) return x", overflow},
		"inner of flatMap": {"let it = [7].values(); for (let i = 0; i < 2e4; i++) {const was = it; it = [0].values().flatMap(() => was)} return it.next().value", ""},
		"concat":           {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = Iterator.concat(it); return it.next().value", overflow},
		"wrap":             {"let it = [7].values(); for (let i = 0; i < 2e4; i++) {it = Iterator.from(it); Object.setPrototypeOf(it, {__proto__: null, next: it.next, [Symbol.iterator]: null, return: it.return});} return it.next().value", ""},
		"return of helper": {"let it = [7].values(); for (let i = 0; i < 2e4; i++) it = it.map(x => x); return it.return().done", overflow},
		"drop, few":        {"let it = [7].values(); for (let i = 0; i < 500; i++) it = it.drop(0); return it.next().value", "7"},
		"map, few":         {"let it = [7].values(); for (let i = 0; i < 500; i++) it = it.map(x => x); return it.next().value", "7"},
		"concat, few":      {"let it = [7].values(); for (let i = 0; i < 300; i++) it = Iterator.concat(it); return it.next().value", "7"},
		"after overflow":   {"let it = [7, 8].values(); for (let i = 0; i < 2e4; i++) it = it.drop(0); try {it.next()} catch {} return [7].values().map(x => x).next().value", "7"},

		"bind":         {"let f = function () {return this}; for (let i = 0; i < 1e5; i++) f = f.bind(1); return 1", overflow},
		"bind, few":    {"let f = function (...a) {return a.length}; for (let i = 0; i < 900; i++) f = f.bind(1, i); return f()", "900"},
		"instanceof":   {"let f = class {}; for (let i = 0; i < 900; i++) {f = Function.prototype.bind.call(f); Object.setPrototypeOf(f, null)} return ({}) instanceof f", "false"},
		"proxy":        {"let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return 1", overflow},
		"proxy, few":   {"let p = {x: 5}; for (let i = 0; i < 500; i++) p = new Proxy(p, {}); return p.x", "5"},
		"revocable":    {"let p = {}; for (let i = 0; i < 1e5; i++) p = Proxy.revocable(p, {}).proxy; return 1", overflow},
		"mixed":        {"let p = function () {}; for (let i = 0; i < 1e5; i++) p = i % 2 ? new Proxy(p, {}) : Function.prototype.bind.call(p); return 1", overflow},
		"realm":        {"let f = function () {}; for (let i = 0; i < 990; i++) f = f.bind(); return Reflect.construct(Array, [], f).length", "0"},
		"still itself": {"return [Proxy.name, Proxy.length, Proxy.revocable.name, Function.prototype.bind.length, Function.prototype.bind + '', typeof Iterator.prototype.map, Object.getPrototypeOf([].values().map(x => x)).next.name].join()", "Proxy,2,revocable,1,function bind() {\n    [native code]\n},function,next"},
		"no target":    {"try {Proxy()} catch (e) {try {new Proxy()} catch (f) {try {Proxy.revocable()} catch (g) {try {Function.prototype.bind.call()} catch (h) {return [e, f, g, h].join()}}}}", "TypeError: must be called with new,TypeError: not an object,TypeError: not an object,TypeError: not a function"},
	} {
		t.Run(name, func(t *testing.T) {
			_, c := ready(t, quickjs.Limits{})
			got := textOf(t, c, "(() => { try {"+tt.js+"} catch (e) { return String(e) } })()")
			if tt.want != "" {
				require.Equal(t, tt.want, got)
			}
		})
	}
}

// A function with very many variables may not go as deep as a small one.
func TestLargeFramesBoundTheDepth(t *testing.T) {
	for _, tt := range []struct{ name, js string }{
		{"locals", `const names = Array.from({ length: 5000 }, (_, i) => 'v' + i).join();
			let n = 0; const f = new Function('again', 'var ' + names + '; again()');
			const again = () => { n++; f(again) }; try { again() } catch (e) { n < 220 && n > 2 && e.name }`},
		{"direct eval", `const names = Array.from({ length: 5000 }, (_, i) => 'v' + i).join(); let n = 0;
			eval('var f = function () { var ' + names + '; n++; f() }'); try { f() } catch (e) { n < 220 && n > 2 && e.name }`},
		{"operands", `let n = 0; const f = new Function('again', 'return [' + 'again(),'.repeat(30000) + ']');
			const again = () => { n++; return f(again) }; try { again() } catch (e) { n < 3000 && n > 2 && e.name }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			got := ""
			_, err := rt.Do(quickjs.Budget{Wall: time.Now().Add(time.Minute)}, func() error {
				got = textOf(t, c, tt.js)
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, "InternalError", got)
		})
	}
	_, c := ready(t, quickjs.Limits{})
	require.Regexp(t, "^[1-9][0-9]{3} InternalError: stack overflow$", textOf(t, c, "(() => { let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { return n + ' ' + e } })()"))
}
