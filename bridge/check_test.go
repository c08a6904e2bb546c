package bridge_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

func TestBadPrograms(t *testing.T) {
	named := func(names ...string) (list []contract.Provider) {
		for _, n := range names {
			list = append(list, contract.Provider{Name: n, Functions: map[string]contract.HostFunc{"f": echo}})
		}
		return list
	}
	functions := func(f, immediate map[string]contract.HostFunc) []contract.Provider {
		return []contract.Provider{{Name: "t", Functions: f, Immediate: immediate}}
	}
	type hosts = map[string]contract.HostFunc
	tests := []struct {
		name, want string
		program    contract.Program
	}{
		{"source not UTF-8", "the source is not UTF-8 (first bad byte at offset 3)", contract.Program{Source: "'\u00E9\xff'"}},
		{"source too long", "the source is 1048577 bytes, over the limit of 1048576; raise Limits.Source or send less", contract.Program{Source: strings.Repeat(" ", 1<<20+1)}},
		{"source over its own limit", "the source is 4 bytes, over the limit of 3", contract.Program{Source: "1234", Limits: contract.Limits{Source: 3}}},
		{"file name with a line end", `Program.Name "a\nb" is not UTF-8 or contains a control character`, contract.Program{Name: "a\nb"}},
		{"file name with NUL", "control character", contract.Program{Name: "a\x00b"}},
		{"file name not UTF-8", "is not UTF-8", contract.Program{Name: "a\xff"}},
		{"negative wall", "Limits.Wall is negative", contract.Program{Limits: contract.Limits{Wall: -1}}},
		{"negative CPU", "Limits.CPU is negative", contract.Program{Limits: contract.Limits{CPU: -1}}},
		{"negative memory", "Limits.Memory is negative", contract.Program{Limits: contract.Limits{Memory: -1}}},
		{"negative stack", "Limits.Stack is negative", contract.Program{Limits: contract.Limits{Stack: -1}}},
		{"negative source", "Limits.Source is negative", contract.Program{Limits: contract.Limits{Source: -1}}},
		{"negative calls", "Limits.HostCalls is negative", contract.Program{Limits: contract.Limits{HostCalls: -1}}},
		{"too many providers", "the program has 65537 providers; at most 65536 are possible", contract.Program{Providers: make([]contract.Provider, 65_537)}},
		{"little memory", "Limits.Memory is 5 bytes; at least 1048576 are needed", contract.Program{Limits: contract.Limits{Memory: 5}}},
		{"little stack", "Limits.Stack is 5 bytes; at least 65536 are needed", contract.Program{Limits: contract.Limits{Stack: 5}}},
		{"more memory than there is", "Limits.Memory is 134217728 bytes, more than the 67108864 the sandbox was built with", contract.Program{Limits: contract.Limits{Memory: 128 << 20}}},
		{"more stack than there is", "Limits.Stack is 2097152 bytes, more than the 1048576 the sandbox was built with", contract.Program{Limits: contract.Limits{Stack: 2 << 20}}},
		{"more source than there may be", "Limits.Source is 2097152 bytes, more than the 1048576 the sandbox was built with", contract.Program{Limits: contract.Limits{Source: 2 << 20}}},
		{"clock out of range", "a JavaScript date is within 100,000,000 days of 1970", contract.Program{Clock: time.UnixMilli(math.MaxInt64 / 2)}},

		{"provider without a name", `provider name "" is not a JavaScript identifier`, contract.Program{Providers: named("")}},
		{"provider with a dash", `provider name "a-b" is not a JavaScript identifier; use letters, digits, _ and $`, contract.Program{Providers: named("a-b")}},
		{"provider that begins with a digit", `"1a" is not a JavaScript identifier`, contract.Program{Providers: named("1a")}},
		{"provider with a space", `"a b" is not a JavaScript identifier`, contract.Program{Providers: named("a b")}},
		{"provider not UTF-8", `is not a JavaScript identifier`, contract.Program{Providers: named("a\xff")}},
		{"keyword", `"class" is not a JavaScript identifier`, contract.Program{Providers: named("class")}},
		{"await", `"await" is not a JavaScript identifier`, contract.Program{Providers: named("await")}},
		{"built-in", `provider name "JSON" clashes with a global that exists; choose another`, contract.Program{Providers: named("JSON")}},
		{"console", `"console" clashes`, contract.Program{Providers: named("console")}},
		{"undefined", `"undefined" clashes`, contract.Program{Providers: named("undefined")}},
		{"globalThis", `"globalThis" clashes`, contract.Program{Providers: named("globalThis")}},
		{"provider twice", `provider name "t" is used twice (also by a provider)`, contract.Program{Providers: named("t", "t")}},
		{"provider and global", `provider name "t" is used twice (also by a global)`, contract.Program{Providers: named("t"), Globals: map[string]json.RawMessage{"t": json.RawMessage("1")}}},
		{"nil function", "function t.f is nil", contract.Program{Providers: functions(hosts{"f": nil}, nil)}},
		{"nil immediate function", "function t.f is nil", contract.Program{Providers: functions(nil, hosts{"f": nil})}},
		{"first nil function", "function t.a is nil", contract.Program{Providers: functions(hosts{"b": nil, "c": echo}, hosts{"a": nil, "d": nil})}},
		{"function twice", "function t.f is listed twice, in Functions and in Immediate", contract.Program{Providers: functions(hosts{"f": echo}, hosts{"f": echo})}},
		{"function name not UTF-8", `function name "\xff" of provider "t" is not UTF-8`, contract.Program{Providers: functions(hosts{"\xff": echo}, nil)}},
		{"function name too long", "has 4001 characters; at most 4000 are possible", contract.Program{Providers: functions(hosts{strings.Repeat("x", 4001): echo}, nil)}},
		{"prelude not UTF-8", `the prelude of provider "t" is not UTF-8`, contract.Program{Providers: []contract.Provider{{Name: "t", Prelude: "\xff"}}}},
		{"global without a name", `global name "" is not a JavaScript identifier`, contract.Program{Globals: map[string]json.RawMessage{"": json.RawMessage("1")}}},
		{"global that exists", `global name "Object" clashes`, contract.Program{Globals: map[string]json.RawMessage{"Object": json.RawMessage("1")}}},
		{"global that is not JSON", `global "a" is not JSON text`, contract.Program{Globals: map[string]json.RawMessage{"a": json.RawMessage("{"), "b": nil}}},
		{"global without a value", `global "a" is not JSON text`, contract.Program{Globals: map[string]json.RawMessage{"a": nil}}},
	}
	box := newBox(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := test.program
			p.OnLog = func(string) { t.Error("it ran") }
			if p.Source == "" {
				p.Source = "console.log('ran')"
			}
			out, err := box.Run(t.Context(), p)
			require.ErrorIs(t, err, contract.ErrInvalid)
			require.ErrorContains(t, err, test.want)
			require.Equal(t, contract.Outcome{}, out)
			require.Equal(t, err, box.Check(t.Context(), p))
		})
	}
	require.Zero(t, box.Stats().Runs)
	require.Equal(t, "1", string(run(t, box, "1").Value))
}

func TestGoodNames(t *testing.T) {
	box := newBox(t)
	for _, name := range []string{"a", "$", "_", "a1", "\u00E9t\u00E9", "\u53D8\u91CF", "async", "of", "get", "t"} {
		p := contract.Program{
			Source:    "[await " + name + ".f(" + name + "2), typeof globalThis." + name + "]",
			Name:      "dir/\u00E9 (1):2.js",
			Providers: []contract.Provider{{Name: name, Functions: map[string]contract.HostFunc{"f": echo}}},
			Globals:   map[string]json.RawMessage{name + "2": json.RawMessage(`{"__proto__":1}`)},
		}
		out, err := box.Run(t.Context(), p)
		require.NoError(t, err)
		require.NoError(t, out.Err)
		require.Equal(t, `[{"__proto__":1},"object"]`, string(out.Value))

		p.Source = "\nnull.x"
		out, err = box.Run(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, 2, out.Failure.Line)
	}
}

func TestBadOptions(t *testing.T) {
	for want, o := range map[string]bridge.Options{
		"Options.MaxCalls is negative; zero means 64":               {MaxCalls: -1},
		"Options.MaxCalls is 65537; at most 65536 are possible":     {MaxCalls: 65537},
		"Limits.Memory is negative":                                 {Limits: contract.Limits{Memory: -1}},
		"Limits.Stack is 16777216 bytes; at most 8388608 are possi": {Limits: contract.Limits{Stack: 16 << 20}},
		"Limits.Memory is 5 bytes":                                  {Limits: contract.Limits{Memory: 5}},
	} {
		box, err := bridge.NewSandbox(o)
		require.ErrorIs(t, err, contract.ErrInvalid)
		require.ErrorContains(t, err, want)
		require.Nil(t, box)
	}
}

func TestClockAndSeed(t *testing.T) {
	box := newBox(t)
	at := time.Date(2020, 2, 3, 4, 5, 6, 789e6, time.FixedZone("", 3600))
	p := contract.Program{Source: "[Date.now(), new Date(), Math.random()]", Clock: at, Seed: 7}
	first, err := box.Run(t.Context(), p)
	require.NoError(t, err)
	require.NoError(t, first.Err)
	require.Contains(t, string(first.Value), `[1580699106789,"2020-02-03T03:05:06.789Z",0.`)
	again, err := box.Run(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, string(first.Value), string(again.Value))

	other := run(t, box, p.Source)
	require.NotEqual(t, string(first.Value), string(other.Value))
	require.NotEqual(t, string(other.Value), string(run(t, box, p.Source).Value))

	zone := newBoxWith(t, bridge.Options{HostTimeZone: true})
	_, err = zone.Run(t.Context(), p)
	require.ErrorIs(t, err, contract.ErrInvalid)
	require.ErrorContains(t, err, "Program.Clock cannot be set on a sandbox made with Options.HostTimeZone")
}

func TestNoEval(t *testing.T) {
	box := newBoxWith(t, bridge.Options{NoEval: true})
	require.Equal(t, "2", string(run(t, box, "const x = 1; x + 1").Value))
	for _, source := range []string{"eval('1')", "new Function('return 1')()", "(() => {}).constructor('return 1')()", "(0, eval)('1')"} {
		var thrown *contract.GuestError
		require.ErrorAs(t, run(t, box, source).Err, &thrown, source)
		require.Equal(t, "TypeError", thrown.Name)
	}
}

func TestSetupFailures(t *testing.T) {
	box := newBox(t)
	prelude := func(text string) contract.Program {
		return contract.Program{Source: "console.log('ran'); 1", Providers: []contract.Provider{{Name: "a", Prelude: "const kept = a"}, {Name: "b", Prelude: text}}}
	}
	out, err := box.Run(t.Context(), prelude("globalThis.same = kept === a && typeof b === 'object'"))
	require.NoError(t, err)
	require.NoError(t, out.Err)

	out, err = box.Run(t.Context(), prelude("throw new TypeError('no')"))
	require.NoError(t, err)
	require.EqualError(t, out.Err, "Sandbox setup failed: TypeError: no")
	require.Equal(t, "TypeError", out.Failure.Name)
	require.Empty(t, out.Logs)

	out, err = box.Run(t.Context(), prelude("("))
	require.NoError(t, err)
	require.ErrorContains(t, out.Err, "Sandbox setup failed: SyntaxError: ")

	p := prelude("for (;;);")
	p.Limits.CPU = 20 * time.Millisecond
	out, err = box.Run(t.Context(), p)
	require.NoError(t, err)
	require.ErrorIs(t, out.Err, contract.InterruptCPU)
}
