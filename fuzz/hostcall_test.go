package fuzz_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzHostCall: a call of any name with any arguments reaches exactly the
// function of that name, with exactly those arguments, or none and says so; any
// reply arrives as it was given, or is refused in bounded words; and a refusal
// keeps its identity, and nothing but its identity, through whatever the guest
// does to the error.
func FuzzHostCall(f *testing.F) {
	w := newWorld(f, bridge.Options{})
	f.Add("echo", []byte{2, 1}, `{"a":[1]}`, "", "", uint8(0))
	f.Add("echo", []byte{2, 1}, "", "a_code", "message", uint8(1))
	const most = 262_144 - len(`{"ok":true,"value":""}`)
	for _, n := range []int{most, most + 1, most + 2, 300_000} { // too long for a file
		f.Add("echo", []byte{2}, `"`+strings.Repeat("x", n)+`"`, "", "", uint8(0))
	}
	f.Fuzz(func(t *testing.T, name string, args []byte, reply, code, message string, how uint8) {
		if !utf8.ValidString(name) || len(name) > 200 || len(reply) > 400_000 {
			return
		}
		c := &hostCall{name: name, reply: reply, how: int(how)}
		c.args, c.want = arguments(args)
		if code != "" {
			c.failure = &contract.Failure{Code: code, Message: message, Details: map[string]any{"then": 1, "__proto__": []int{2}}}
		}
		out, err := w.run(context.Background(), c.program())
		require.NoError(t, err)
		require.Equal(t, contract.InterruptNone, out.Interrupt)
		c.check(t, out)
		w.next(t)
	})
}

// arguments makes an argument list and its JSON: what has none becomes null.
func arguments(tape []byte) (list, want string) {
	var exprs, texts []string
	for n := 0; n < 3 && len(tape) > 0; n++ {
		half := (len(tape) + 1) / 2
		expr, text := grammar.Value(tape[:half])
		tape = tape[half:]
		if text == "" {
			text = "null"
		}
		exprs, texts = append(exprs, expr), append(texts, text)
	}
	return strings.Join(exprs, ", "), "[" + strings.Join(texts, ",") + "]"
}

type hostCall struct {
	name, args, want string
	reply            string
	failure          *contract.Failure
	how              int

	called int
	got    json.RawMessage
}

func (c *hostCall) answer(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
	c.called++
	c.got = args
	if c.failure != nil {
		return nil, c.failure
	}
	if c.reply == "" {
		return nil, nil
	}
	return json.RawMessage(c.reply), nil
}

// manglings are what a program does to the error it caught. The first keep its
// identity, the others do not.
var manglings = []struct {
	code  string
	keeps bool
}{
	{"throw e", true},
	{"e.message = 'other'; e.code = e.name = 'X'; throw e", true},
	{"throw Object.freeze(e)", true},
	{"Object.setPrototypeOf(e, null); throw e", true},
	{"await Promise.all([Promise.reject(e), 1])", true},
	{"delete e.message; delete e.code; delete e.stack; throw e", true},
	{"throw Object.assign(new Error(e.message), e)", false},
	{"throw new Error(e.message, {cause: e})", false},
	{"throw new Proxy(e, {})", false},
	{"throw Object.create(e)", false},
	{"throw new AggregateError([e])", false},
	{"throw {...e, message: e.message}", false},
}

func (c *hostCall) mangling() (code string, keeps bool) {
	m := manglings[c.how%len(manglings)]
	return m.code, m.keeps
}

func (c *hostCall) program() contract.Program {
	name, _ := json.Marshal(c.name)
	code, _ := c.mangling()
	p := contract.Provider{Name: "host", Functions: map[string]contract.HostFunc{"echo": c.answer}}
	if c.how >= 128 {
		p.Immediate, p.Functions = p.Functions, nil
	}
	return contract.Program{
		Source:    "const args = [" + c.args + "]; let r; try {r = await host[" + string(name) + "](...args)} catch (e) {" + code + "} return {r}",
		Providers: []contract.Provider{p}, Limits: plenty,
	}
}

func (c *hostCall) check(t *testing.T, out contract.Outcome) {
	var guest *contract.GuestError
	if c.name != "echo" {
		require.Zero(t, c.called, "a function of another name was called")
		if c.isNone() {
			require.ErrorAs(t, out.Err, &guest)
			return
		}
	} else {
		require.Equal(t, 1, c.called)
		require.JSONEq(t, c.want, string(c.got))
	}
	failed := c.name != "echo" || c.failure != nil || !fits(c.reply)
	if !failed {
		require.NoError(t, out.Err)
		want := "{}"
		if c.reply != "" {
			want = `{"r":` + strings.ToValidUTF8(c.reply, "\uFFFD") + `}`
		}
		sameJSON(t, want, string(out.Value))
		return
	}
	require.ErrorAs(t, out.Err, &guest)
	soundGuest(t, guest)
	if !c.isNone() {
		require.Len(t, out.Calls, 1)
		require.Equal(t, contract.CallFailed, out.Calls[0].State)
		require.Equal(t, "host."+c.name, out.Calls[0].Name)
	}
	_, keeps := c.mangling()
	require.Equal(t, keeps && c.name == "echo", guest.Host != nil, "identity: of what a host function said, and of nothing else")
	if c.name == "echo" && c.failure != nil && keeps {
		require.Same(t, c.failure, out.Failure.Call)
		require.True(t, errors.Is(out.Err, c.failure))
	} else {
		require.Nil(t, out.Failure.Call)
	}
}

// isNone: a namespace is no promise and has no JSON form of its own, so these
// two names are not functions.
func (c *hostCall) isNone() bool { return c.name == "then" || c.name == "toJSON" }

// fits reports whether a reply can cross: JSON text, and not too long.
func fits(reply string) bool {
	return reply == "" || json.Valid([]byte(reply)) && len(reply)+len(`{"ok":true,"value":}`) <= 262_144
}

// sameJSON compares as JavaScript does: numbers are doubles, the last of two
// members with one name counts, and half a surrogate pair is U+FFFD.
func sameJSON(t *testing.T, want, got string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		return // a number that no double holds
	}
	require.NoError(t, json.Unmarshal([]byte(got), &b))
	require.Equal(t, a, b)
}
