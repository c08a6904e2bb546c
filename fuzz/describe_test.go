package fuzz_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzDescribe: an error of known make - class, message, name, members, cause -
// is described by what it carries as data and by nothing else: own data members
// within their bounds, no accessor, no prototype of the guest's making. Name and
// message are chosen by the fuzzer down to the code unit.
func FuzzDescribe(f *testing.F) {
	w := newWorld(f, bridge.Options{})
	f.Add("a message", "Name", []byte{2, 1}, uint8(0))
	f.Fuzz(func(t *testing.T, message, name string, detail []byte, how uint8) {
		message, name = string([]rune(message)), string([]rune(name))
		class := classes[int(how)%len(classes)]
		shape := shapes[int(how/8)%len(shapes)]
		expr, text := grammar.Value(detail)
		source := trapProgram + "const e = new " + class + "(" + quoted(message) + ");\n" +
			strings.NewReplacer("NAME", quoted(name), "DETAIL", expr).Replace(shape.code) + "\narmed = true; throw e;"
		out, err := w.run(context.Background(), contract.Program{Source: source, Limits: plenty})
		require.NoError(t, err)
		w.sound(t, out)
		require.Empty(t, out.Logs, "the guest ran")
		var e *contract.GuestError
		require.ErrorAs(t, out.Err, &e)
		wantName, wantMessage := class, message
		if shape.name != nil {
			wantName = shape.name(class, name)
		}
		if shape.silent || message == "" && shape.silentIfEmpty {
			wantMessage = "Program threw a value."
		}
		require.Equal(t, cutUnits(wantMessage, 4000), e.Message)
		require.Equal(t, cutUnits(wantName, 64), e.Name)
		if got := e.Properties["detail"]; shape.detail && plain(expr) && got != nil {
			sameJSON(t, text, string(got))
		} else if shape.detail && plain(expr) && len(text) < 1000 && !strings.ContainsAny(text, "[{") {
			t.Fatalf("no detail, for %s", expr)
		}
		require.Equal(t, 3, e.Line, "the line on which it was made")
		w.next(t)
	})
}

var classes = [...]string{"Error", "TypeError", "SyntaxError", "ReferenceError", "RangeError", "EvalError", "URIError", "Error"}

// shapes are what is done to an error before it is thrown, and what its name is
// then; by default that of its class.
var shapes = []struct {
	code                          string
	name                          func(class, name string) string
	silent, silentIfEmpty, detail bool
}{
	{code: ""},
	{code: "e.name = NAME;", name: ownName},
	{code: "Object.defineProperty(e, 'name', {get() {trap(); return NAME}});"},
	{code: "Object.defineProperty(e, 'message', {get() {trap(); return NAME}});", silent: true},
	{code: "delete e.message;", silent: true},
	{code: "e.message = {toString: trap};", silent: true},
	{code: "e.name = {toString: trap};"},
	{code: "Object.setPrototypeOf(e, {name: NAME, message: NAME});", name: plainName},
	{code: "Object.setPrototypeOf(e, new Proxy({}, {get: trap, getPrototypeOf: trap}));", name: plainName},
	{code: "Error.prototype.name = NAME; Object.prototype.message = NAME;"},
	{code: "Object.setPrototypeOf(e, null); e.name = NAME;", name: func(_, name string) string { return ownName("Error", name) }},
	{code: "e.detail = DETAIL; e.more = e;", detail: true},
	{code: "e.detail = {get x() {trap()}, toJSON: trap}; Object.defineProperty(e, 'stack', {get: trap});"},
	{code: "e.cause = new TypeError(NAME); e.cause.cause = e;"},
	{code: "e.constructor = {name: NAME}; e.toString = trap; e[Symbol.toPrimitive] = trap;"},
	{code: "for (let i = 0; i < 100; i++) e['p' + i] = NAME;"},
}

// plain reports whether an expression is spelled out data: what its JSON says is
// then all there is to it.
func plain(expr string) bool {
	for _, word := range []string{"new ", "Object", "get ", "toJSON", "=>", "class", "Symbol", "function", "/x/", "undefined", ",]"} {
		if strings.Contains(expr, word) {
			return false
		}
	}
	return true
}

func plainName(string, string) string { return "Error" }

// ownName: an own name counts when it is a string, unless it is empty; then the
// prototype's does.
func ownName(class, name string) string {
	if name == "" {
		return class
	}
	return name
}

func quoted(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(text)
}

// cutUnits is the longest beginning of s of at most n UTF-16 units.
func cutUnits(s string, n int) string {
	total := 0
	for i, r := range s {
		if total += units(string(r)); total > n {
			return s[:i]
		}
	}
	return s
}
