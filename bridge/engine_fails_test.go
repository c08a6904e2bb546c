package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/fault"
	"github.com/guestjs/guestjs/quickjs"
)

// The engine's operations do not fail on a healthy machine, so here each one
// does once: a run ends in order, with the right value or an error, and the next
// program on the same sandbox finds nothing of it.

var errInjected = errors.New("injected")

// failAt makes the engine's n-th operation from now on fail; it says whether
// there was one.
func failAt(n int, with func() error) (restore func() (fired bool)) {
	seen, making := 0, false
	undo := fault.Set(func(point string) error {
		if point != fault.Engine || making {
			return nil
		}
		if seen++; seen != n {
			return nil
		}
		making = true // with may ask the engine itself
		defer func() { making = false }()
		return with()
	})
	return func() bool {
		undo()
		return seen >= n
	}
}

// step is how far it is to the next operation that fails: not far, but under the
// race detector, where a sandbox that is built anew takes its time.
func step() int {
	if raceEnabled {
		return 29
	}
	return 1
}

// strict is put in front of programs that catch: what was injected they let pass.
const strict = "const say = e => { if (/injected/.test(e)) throw e; return String(e.message) }; "

// swept are programs that together go everywhere in this package.
var swept = []struct {
	name, source string
	program      contract.Program // the rest of it
	before       int              // how often it ran before
}{
	{name: "expression", source: "1 + 1"},
	{name: "expression with semicolons", source: "[1, 2]; // two\n;"},
	{name: "function", source: "() => ({ a: [1, 'x', null, true] })"},
	{name: "async function", source: "async () => 5"},
	{name: "identifier await", source: "(x => x)(aw\\u0061it => 1)(2)"},
	{name: "body", source: "const a = 1\nif (a) return a"},
	{name: "last statement", source: "const a = 1; // one\nlet b = 2\na +\nb;"},
	{name: "last statement is a declaration", source: "const a = 1\nfunction f() {}"},
	{name: "last statement is none of its own", source: "if (1) { 2 }\nelse 3"},
	{name: "body that awaits", source: "await null; const b = await (2); return b"},
	{name: "seen before", source: "const a = 1; a", before: 1},
	{name: "kept", source: "const a = 1; a", before: 2},
	{name: "kept and read", source: "const a = 1; a", before: 3},
	{name: "module", source: "const a = 1; export default a"},
	{name: "module with a function", source: "export default async () => 7"},
	{name: "module that awaits", source: "export default await Promise.resolve(8)"},
	{name: "module that throws", source: "export default null.x"},
	{name: "two exports", source: "export default 1; export default 2"},
	{name: "no program", source: "a b"},
	{name: "no program that the engine says no place of", source: "[2 ** 2, -1 ** 2, 3 ** 4]"},
	{name: "no program that closes the wrapper", source: "x })(); (async () => {"},

	{name: "surroundings", source: "[a, b.c, kept, await u.echo(1), Date.now(), typeof Math.random()]", program: contract.Program{
		Globals: map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage(`{"c":[2]}`)},
		Providers: []contract.Provider{
			{Name: "u", Functions: map[string]contract.HostFunc{"echo": echo}, Prelude: "const own = a; globalThis.kept = own + 1"},
			{Name: "v", Prelude: "if (own !== 1) throw new Error('not one scope')"},
		},
		Seed: 1, Clock: time.UnixMilli(5), Limits: contract.Limits{Memory: 8 << 20, Stack: 512 << 10},
	}},
	{name: "prelude that throws", source: "1", program: contract.Program{Providers: []contract.Provider{{Name: "u", Prelude: "throw new RangeError('no')"}}}},

	{name: "call", source: "[await t.echo({ a: 1 }), await t.nothing(), await t.args(undefined, () => 1)]"},
	{name: "immediate call", source: "[await t.now({ a: 1 }), await t.now(1)]"},
	{name: "calls that wait", source: "return await Promise.all([t.echo(1), t.echo(2), t.echo(3)])"},
	{name: "call that fails", source: "await t.fail()"},
	{name: "immediate call that fails", source: "await t.nowFail()"},
	{name: "call that is refused", source: "await t.refuse()"},
	{name: "call that is refused at length", source: strict + "try { await t.long() } catch (e) { return [say(e).length, e.code, e.details, e.data, e.retryable] }"},
	{name: "reply that is not JSON", source: "await t.garbage()"},
	{name: "reply that is too large", source: "await t.text(300000)"},
	{name: "reply that is a thenable", source: "Object.prototype.then = function (f) { delete Object.prototype.then; f(3) }; return await t.now({})"},
	{name: "reply whose then throws", source: "Object.defineProperty(Object.prototype, 'then', { get() { delete Object.prototype.then; throw new Error('mine') } }); return await t.echo({})"},
	{name: "unknown function", source: "await t.missing()"},
	{name: "arguments that do not write", source: "await t.echo(1n)"},
	{name: "arguments that throw", source: "await t.now({ toJSON() { throw new Error('mine') } })"},
	{name: "arguments that are too large", source: "await t.now('x'.repeat(300000))"},
	{name: "calls over the limit", source: "await t.now(1); await t.now(2)", program: contract.Program{Limits: contract.Limits{HostCalls: 1}}},

	{name: "thrown text", source: "throw 'text'"},
	{name: "thrown number", source: "throw 1.5"},
	{name: "thrown object", source: "throw { message: 'x' }"},
	{name: "thrown error", source: `
class Mine extends TypeError {}
const e = new Mine('x', { cause: new Error('y', { cause: Object.assign(new RangeError('z'), { code: 1 }) }) })
throw Object.assign(e, { name: 'Mine', code: 'c', n: 0 / 0, deep: { a: [1, { b: 'x' }], t: true, u: null }, get g() { return 1 }, big: 1n, f() {} })`},
	{name: "thrown error without members", source: "const e = new Error('x'); delete e.message; Object.defineProperty(e, 'name', { get() { return 'y' } }); throw e"},
	{name: "thrown at once", source: "null.x"},
	{name: "not defined", source: "fetch('x')"},
	{name: "rejections", source: "for (const r of ['a', new Error('b', { cause: new Error('c') }), { d: 1 }]) Promise.reject(r); Promise.reject(1).catch(() => {}); return 1"},
	{name: "rejections of a program that throws", source: "Promise.reject(new Error('b')); throw new Error('a')"},
	{name: "stalled", source: "Promise.reject(new Error('b')); await new Promise(() => {})"},
	{name: "stacks", source: strict + "const e = new Error('x'); let s = e.stack; try { Reflect.get(Error.prototype, 'stack', 1) } catch (x) { s += say(x) } return s + Reflect.get(Error.prototype, 'stack', {})"},

	{name: "value of each kind", source: "return [1.5, 'x', true, null, undefined, () => 1, Symbol(), new Date(0), { toJSON() { return 7 } }, {}]"},
	{name: "no value", source: "undefined"},
	{name: "value with plain members", source: "return { a: {}, b: [[{}], new Proxy({}, {})] }"},
	{name: "value with a promise", source: "return { a: {}, b: [[1, t.now(1)]] }"},
	{name: "value that is a thenable", source: "return { then(f) { f({ a: 1 }) } }"},
	{name: "expression that is a thenable", source: "({ then(f) { f(4) } })"},
	{name: "value with a BigInt", source: "return { a: [1, { b: 1n }] }"},
	{name: "value in a circle", source: "const a = { b: [] }; a.b.push(a); return a"},
	{name: "value that throws", source: "return { toJSON() { throw new Error('mine', { cause: new Error('deep') }) } }"},
	{name: "BigInt", source: "1n"},
	{name: "no JSON form", source: "return { toJSON() {} }"},
	{name: "error", source: "return Object.assign(new TypeError('x'), { code: 5 })"},
	{name: "error with a toJSON", source: "return Object.assign(new Error('x'), { toJSON() { return [1] } })"},

	{name: "console", source: "console.log('x', 1, { a: [1] }, undefined, 1n, () => 1); console.error({ toJSON() { throw {} }, toString() { throw {} } }); return 1"},
	{name: "finalization that throws", source: "const r = new FinalizationRegistry(() => { throw new Error('mine') }); r.register({}, 1); return 1"},
}

// sweptProviders are those of all these tests, and one that quotes.
func sweptProviders() []contract.Provider {
	p := providers()
	p[0].Functions["long"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		return nil, &contract.Failure{Code: "c", Message: strings.Repeat("m", maxText+1), Details: map[string]any{"f": func() {}}}
	}
	return p
}

const maxText = 4000

// sweepRuns runs every program with one operation failing, on one sandbox.
func sweepRuns(t *testing.T, with func(*bridge.Sandbox) func() error, check func(t *testing.T, want, got contract.Outcome)) {
	box := newBoxWith(t, bridge.Options{MaxCalls: 1, Limits: contract.Limits{CPU: contract.Unlimited}})
	handles := 0
	next := func() {
		out := run(t, box, "[1, await t.echo(2), await t.now(3)]")
		require.NoError(t, out.Err)
		require.Equal(t, "[1,2,3]", string(out.Value))
		require.Empty(t, out.Unhandled)
		if handles == 0 {
			handles = box.Handles()
		}
		require.Equal(t, handles, box.Handles(), "handles that are left")
	}
	next()
	runs := 0
	for _, s := range swept {
		t.Run(s.name, func(t *testing.T) {
			p := s.program
			p.Source = s.source
			if p.Providers == nil {
				p.Providers = sweptProviders()
			}
			again := func() contract.Outcome {
				p.Name = fmt.Sprintf("%d.js", runs) // or it would be one that came before
				runs++
				for range s.before {
					_, err := box.Run(t.Context(), p)
					require.NoError(t, err)
				}
				return contract.Outcome{}
			}
			again()
			want, err := box.Run(t.Context(), p)
			require.NoError(t, err)
			var got contract.Outcome
			for n := 1; ; n += step() {
				require.Less(t, n, 1000, "there is an end to it")
				again()
				restore := failAt(n, with(box))
				got, err = box.Run(t.Context(), p)
				fired := restore()
				require.NoError(t, err)
				if !fired {
					break
				}
				check(t, want, got)
				next()
			}
			require.Equal(t, comparable(want), comparable(got))
		})
	}
}

// inStack is the name of a program in a stack.
var inStack = regexp.MustCompile(`\(\d+\.js:`)

// comparable is what is the same each time.
func comparable(out contract.Outcome) outcomeText {
	w := textOf(out, true)
	w.value = inStack.ReplaceAllString(w.value, "(program.js:")
	return w
}

func TestEngineOperationsFail(t *testing.T) {
	with := func(*bridge.Sandbox) func() error { return func() error { return errInjected } }
	sweepRuns(t, with, func(t *testing.T, want, got contract.Outcome) {
		w, g := comparable(want), comparable(got)
		if got.Interrupt != contract.InterruptNone {
			require.ErrorIs(t, got.Err, contract.InterruptFault)
			require.ErrorIs(t, got.Err, errInjected)
			require.Nil(t, got.Value)
			return
		}
		if got.Err != nil && strings.Contains(g.err, errInjected.Error()) {
			require.Nil(t, got.Value)
			return
		}
		// What the console cannot write as JSON it writes by string form.
		require.Len(t, g.logs, len(w.logs))
		// What a program lost is told, if not what it was.
		require.Len(t, g.notUnhandled, len(w.notUnhandled))
		for i := range w.notUnhandled {
			if w.notUnhandled[i] != g.notUnhandled[i] {
				require.Equal(t, "Program threw a value.", g.notUnhandled[i])
			}
		}
		w.logs, w.notUnhandled = g.logs, g.notUnhandled
		require.Equal(t, w, g)
	})
}

func TestEngineOperationsThrow(t *testing.T) {
	// It is what the engine throws by itself, wherever its stack happens to end.
	with := func(box *bridge.Sandbox) func() error { return func() error { return box.Thrown("stack overflow") } }
	sweepRuns(t, with, func(t *testing.T, want, got contract.Outcome) {
		require.Equal(t, contract.InterruptNone, got.Interrupt)
		if strings.Contains(t.Name(), "/value") && got.Err == nil { // what did not compile is another program
			require.NoError(t, want.Err)
			require.Equal(t, string(want.Value), string(got.Value))
		}
	})
}

func TestEngineOperationsAreTooLarge(t *testing.T) {
	with := func(*bridge.Sandbox) func() error { return func() error { return quickjs.ErrTooLarge } }
	sweepRuns(t, with, func(t *testing.T, want, got contract.Outcome) {
		if got.Interrupt != contract.InterruptNone {
			require.ErrorIs(t, got.Err, contract.InterruptFault)
			require.ErrorIs(t, got.Err, quickjs.ErrTooLarge)
		}
	})
}

// What the engine could not say is not taken for what is not there.
func TestEngineFailsWhileLooking(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, test := range []struct {
		name, source string
		whole        func(contract.Outcome) bool
	}{
		{"for promises in a value", "return { a: {}, b: [[1, t.now(1)]] }", func(out contract.Outcome) bool {
			return strings.Contains(out.Err.Error(), "a promise that was not awaited at .b[0][1]")
		}},
		{"for the place of a BigInt", "return [{ a: 1n }]", func(out contract.Outcome) bool {
			return strings.Contains(out.Err.Error(), "BigInt at [0].a")
		}},
		{"at a rejection that was lost", "Promise.reject(new Error('b')); return 1", func(out contract.Outcome) bool {
			return len(out.Unhandled) == 1
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for n := 1; ; n++ {
				require.NoError(t, run(t, box, "1").Err) // on a sandbox that is not built first
				restore := failAt(n, func() error { return errInjected })
				out := run(t, box, test.source)
				fired := restore()
				if !strings.Contains(fmt.Sprint(out.Err), errInjected.Error()) {
					require.True(t, test.whole(out), "%d: %s %v", n, out.Value, out.Err)
				}
				if !fired {
					return
				}
			}
		})
	}
}

// A sandbox is built whole or not at all.
func TestEngineOperationsFailWhileBuilding(t *testing.T) {
	for n := 1; ; n++ {
		restore := failAt(n, func() error { return errInjected })
		box, err := bridge.NewSandbox(bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
		if !restore() {
			require.NoError(t, err)
			require.Equal(t, "1", string(run(t, box, "1").Value))
			require.NoError(t, box.Close())
			return
		}
		require.ErrorIs(t, err, errInjected)
		require.ErrorContains(t, err, "bridge: building a sandbox: ")
		require.Nil(t, box)
	}
}

// Check says that it could not tell, and not that a program is bad.
func TestEngineOperationsFailInCheck(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for i, s := range swept {
		want := box.Check(t.Context(), contract.Program{Source: s.source, Name: "first.js"})
		for n := 1; ; n += step() {
			restore := failAt(n, func() error { return errInjected })
			err := box.Check(t.Context(), contract.Program{Source: s.source, Name: fmt.Sprintf("%d-%d.js", i, n)})
			if !restore() {
				break
			}
			if !errors.Is(err, contract.InterruptFault) { // one of those that only describe
				require.Error(t, want, s.source)
				require.EqualError(t, err, want.Error(), s.source)
				continue
			}
			require.ErrorIs(t, err, errInjected)
			err = box.Check(t.Context(), contract.Program{Source: s.source, Name: "second.js"})
			if want == nil {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, want.Error(), s.source)
			}
		}
	}
}

// The system refuses what is asked for a sandbox's memory: to put it back, to give
// it back, to have it anew. The run or the check says so, and once it can be had
// the next one goes as ever.
func TestArenaFails(t *testing.T) {
	failing := map[string]bool{}
	fail := func(points ...string) {
		clear(failing)
		for _, p := range points {
			failing[p] = true
		}
	}
	defer fault.Set(func(point string) error {
		if failing[point] {
			return errInjected
		}
		return nil
	})()
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{Memory: 4 << 20, CPU: contract.Unlimited}}) // one stays for good
	program := contract.Program{Source: "('x'.repeat(1e6) + 1).length"}                                     // enough to be given back
	works := func(built int) {
		t.Helper()
		fail()
		out, err := box.Run(t.Context(), program)
		require.NoError(t, err)
		require.Equal(t, "1000001", string(out.Value))
		require.EqualValues(t, built, box.Stats().Rebuilt)
	}

	works(0)
	fail(fault.Release)
	require.ErrorIs(t, box.Trim(), errInjected)
	works(1)

	fail(fault.Release)
	out, err := box.Run(t.Context(), program)
	require.NoError(t, err)
	require.ErrorIs(t, out.Err, contract.InterruptFault)
	require.ErrorIs(t, out.Err, errInjected)
	works(2)

	fail(fault.Release, fault.Unmap)
	out, err = box.Run(t.Context(), program)
	require.ErrorIs(t, err, errInjected)
	require.ErrorIs(t, out.Err, contract.InterruptFault)
	for _, point := range []string{fault.Map, fault.Open, fault.Engine} {
		fail(point)
		_, err = box.Run(t.Context(), program)
		require.ErrorIs(t, err, errInjected, point)
		require.ErrorIs(t, box.Check(t.Context(), program), errInjected, point)
		require.NoError(t, box.Trim(), "there is nothing to give back")
	}
	works(3)

	fail(fault.Release)
	require.ErrorIs(t, box.Check(t.Context(), program), errInjected)
	fail()
	require.NoError(t, box.Check(t.Context(), program))
	works(4)
}
