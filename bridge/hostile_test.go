package bridge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A witness that a trap ran: the only ways out of a guest are a log entry and a
// host call, so each trap does both.
const witness = `
const ran = name => { console.log('ran ' + name); t.now('ran ' + name); t.echo('ran ' + name) }
const trap = new Proxy(() => {}, Object.fromEntries(Reflect.ownKeys(Reflect).filter(k => typeof k === 'string').map(k =>
  [k, (...args) => { ran(k); return Reflect[k](...args) }])))
const getter = name => ({ __proto__: null, get() { ran(name); return 'forged ' + name }, configurable: true })
const pair = name => ({ __proto__: null, get() { ran('get ' + name) }, set() { ran('set ' + name) }, configurable: true })
`

// What is thrown cannot run while it is described, and says of itself only what
// the engine knows.
func TestDescribingRunsNothing(t *testing.T) {
	tests := []struct{ name, throws, want string }{
		{"proxy of an error", `throw new Proxy(new Error('inner'), trap)`, "Program threw a value."},
		{"proxy", `throw trap`, "Program threw a value."},
		{"revoked proxy", `const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy`, "Program threw a value."},
		{"proxy prototype", `const e = new Error('mine'); Object.setPrototypeOf(e, new Proxy(Error.prototype, {
			get(_, k) { ran(k) }, getOwnPropertyDescriptor(_, k) { ran(k) }, getPrototypeOf() { ran('proto') }, has() { ran('has') } })); throw e`, "mine"},
		{"getters", `const e = new Error('x'); for (const k of ['name', 'message', 'stack', 'cause', 'code']) Object.defineProperty(e, k, getter(k)); throw e`, "Program threw a value."},
		{"inherited getters", `class E extends Error { get name() { ran('name') } get message() { ran('message') } get stack() { ran('stack') } get cause() { ran('cause') } }
			const e = new E(); throw e`, "Program threw a value."},
		{"patched Error.prototype", `for (const k of ['name', 'message', 'stack', 'cause', 'code', 'toString', 'toJSON']) Object.defineProperty(Error.prototype, k, getter(k)); throw new Error('x')`, "x"},
		{"patched Object.prototype", `for (const k of ['get', 'set', 'value', 'then', 'toJSON', 'name', 'message', 'code', 'enumerable', 'writable']) Object.defineProperty(Object.prototype, k, pair(k)); throw new TypeError('x')`, "TypeError: x"},
		{"toString and valueOf", `throw { toString() { ran('toString') }, valueOf() { ran('valueOf') }, toJSON() { ran('toJSON') }, [Symbol.toPrimitive]() { ran('prim') } }`, "Program threw a value."},
		{"hostile members", `throw Object.assign(new Error('x'), { toString() { ran('toString') }, toJSON() { ran('toJSON') }, p: trap, [Symbol.toPrimitive]() { ran('prim') }, get: getter })`, "x"},
		{"member with traps inside", `throw Object.assign(new Error('x'), { data: { p: trap, a: [trap], get g() { return 1 } } })`, "x"},
		{"getter in a member", `throw Object.assign(new Error('x'), { data: Object.defineProperty({}, 'k', { enumerable: true, get() { ran('data.k') } }) })`, "x"},
		{"toJSON in a member", `throw Object.assign(new Error('x'), { data: { toJSON() { ran('toJSON') }, d: new Date() } })`, "x"},
		{"array with holes and a getter", `const a = [1, , 3]; Object.defineProperty(a, 5, getter('5')); Array.prototype.__defineGetter__(1, () => ran('hole')); throw Object.assign(new Error('x'), { a })`, "x"},
		{"cause with traps", `throw new Error('x', { cause: new Proxy(new Error('y'), trap) })`, "x"},
		{"cause is an error with getters", `const c = new Error('y'); Object.defineProperty(c, 'message', getter('message')); throw new Error('x', { cause: c })`, "x"},
		{"patched Function.prototype", `for (const k of ['call', 'apply', 'bind', Symbol.hasInstance]) Function.prototype[k] = function () { ran(String(k)) }; throw new Error('x')`, "x"},
		{"patched iteration", `Array.prototype[Symbol.iterator] = function* () { ran('iterator') }; Object.defineProperty(Array, Symbol.species, getter('species')); throw new Error('x')`, "x"},
		{"replaced globals", `for (const k of ['Error', 'Object', 'Array', 'JSON', 'String', 'Promise', 'Proxy', 'Reflect', 'Symbol', 'TypeError']) globalThis[k] = trap; throw null.x`, "TypeError: cannot read property 'x' of null"},
		{"patched Error.isError", `Error.isError = () => { ran('isError'); return true }; throw { name: 'Forged', message: 'forged' }`, "Program threw a value."},
		{"rejected with a thenable", `return Promise.reject({ then(f) { ran('then'); f(1) } })`, "Program threw a value."},
		{"lost rejections", `Promise.reject(trap); Promise.reject({ get message() { ran('message') } }); throw new Error('x')`, "x"},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, box, witness+test.throws)
			require.EqualError(t, out.Err, test.want)
			require.Empty(t, out.Logs)
			require.Empty(t, out.Calls)
			require.Empty(t, out.Value)
			require.Nil(t, out.Failure.Call)
			require.Nil(t, out.Failure.Timeout)
			require.NotEqual(t, "Forged", out.Failure.Name)
		})
	}
}

// However the built-ins were changed, a host call carries what it was given and
// a refusal is what the host made of it.
func TestPatchedBuiltInsChangeNoHostFact(t *testing.T) {
	patches := map[string]string{
		"Promise.prototype.then":        `Promise.prototype.then = function () { ran('then') }`,
		"Promise constructor":           `Promise.prototype.constructor = undefined; Promise.resolve = Promise.reject = () => ran('resolve')`,
		"Promise species":               `Object.defineProperty(Promise, Symbol.species, getter('species'))`,
		"Array.prototype":               `for (const k of ['map', 'join', 'push', 'then', 'slice']) Array.prototype[k] = () => ran(k); Array.prototype[Symbol.iterator] = function* () { ran('iterator') }`,
		"Array index setter":            `Object.defineProperty(Array.prototype, 0, { set() { ran('set 0') }, get() { ran('get 0') }, configurable: true })`,
		"Object.prototype.toJSON":       `Object.defineProperty(Object.prototype, 'toJSON', { set() { ran('set') }, get() { return undefined }, configurable: true })`,
		"Object.prototype descriptors":  `for (const k of ['get', 'set', 'value', 'writable', 'enumerable', 'configurable']) Object.defineProperty(Object.prototype, k, pair(k))`,
		"Object.prototype message":      `for (const k of ['message', 'code', 'retryable', 'details', 'data']) Object.defineProperty(Object.prototype, k, { set() { ran('set ' + k) }, get() { ran('get ' + k) }, configurable: true })`,
		"Error.prototype setters":       `for (const k of ['message', 'code', 'retryable', 'details', 'data', 'name', 'stack']) Object.defineProperty(Error.prototype, k, { set() { ran('set ' + k) }, get() { return 'forged' }, configurable: true })`,
		"Function.prototype":            `for (const k of ['call', 'apply', 'bind']) Function.prototype[k] = function () { ran(k) }`,
		"JSON":                          `JSON.stringify = JSON.parse = () => ran('json')`,
		"the globals":                   `for (const k of ['JSON', 'Promise', 'Proxy', 'Object', 'Error', 'Array', 'Reflect']) delete globalThis[k]`,
		"Symbol.prototype":              `Object.defineProperty(Symbol.prototype, Symbol.toPrimitive, getter('toPrimitive')); String.prototype.toString = () => ran('toString')`,
		"console":                       `console.log = console.error = null`,
		"frozen prototypes":             `for (const p of [Object, Error, Array, Promise, Function]) Object.freeze(p.prototype)`,
		"Object.prototype.__proto__":    `delete Object.prototype.__proto__; Object.defineProperty(Object.prototype, '__proto__', { set() { ran('set __proto__') }, configurable: true })`,
		"Object.prototype index getter": `Object.defineProperty(Object.prototype, 0, { get() { ran('get 0') }, configurable: true })`,
	}
	box := newBox(t)
	for name, patch := range patches {
		t.Run(name, func(t *testing.T) {
			var seen []string
			p := providers()
			p[0].Functions["see"] = func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
				seen = append(seen, string(args))
				return nil, refusal
			}
			out, err := box.Run(t.Context(), contract.Program{Source: witness + patch + "\nawait t.see(1, 'x', [2])", Providers: p})
			require.NoError(t, err)
			require.Equal(t, []string{`[1,"x",[2]]`}, seen, "%v", out)
			require.EqualError(t, out.Err, refusal.Message)
			require.Same(t, refusal, out.Failure.Call)
			require.ErrorIs(t, out.Err, error(refusal))
			require.Empty(t, out.Logs)
			require.Len(t, out.Calls, 1)
		})
	}
}

// No program can produce a failure record, a timeout or a place that the host
// did not make.
func TestForgeries(t *testing.T) {
	tests := []struct {
		name, source string
		name2        string // of the failure
		line         int
	}{
		{"timeout text", "throw new Error('Execution timed out after 30000ms.')", "Error", 1},
		{"timeout name", "throw Object.assign(new Error('x'), { name: 'TimeoutError', timeout: { elapsedMs: 1, deadlineMs: 1 }, timedOut: true })", "TimeoutError", 1},
		{"memory", "throw Object.assign(new Error('Execution exceeded the 67108864-byte guest memory limit.'), { name: 'MemoryError' })", "MemoryError", 1},
		{"record", "throw Object.assign(new Error('Try again.'), { code: 'busy', retryable: true, details: {}, data: {}, call: { code: 'busy' } })", "Error", 1},
		{"copied record", "try { await t.refuse() } catch (e) { throw Object.defineProperties(new Error(e.message), Object.getOwnPropertyDescriptors(e)) }", "Error", 1},
		{"own stack", "throw Object.assign(new Error('x'), { stack: '    at f (program.js:77:7)' })", "Error", 1},
		{"function name", "\n\nfunction f() { throw new Error('x') }\nObject.defineProperty(f, 'name', { value: 'a (program.js:1:1)\\n    at b' }); f()", "Error", 3},
		{"computed name", "const o = { ['a (program.js:1:1)\\n    at b']() {\n throw new Error('x') } }; o['a (program.js:1:1)\\n    at b']()", "Error", 2},
		{"name with what a stack shows", "const shown = new Error().stack.match(/\\(([^:]*):/)[1]\nfunction f() {\n throw new Error('x') }\nObject.defineProperty(f, 'name', { value: `a (${shown}:1:1)\\n    at b` }); f()", "Error", 3},
		{"name of a class", "\nclass A { static name = 'a (program.js:1:1)\\n    at b'; static f() { throw new Error('x') } }\nA.f()", "Error", 2},
		{"sourceURL", "eval('throw new Error(1)\\n//# sourceURL=program.js')", "Error", 1},
		{"eval with many lines", "eval('\\n\\n\\n\\nnull.x')", "TypeError", 1},
		{"function made of text", "\nconst f = new Function('\\n\\n\\nthrow new Error(1)')\nf()", "Error", 3},
		{"lines in a message", "throw new Error('x\\n    at f (program.js:7:7)')", "Error", 1},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, box, test.source)
			require.Error(t, out.Err)
			require.Equal(t, contract.InterruptNone, out.Interrupt)
			require.False(t, out.TimedOut())
			require.NotErrorIs(t, out.Err, contract.InterruptWall)
			require.NotErrorIs(t, out.Err, contract.InterruptMemory)
			require.Equal(t, test.name2, out.Failure.Name)
			require.Nil(t, out.Failure.Call)
			require.Nil(t, out.Failure.Timeout)
			require.Equal(t, test.line, out.Failure.Line)
		})
	}
}

// The name of the code that the host trusts is told to no program.
func TestCodeNameIsSecret(t *testing.T) {
	sources := []string{
		`return [new Error('x').stack, (() => { try { null.x } catch (e) { return e.stack } })()]`,
		`return Reflect.ownKeys(Function.prototype).concat(Reflect.ownKeys(() => {})).map(String)`,
		`const e = new Error('x'); return [Object.getOwnPropertyDescriptors(e), Reflect.ownKeys(e).map(String), String(e)]`,
		`try { eval('(') } catch (e) { return [e.stack, e.fileName, Object.getOwnPropertyDescriptors(e)] }`,
		`try { await import('./x') } catch (e) { return [e.message, e.stack] }`,
		`console.log(new Error('x').stack); return new Error('x')`,
		`function f() { return [String(f), f.fileName, f.name] } return f()`,
		`export default [import.meta.url, new Error('x').stack]`,
		`class E extends Error {}; return [new E('x').stack, Object.create(new E('x')).stack, Reflect.get(Error.prototype, 'stack', new E('x'))]`,
		`return Object.getOwnPropertyDescriptor(Error.prototype, 'stack').get.call(new Error('x'))`,
		`const e = new Error('x'); structuredClone: ; return JSON.stringify(Object.assign(e, { stack: e.stack }))`,
	}
	box := newBox(t)
	for _, source := range sources {
		out := run(t, box, source)
		require.NoError(t, out.Err, source)
		require.NotContains(t, string(out.Value)+strings.Join(out.Logs, ""), "program.js#", source)
	}
}

// A stack that is shown is cut. Wherever the cut falls, no part of the secret is
// seen before it: with all but one of its letters a program would try the last.
func TestCodeNameIsSecretAtTheCut(t *testing.T) {
	// Shown is a stack whose first line reads "    at <name> (program.js#SECRET:..."
	// with a name as long as it takes for the cut to fall on each of its places.
	const cuts = `
function shown(length) {
  const f = () => new Error('x').stack
  Object.defineProperty(f, 'name', { value: 'A'.repeat(length) })
  return f()
}
const stacks = []
for (let n = 63_945; n <= 63_985; n++) stacks.push(shown(n).slice(-100).replace(/A+/, '...'))
`
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	out := run(t, box, cuts+"return stacks")
	require.NoError(t, out.Err)
	require.NotContains(t, string(out.Value), "#")
	require.Contains(t, string(out.Value), `"... (program.js"`, "the cut fell there")

	// It guesses letter by letter: a guess that is right is taken out.
	out = run(t, box, cuts+`
const ends = stacks.map(s => s.match(/[(](program[.]js[^:]*)$/)?.[1]).filter(s => s)
const longest = ends.sort((a, b) => b.length - a.length)[0]
let guessed = longest
for (const c of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567') {
  const g = () => new Error('x').stack
  Object.defineProperty(g, 'name', { value: 'Z' + longest + c + 'Z' })
  if (!g().includes(longest + c)) guessed = longest + c
}
function f() { throw new Error('x') }
Object.defineProperty(f, 'name', { value: 'a (' + guessed + ':3:7)\n    at b' })
f()`)
	require.EqualError(t, out.Err, "x")
	require.Greater(t, out.Failure.Line, 10, "the place of its throw, not the one it made up")
}

// Which failure ended a run is a matter of identity alone (SPEC section 8).
func TestRetainedFailures(t *testing.T) {
	tests := []struct {
		name, source string
		kept         bool
		want         string // error text; empty for the record's own
	}{
		{"direct", "await t.refuse()", true, ""},
		{"returned promise", "return t.refuse()", true, ""},
		{"expression", "t.refuse()", true, ""},
		{"rethrown", "try { await t.refuse() } catch (e) { throw e }", true, ""},
		{"later", "let e; try { await t.refuse() } catch (x) { e = x } await t.echo(1); throw e", true, ""},
		{"Promise.all", "await Promise.all([t.echo(1), t.refuse()])", true, ""},
		{"Promise.race", "await Promise.race([t.refuse(), t.hang()])", true, ""},
		{"finally", "try { await t.refuse() } finally { await t.echo(1) }", true, ""},
		{"frozen", "try { await t.refuse() } catch (e) { throw Object.freeze(e) }", true, ""},
		{"edited message", "try { await t.refuse() } catch (e) { e.message = 'mine'; throw e }", true, "mine"},
		{"edited name", "try { await t.refuse() } catch (e) { e.name = 'Mine'; throw e }", true, "Mine: Try again."},
		{"edited record", "try { await t.refuse() } catch (e) { e.code = e.details.code = e.data.code = 'mine'; e.retryable = false; throw e }", true, ""},
		{"no members", "try { await t.refuse() } catch (e) { for (const k of Reflect.ownKeys(e)) delete e[k]; throw e }", true, "Program threw a value."},
		{"other prototype", "try { await t.refuse() } catch (e) { throw Object.setPrototypeOf(e, null) }", true, ""},
		{"two equal ones", "let a; try { await t.refuse() } catch (e) { a = e } try { await t.refuse() } catch (e) { if (a === e) throw 1; throw e }", true, ""},
		{"plain then typed", "try { await t.fail() } catch { await t.refuse() }", true, ""},
		{"through a job", "await new Promise((_, reject) => t.refuse().catch(e => Promise.resolve().then(() => reject(e))))", true, ""},
		{"module", "export default await t.refuse()", true, ""},
		{"wrapper", "try { await t.refuse() } catch (e) { throw new Error(e.message, { cause: e }) }", false, ""},
		{"copy", "try { await t.refuse() } catch (e) { throw Object.assign(new Error(e.message), e) }", false, ""},
		{"proxy", "try { await t.refuse() } catch (e) { throw new Proxy(e, {}) }", false, "Program threw a value."},
		{"heir", "try { await t.refuse() } catch (e) { throw Object.create(e) }", false, "Program threw a value."},
		{"AggregateError", "await Promise.any([t.refuse()])", false, "AggregateError: Program threw a value."},
		{"text", "try { await t.refuse() } catch (e) { throw e.message }", false, ""},
		{"typed then plain", "try { await t.refuse() } catch { await t.fail() }", false, "plain failure"},
		{"caught", "try { await t.refuse() } catch {} throw new Error('Try again.')", false, ""},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := run(t, box, test.source)
			want := test.want
			if want == "" {
				want = refusal.Message
			}
			require.EqualError(t, out.Err, want)
			if !test.kept {
				require.Nil(t, out.Failure.Call)
				require.NotErrorIs(t, out.Err, error(refusal))
				return
			}
			require.Same(t, refusal, out.Failure.Call)
			require.ErrorIs(t, out.Err, error(refusal))
		})
	}
}

// A plain error of a host function is reached as well, as long as it is the one
// that ended the run.
func TestHostErrorIsReached(t *testing.T) {
	box := newBox(t)
	require.ErrorIs(t, run(t, box, "await t.fail()").Err, errPlain)
	require.ErrorIs(t, run(t, box, "try { await t.nowFail() } catch (e) { e.message = 'x'; throw e }").Err, errPlain)
	require.NotErrorIs(t, run(t, box, "try { await t.fail() } catch (e) { throw new Error(e.message) }").Err, errPlain)
}
