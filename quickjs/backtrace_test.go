package quickjs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// Where an error came from is the engine's word, whatever the guest does to the
// error.
func TestBacktrace(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"plain", "function f() {\n  throw new TypeError('x')\n}\nf()", "    at f (p.js:2:22)\n    at <eval> (p.js:4:2)\n"},
		{"of the engine", "\nnull.x", "    at <eval> (p.js:2:5)\n"},
		{"overwritten", "const e = new Error;\ne.stack = 'at prog.js:9:9'; throw e", "    at <eval> (p.js:1:20)\n"},
		{"deleted", "const e = new Error;\ndelete e.stack; throw e", "    at <eval> (p.js:1:20)\n"},
		{"defined", "const e = new Error;\nObject.defineProperty(e, 'stack', { get() { throw 1 } }); throw e", "    at <eval> (p.js:1:20)\n"},
		{"accessor patched", "Object.defineProperty(Error.prototype, 'stack', { get() { throw 1 } }); throw new Error", "    at <eval> (p.js:1:88)\n"},
		{"frozen", "throw Object.freeze(new Error)", "    at <eval> (p.js:1:30)\n"},
		{"subclass", "throw new (class E extends Error {})", "    at E (p.js:1:35)\n    at <eval> (p.js:1:37)\n"},
		{"prototype gone", "throw Object.setPrototypeOf(new Error, null)", "    at <eval> (p.js:1:38)\n"},
		{"made early, thrown late", "const e = new Error;\n\nthrow e", "    at <eval> (p.js:1:20)\n"},
		{"syntax error", "\n\n  let = 3 4", "    at p.js:3:11\n"},
		{"proxy", "throw new Proxy(new Error, {})", ""},
		{"not an error", "throw { stack: 'x' }", ""},
		{"text", "throw 'x'", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := quickjstest.Context(t)
			_, err := c.Eval(tt.src, quickjs.EvalOptions{Name: "p.js"})
			var e *quickjs.Exception
			require.ErrorAs(t, err, &e)
			defer e.Free()
			require.Equal(t, tt.want, e.Stack)
			require.Equal(t, tt.want, e.Value.Backtrace(1000))
			require.Equal(t, tt.want[:min(5, len(tt.want))], e.Value.Backtrace(5))
		})
	}
}

// For guests, stack is an accessor of Error.prototype, and the name is like any
// other everywhere else.
func TestStackIsAnAccessor(t *testing.T) {
	c := quickjstest.Context(t)
	for src, want := range map[string]string{
		"typeof new Error().stack":                                                                              "string",
		"new Error().stack":                                                                                     "    at <eval> (test.js:1:11)\n",
		"Reflect.ownKeys(new Error('m')).map(String).join()":                                                    "message",
		"Reflect.ownKeys(new Proxy(new Error('m'), {})).join()":                                                 "message",
		"Object.getOwnPropertySymbols(new Error).length":                                                        "0",
		"JSON.stringify(Object.getOwnPropertyDescriptors(new Error))":                                           "{}",
		"JSON.stringify(new Error('m'))":                                                                        "{}",
		"'stack' in new Error && !Object.hasOwn(new Error, 'stack')":                                            "true",
		"const e = new Error; e.stack = 5; [e.stack, Object.keys(e)].join()":                                    "5,",
		"Object.create(Error.prototype).stack":                                                                  "undefined",
		"String(new Proxy(new Error, {}).stack)":                                                                "undefined",
		"try { Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get.call(1) } catch (e) { String(e) }": "TypeError: not an object",
		"try { Object.getOwnPropertyDescriptor(Error.prototype, 'stack').set.call(1) } catch (e) { String(e) }": "TypeError: not an object",
		"const d = Object.getOwnPropertyDescriptor(Error.prototype, 'stack'); [d.get.name, d.set.name, d.enumerable, d.configurable].join()": "get stack,set stack,false,true",
		"try { 'use strict'; Object.freeze(new Error).stack = 1 } catch (e) { e.name }":                                                      "TypeError",
		"const s = { stack: 1, 'st\\u0061ck2': 2 }; s['sta' + 'ck'] + Object.keys(s).join()":                                                 "1stack,stack2",
		"'stack'.length + Symbol('stack').description + Symbol.for('stack').description":                                                     "5stackstack",
		"(class { #stack = 3; static of(o) { return o.#stack } static { this.v = this.of(new this) } }).v":                                   "3",
		"class Own extends Error { get stack() { return 'own' } }; new Own().stack":                                                          "own",
	} {
		require.Equal(t, want, textOf(t, c, "{"+src+"}"), src)
	}
}

// The engine keeps the backtrace under a name of its own. A proxy among an
// error's prototypes never learns it: whoever has the name can write there what
// the host reads as the place of an error.
func TestThePrivateNameOfTheBacktraceIsToldToNobody(t *testing.T) {
	c := quickjstest.Context(t)
	watch := mustEval(t, c, `(e) => {
		const get = Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get, seen = []
		const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map(k => [k, (...a) => { seen.push(...a.filter(x => typeof x === 'symbol')); return Reflect[k](...a) }]))
		Object.setPrototypeOf(e, new Proxy(Error.prototype, traps))
		return [String(get.call(e)), seen.length].join()
	}`)
	defer watch.Free()
	for _, tt := range []struct {
		name string
		make func() (quickjs.Value, error)
		want string
	}{
		{"made by the host", func() (quickjs.Value, error) { return c.Error("x") }, ""}, // has no backtrace of its own
		{"made by the guest", func() (quickjs.Value, error) { return c.Eval("new Error", quickjs.EvalOptions{Name: "p.js"}) }, "    at <eval> (p.js:1:10)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := tt.make()
			require.NoError(t, err)
			defer e.Free()
			require.Equal(t, tt.want, e.Backtrace(1000))
			got, err := watch.Call(c.Undefined(), e)
			require.NoError(t, err)
			defer got.Free()
			text, _ := got.Text()
			shown := tt.want
			if shown == "" {
				shown = "undefined"
			}
			require.Equal(t, shown+",0", text)
			require.Equal(t, tt.want, e.Backtrace(1000))
		})
	}
}
