package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

func TestLimitsEndARun(t *testing.T) {
	// What a program does first has to be done by the deadline on a busy machine,
	// too; a processor budget is only used up by the program itself.
	short, deadline, memory := 30*time.Millisecond, 200*time.Millisecond, int64(16<<20)
	if raceEnabled {
		short, deadline, memory = 300*time.Millisecond, 2*time.Second, 4<<20 // everything takes that much longer
	}
	cpu := fmt.Sprintf("Execution exceeded the %dms guest CPU budget.", short.Milliseconds())
	wall := fmt.Sprintf("Execution timed out after %dms.", deadline.Milliseconds())
	mem := fmt.Sprintf("Execution exceeded the %d-byte guest memory limit.", memory)
	tests := []struct {
		name, source, want string
		limits             contract.Limits
	}{
		{"CPU in a loop", "for (;;);", cpu, contract.Limits{CPU: short}},
		{"CPU in a function that never polls", "new Array(1e9).includes(5)", cpu, contract.Limits{CPU: short}},
		{"CPU in promise jobs", "const f = () => Promise.resolve().then(f); return f()", cpu, contract.Limits{CPU: short}},
		{"CPU in a regular expression", ";/^(a+)+$/.test('a'.repeat(60) + 'b')", cpu, contract.Limits{CPU: short}},
		{"CPU over many host calls", "for (;;) await t.now()", cpu, contract.Limits{CPU: short}},
		{"CPU while compiling", "eval('x=1;'.repeat(170000))", cpu, contract.Limits{CPU: short}},
		{"CPU in toJSON", "return { toJSON() { for (;;); } }", cpu, contract.Limits{CPU: short}},
		{"CPU in a getter of the value", "return { get a() { for (;;); } }", cpu, contract.Limits{CPU: short}},
		{"CPU in a proxy of the value", "return new Proxy({}, { ownKeys() { for (;;); } })", cpu, contract.Limits{CPU: short}},
		{"CPU in an argument", "await t.echo({ toJSON() { for (;;); } })", cpu, contract.Limits{CPU: short}},
		{"CPU in the console", "console.log({ toJSON() { for (;;); } })", cpu, contract.Limits{CPU: short}},
		{"CPU in a reply's then", "Object.defineProperty(Object.prototype, 'then', { get() { for (;;); } }); await t.now({})", cpu, contract.Limits{CPU: short}},
		{"CPU in a module", "for (;;); export default 1", cpu, contract.Limits{CPU: short}},
		{"wall in a loop", "for (;;);", wall, contract.Limits{Wall: deadline, CPU: contract.Unlimited}},
		{"wall before CPU", "for (;;);", wall, contract.Limits{Wall: deadline, CPU: deadline}},
		{"wall in a host call", "await t.hang()", wall, contract.Limits{Wall: deadline}},
		{"wall in many host calls", "for (;;) await t.echo()", wall, contract.Limits{Wall: deadline, CPU: contract.Unlimited, HostCalls: math.MaxInt64}},
		{"wall in toJSON", "return { toJSON() { for (;;); } }", wall, contract.Limits{Wall: deadline, CPU: contract.Unlimited}},
		{"wall in a slow immediate function", "for (let i = 0; i < 1e4; i++) t.slow(); await t.slow()", wall, contract.Limits{Wall: deadline, CPU: contract.Unlimited}},
		{"memory", "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)", mem, contract.Limits{CPU: contract.Unlimited}},
		{"memory in one piece", "new ArrayBuffer(1e9)", mem, contract.Limits{}},
		{"memory of its own", "'x'.repeat(3e6) + 1", "Execution exceeded the 2097152-byte guest memory limit.", contract.Limits{Memory: 2 << 20}},
		{"memory in a job", "await null; const a = []; for (;;) a.push([a])", mem, contract.Limits{CPU: contract.Unlimited}},
		{"memory while reading out", "return { toJSON() { return 'x'.repeat(1e8) } }", mem, contract.Limits{}},
		{"memory in waiting calls", "for (;;) t.hang('x'.repeat(2e5))", mem, contract.Limits{CPU: contract.Unlimited}},
		{"memory in immediate calls", "const kept = []; for (;;) kept.push(t.now('x'.repeat(2e5)))", mem, contract.Limits{CPU: contract.Unlimited}},
		{"memory in errors that quote", "for (;;) await t.quote('x'.repeat(2e5)).catch(() => {})", mem, contract.Limits{CPU: contract.Unlimited}},
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{Memory: memory}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := providers()
			p[0].Immediate["slow"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
				for start := time.Now(); time.Since(start) < 5*time.Millisecond; {
				}
				return nil, nil
			}
			p[0].Immediate["quote"] = quote
			before := box.Stats()
			start := time.Now()
			out, err := box.Run(t.Context(), contract.Program{
				Source: "console.log('kept')\n" + test.source, Providers: p, Limits: test.limits,
			})
			require.NoError(t, err)
			require.Less(t, time.Since(start), 20*time.Second)
			require.EqualError(t, out.Err, test.want)
			require.Nil(t, out.Value)
			require.Equal(t, []string{"kept"}, out.Logs)
			after := box.Stats()
			require.Equal(t, before.Runs+1, after.Runs)
			require.Zero(t, after.Faults)
			var interrupt *contract.InterruptError
			require.ErrorAs(t, out.Err, &interrupt)
			require.Equal(t, out.Interrupt, interrupt.Interrupt)
			switch out.Interrupt {
			case contract.InterruptCPU:
				require.Nil(t, out.Failure)
			case contract.InterruptWall:
				require.Equal(t, "TimeoutError", out.Failure.Name)
				require.Equal(t, deadline, out.Failure.Timeout.Deadline)
				require.GreaterOrEqual(t, out.Failure.Timeout.Elapsed, deadline)
				require.True(t, out.TimedOut())
			case contract.InterruptMemory:
				require.Equal(t, "MemoryError", out.Failure.Name)
				require.Equal(t, before.MemoryStops+1, after.MemoryStops)
			}
			require.Equal(t, "6", string(run(t, box, "[1, 2, 3].reduce((a, b) => a + b)").Value))
		})
	}
}

// quote refuses with an error that holds all it was given.
func quote(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
	return nil, fmt.Errorf("cannot use %s", args)
}

func TestStackOverflowIsAnException(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	out := run(t, box, "let n = 0; function f() { n++; f() } try { f() } catch (e) { return [e instanceof Error, n > 100] }")
	require.Equal(t, "[true,true]", string(out.Value))
	deep := run(t, box, "let n = 0; function f() { n++; f() } try { f() } catch {} return n")
	out, err := box.Run(t.Context(), contract.Program{Source: "let n = 0; function f() { n++; f() } try { f() } catch {} return n", Limits: contract.Limits{Stack: 64 << 10}})
	require.NoError(t, err)
	require.Less(t, number(t, out.Value), number(t, deep.Value)/2)
	for _, source := range []string{
		"const o = { toJSON() { return t.echo(o) } }; await t.echo(o); return 1",
		"const o = { toJSON() { return JSON.stringify(o) } }; return o",
		"let a = []; for (let i = 0; i < 6e3; i++) a = [a]; return a",
		"let a = []; for (let i = 0; i < 6e3; i++) a = [a]; await t.echo(a)",
		"let a = []; for (let i = 0; i < 6e3; i++) a = [a]; console.log(a)",
		"let a = []; for (let i = 0; i < 6e3; i++) a = { a }; throw Object.assign(new Error('x'), { a })",
		"let e = new Error('x'); for (let i = 0; i < 6e3; i++) e = new Error('x', { cause: e }); throw e",
		"const e = new Error('x'); e.cause = e; throw e",
	} {
		if raceEnabled {
			source = strings.ReplaceAll(source, "6e3", "1e3") // each level takes milliseconds there
		}
		out := run(t, box, source)
		require.Equal(t, contract.InterruptNone, out.Interrupt, source)
	}
}

func number(t *testing.T, text json.RawMessage) (n float64) {
	require.NoError(t, json.Unmarshal(text, &n))
	return n
}

func TestHostCallLimit(t *testing.T) {
	box := newBox(t)
	source := `
const r = []
for (let i = 0; i < 5; i++) r.push(await t.now(i).catch(e => e.message))
return r`
	out, err := box.Run(t.Context(), contract.Program{Source: source, Providers: providers(), Limits: contract.Limits{HostCalls: 3}})
	require.NoError(t, err)
	require.Equal(t, `[0,1,2,"Host call limit of 3 reached.","Host call limit of 3 reached."]`, string(out.Value))
	require.Len(t, out.Calls, 3)

	// Refused calls cost the host nothing that lasts.
	out, err = box.Run(t.Context(), contract.Program{
		Source: "for (let i = 0; i < 5e3; i++) { t.now(i).catch(() => {}); await null }\nreturn 1", Providers: providers(),
		Limits: contract.Limits{HostCalls: 1, CPU: contract.Unlimited},
	})
	require.NoError(t, err)
	require.NoError(t, out.Err)
	require.Less(t, box.Handles(), 50)
}

func TestResultOver64MiB(t *testing.T) {
	if raceEnabled {
		t.Skip("64 MiB take minutes under the race detector")
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{Memory: 300 << 20, CPU: contract.Unlimited}})
	const most = 64 << 20
	out := run(t, box, fmt.Sprintf("'x'.repeat(%d)", most-2))
	require.NoError(t, out.Err)
	require.Len(t, out.Value, most)
	out = run(t, box, fmt.Sprintf("'x'.repeat(%d)", most-1))
	require.EqualError(t, out.Err, "result is not JSON-serializable: it is larger than 64 MiB of JSON text")
	require.Nil(t, out.Value)
	require.NoError(t, box.Trim())
}

// Calls beyond MaxCalls wait in order, and no more than that run at once.
func TestMaxCalls(t *testing.T) {
	for _, most := range []int{1, 3, 64} {
		box := newBoxWith(t, bridge.Options{MaxCalls: most})
		var started []string
		starts := make(chan string, 200)
		release := make(chan struct{})
		p := []contract.Provider{{Name: "t", Functions: map[string]contract.HostFunc{
			"wait": func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
				starts <- string(args)
				release <- struct{}{}
				return args, nil
			},
		}}}
		done := make(chan contract.Outcome)
		go func() {
			out, err := box.Run(context.WithoutCancel(t.Context()), contract.Program{Source: "await Promise.all(Array.from({ length: 100 }, (_, i) => t.wait(i)))\nreturn 1", Providers: p})
			if err != nil {
				t.Error(err)
			}
			done <- out
		}()
		for range 100 {
			<-release
		}
		out := <-done
		require.NoError(t, out.Err)
		require.Len(t, out.Calls, 100)
		close(starts)
		for s := range starts {
			started = append(started, s)
		}
		require.Len(t, started, 100)
		if most == 1 {
			for i, s := range started {
				require.Equal(t, fmt.Sprintf("[%d]", i), s)
			}
		}
	}
}

// What a program queues or has had is not kept in the host.
func TestHostMemoryIsBounded(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector keeps memory of its own")
	}
	tests := []struct{ name, source string }{
		{"waiting calls", "for (let i = 0; i < 60; i++) t.hang('x'.repeat(2e5)); return await t.measure()"},
		{"waiting calls of wide text", "for (let i = 0; i < 60; i++) t.hang('\u53D8'.repeat(8e4)); return await t.measure()"},
		{"immediate calls", "const m = t.measure(); for (let i = 0; i < 200; i++) t.now('x'.repeat(2e5)); return await m"},
		{"replies of immediate calls", "const m = []; for (let i = 0; i < 50; i++) { t.large(i); if (i % 10 == 0) m.push(t.measure()) } return Math.max(...await Promise.all(m))"},
		{"calls one after another", "for (let i = 0; i < 50; i++) await t.now('x'.repeat(2e5)); return await t.measure()"},
		{"calls on goroutines", "for (let i = 0; i < 50; i++) await t.echo('x'.repeat(2e5)); return await t.measure()"},
		{"names of functions", "const long = 'x'.repeat(2e5); for (let i = 0; i < 50; i++) await t[long + i]().catch(() => {}); return await t.measure()"},
		{"names of functions that are kept short", "const long = t['\u20AC'.repeat(4000)]; for (let i = 0; i < 1000; i++) await long().catch(() => {}); return await t.measure()"},
		{"errors that quote", "for (let i = 0; i < 50; i++) await t.quote('x'.repeat(1e5)).catch(() => {}); return await t.measure() - 50 * 4e5"},
		{"log entries", "for (let i = 0; i < 50; i++) console.log('x'.repeat(1e5) + i, { a: 'x'.repeat(1e5) }); return await t.measure()"},
		{"lost rejections", "for (let i = 0; i < 50; i++) Promise.reject(new Error('x'.repeat(1e5) + i)); return await t.measure()"},
		{"arguments that fail", "for (let i = 0; i < 50; i++) await t.now('x'.repeat(1e5), 1n).catch(() => {}); return await t.measure()"},
		{"arguments that are too large", "for (let i = 0; i < 50; i++) await t.now('x'.repeat(3e5)).catch(() => {}); return await t.measure()"},
	}
	box := newBoxWith(t, bridge.Options{MaxCalls: 2, Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := providers()
			before := heap()
			p[0].Immediate["measure"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.Marshal(heap() - before)
			}
			p[0].Immediate["large"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`"` + strings.Repeat("x", 200_000) + `"`), nil
			}
			p[0].Immediate["quote"] = quote
			out, err := box.Run(t.Context(), contract.Program{Source: test.source, Providers: p})
			require.NoError(t, err)
			require.NoError(t, out.Err)
			require.Less(t, number(t, out.Value), 4e6)
		})
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An outcome is bounded whatever a program does.
func TestOutcomeIsBounded(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, source := range []string{
		"throw 'x'.repeat(1e6)",
		"throw new Error('x'.repeat(1e6))",
		"throw Object.assign(new Error('x'), { name: 'x'.repeat(1e6) })",
		"throw Object.assign(new Error('x'), Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ['k' + i, i])))",
		"throw Object.assign(new Error('x'), { ['x'.repeat(1e6)]: 1, data: 'x'.repeat(1e6), list: new Array(1e5).fill(1) })",
		"throw new Error('x', { cause: new Error('y'.repeat(1e6), { cause: new Error('z'.repeat(1e6)) }) })",
		"const f = { ['x'.repeat(1e6)]() { throw new Error('x') } }; f['x'.repeat(1e6)]()",
		"for (let i = 0; i < 1e3; i++) Promise.reject('x'.repeat(1e4) + i); throw 1",
		"for (let i = 0; i < 300; i++) console.log('\u53D8'.repeat(1e4)); throw 1",
		"for (let i = 0; i < 1e3; i++) console.log('x'); throw 1",
		"await t['x'.repeat(1e6)]()",
		"JSON.parse('x'.repeat(1e6))",
		"x" + strings.Repeat("y", 1e6),
		"null." + strings.Repeat("y", 1e6),
	} {
		out := run(t, box, source)
		require.Equal(t, contract.InterruptNone, out.Interrupt)
		require.Error(t, out.Err)
		text, err := json.Marshal(out)
		require.NoError(t, err)
		require.Less(t, len(text), 1<<20, "%.80s", source)
		require.LessOrEqual(t, len(out.Unhandled), 10)
		var thrown *contract.GuestError
		require.ErrorAs(t, out.Err, &thrown)
		require.LessOrEqual(t, len(thrown.Error()), 4000*3)
		details, err := json.Marshal(thrown.Properties)
		require.NoError(t, err)
		require.LessOrEqual(t, len(details), 12<<10)
		for e := error(thrown); e != nil; {
			var c *contract.GuestError
			require.ErrorAs(t, e, &c)
			require.LessOrEqual(t, len(c.Message), 4000*3)
			e = nil
			if c.Cause != nil {
				e = c.Cause
			}
		}
	}
}

// The place that a result error names is bounded too, and so is what is done to
// a returned error.
func TestReadOutIsBounded(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	out := run(t, box, "return { ['x'.repeat(2e6)]: { ['y'.repeat(1e5)]: 1n } }")
	require.ErrorContains(t, out.Err, "Do not know how to serialize a BigInt at .xxx")
	require.Less(t, len(out.Err.Error()), 1000)

	out = run(t, box, "return Object.assign(new Error('x'), { big: 'x'.repeat(2e6) })")
	require.NoError(t, out.Err)
	require.Len(t, out.Value, 2e6+len(`{"big":""}`))
	out = run(t, box, "return Object.assign(new TypeError('x'), { name: 'Mine', code: 5 })")
	require.NoError(t, out.Err)
	require.JSONEq(t, `{"name":"Mine","code":5,"message":"x","stack":"    at <anonymous> (program.js:1:55)\n"}`, string(out.Value))
}

// A program that catches everything leaves no trace after its budget.
func TestGuestCannotSeeAStop(t *testing.T) {
	traces := `
const trace = what => { console.log('after ' + what); t.now('after ' + what); t.echo('after ' + what) }
const spin = () => { for (;;); }
const fill = () => { const a = []; for (;;) a.push('x'.repeat(1e6) + a.length) }
const wait = () => t.hang()
`
	programs := []string{
		"try { STOP } catch (e) { trace('catch') } finally { trace('finally') } trace('end')",
		"await (async () => { STOP })().then(() => trace('then'), () => trace('catch')).finally(() => trace('finally'))",
		"await new Promise((resolve) => { STOP }).catch(() => trace('executor'))",
		"await Promise.resolve().then(() => { STOP }).catch(() => trace('job')).finally(() => trace('finally'))",
		"for await (const x of (async function* () { try { yield 1; STOP } catch { trace('catch') } finally { trace('finally') } })()) {}",
		"for (const x of { [Symbol.iterator]() { return { next: () => ({ value: 1 }), return() { trace('return'); return {} } } } }) { STOP }",
		"const it = { [Symbol.asyncIterator]() { return { next: async () => ({ value: 1 }), return() { trace('return'); return {} } } } }; for await (const x of it) { STOP }",
		"const [a] = { [Symbol.iterator]() { return { next() { STOP }, return() { trace('return'); return {} } } } }",
		"function* g() { try { yield 1; STOP } finally { trace('finally') } } try { for (const x of g()) ; } catch { trace('catch') }",
		"Promise.reject(1).catch(() => { STOP }).catch(() => trace('catch')); await t.now(1); trace('end')",
		"await Promise.allSettled([(async () => { STOP })(), t.now(1).then(() => { STOP })]); trace('end')",
		"await Promise.any([new Promise((_, r) => { STOP; r() })]).catch(() => trace('any'))",
		"const e = { toJSON() { try { STOP } finally { trace('toJSON') } } }; try { return e } finally { }",
		"return { get a() { try { STOP } catch { trace('getter') } finally { trace('finally') } } }",
		"try { [3, 2, 1].sort(() => { STOP }) } catch { trace('sort') } trace('end')",
		"try { 'abc'.replace(/b/, () => { STOP }) } catch { trace('replace') } trace('end')",
		"try { JSON.parse('[1]', () => { STOP }) } catch { trace('reviver') } trace('end')",
		"try { new Proxy({}, { get() { STOP } }).x } catch { trace('proxy') } trace('end')",
		"class A { static { try { STOP } catch { trace('static') } finally { trace('finally') } } }",
		"try { eval('STOP') } catch { trace('eval') } finally { trace('finally') }",
		"const r = new FinalizationRegistry(() => trace('finalizer')); for (let i = 0; i < 100; i++) r.register({}, i); STOP",
		"try { await t.echo({ toJSON() { STOP } }) } catch { trace('argument') } finally { trace('finally') }",
		"console.log({ toJSON() { STOP }, toString() { trace('toString') } })",
		"Error.prototype.__defineGetter__('message', () => trace('message')); Object.prototype.__defineSetter__('cause', () => trace('cause')); STOP",
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{Memory: 4 << 20}})
	for stop, kind := range map[string]contract.Interrupt{
		"spin()": contract.InterruptCPU, "fill()": contract.InterruptMemory, "new Array(1e9).includes(5)": contract.InterruptCPU,
	} {
		for i, program := range programs {
			source := traces + strings.ReplaceAll(program, "STOP", stop)
			out, err := box.Run(t.Context(), contract.Program{
				Source: source, Providers: providers(), Limits: contract.Limits{CPU: 5 * time.Millisecond},
			})
			require.NoError(t, err)
			if !errors.Is(out.Err, contract.InterruptCPU) {
				require.ErrorIs(t, out.Err, kind, "%d: %s", i, source)
			}
			require.Empty(t, out.Logs, source)
			for _, c := range out.Calls {
				require.NotContains(t, c.Name, "after")
			}
			require.LessOrEqual(t, len(out.Calls), 1, source)
		}
	}
	for _, program := range programs[:4] {
		source := traces + strings.ReplaceAll(program, "STOP", "await wait()")
		if strings.Contains(program, "(resolve) =>") || strings.Contains(program, "=> { STOP }") {
			continue
		}
		out, err := box.Run(t.Context(), contract.Program{
			Source: source, Providers: providers(), Limits: contract.Limits{Wall: 5 * time.Millisecond},
		})
		require.NoError(t, err)
		require.ErrorIs(t, out.Err, contract.InterruptWall)
		require.Empty(t, out.Logs, source)
		require.LessOrEqual(t, len(out.Calls), 1) // none when the program did not even get there in time
	}
}
