package bridge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// Somebody who knew the name of the program's code could write lines of a
// backtrace. They would still name no place outside of the program.
func TestPlacesOutsideOfTheProgram(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	throwing := func(line string) string {
		name := `f (x)\n    at program.js` + box.Mark() + ":" + line + `:1\n    at g`
		return "Object.defineProperty(() => { throw new Error('x') }, 'name', { value: '" + name + "' })()"
	}
	for line, want := range map[string]int{"1": 1, "99": 2, "0": 2, "-1": 2, "x": 2} {
		var thrown *contract.GuestError
		require.ErrorAs(t, run(t, box, "'first';\n"+throwing(line)).Err, &thrown)
		require.Equal(t, want, thrown.Line, line)
	}
	// Nor one in a program that is not there yet.
	p := contract.Program{Source: "1", Providers: []contract.Provider{{Name: "u", Prelude: throwing("1")}}}
	out, err := box.Run(t.Context(), p)
	require.NoError(t, err)
	var thrown *contract.GuestError
	require.ErrorAs(t, out.Err, &thrown)
	require.Equal(t, "Sandbox setup failed: x", strings.TrimPrefix(thrown.Message, "Error: "))
	require.Zero(t, thrown.Line)
}

// Of an error's own members those are shown that are plain data and not too
// large.
func TestMembersThatAreShown(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for member, want := range map[string]string{
		"[1, { a: null, b: undefined, c: 'x' }, 0 / 0]": `[1,{"a":null,"b":null,"c":"x"},null]`,
		"{ '\\n\"': { a: true } }":                      `{"\n\"":{"a":true}}`,
		"new Array(8000).fill(1)":                       "",
		"new Array(10000).fill(1)":                      "",
		"[1, , 2]":                                      "",
		"1n":                                            "",
		"Symbol()":                                      "",
		"[() => 1]":                                     "",
		"[Promise.resolve()]":                           "",
		"new Proxy({}, {})":                             "",
		"{ get a() { return 1 } }":                      "",
		"[[[[[[[[[[]]]]]]]]]]":                          "",
		"'x'.repeat(10000)":                             "",
	} {
		var thrown *contract.GuestError
		require.ErrorAs(t, run(t, box, "throw Object.assign(new Error('x'), { member: "+member+" })").Err, &thrown)
		require.Equal(t, want, string(thrown.Properties["member"]), member)
	}
}
