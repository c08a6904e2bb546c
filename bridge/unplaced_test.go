package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// Syntax errors that the engine does not place are placed all the same.
func TestSyntaxErrorsWithoutAPlace(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	long := "#" + strings.Repeat("long", 50)
	for source, want := range map[string]string{
		"!0**":                               "1:3",
		"-1 ** 2":                            "1:4",
		"const b = 1;\nreturn typeof a ** 2": "2:17",
		"const a = 2 ** 3; // x ** y\nconst é = '**', z = -a ** 2": "2:24",
		"  -2 ** 2 ** -2 ** 2":  "1:6",
		"```js\n  -2 ** 2\n```": "2:6",
		"}); -1 ** 2; (() => {": "1:8",
		"return [" + strings.Repeat("2 ** 2, ", 3000) + "-1 ** 2]":          "1:24012",
		"class A { m() { return this.#x } }":                                "1:29",
		"class A { #xy = '#x'; has(o) {\n return #x in o } }":               "1:18",
		"// #x\nclass A { m() {\n\treturn this?.#x } }":                     "3:15",
		"class A { m() { return this." + long + " } }":                      "1:29",
		"class A { m() { return this.#\\u0061 } }":                          "1:29",
		"class A { #a = 1; m() { return this.#b + this.#a } }; new A().m()": "1:37",
	} {
		p := contract.Program{Source: source}
		var refused, thrown *contract.GuestError
		require.ErrorAs(t, box.Check(context.Background(), p), &refused, source)
		require.Equal(t, "SyntaxError", refused.Name)
		require.Equal(t, want, fmt.Sprintf("%d:%d", refused.Line, refused.Column), source[:min(len(source), 80)])
		out, err := box.Run(context.Background(), p)
		require.NoError(t, err)
		require.ErrorAs(t, out.Err, &thrown, source)
		require.Equal(t, refused, thrown)
	}
	// One that a program makes itself is not its own.
	var thrown *contract.GuestError
	require.ErrorAs(t, run(t, box, "eval('-1 ** 2')").Err, &thrown)
	require.Equal(t, "SyntaxError", thrown.Name)
	require.Equal(t, 1, thrown.Line)
	require.Equal(t, 5, thrown.Column)
}

// A search for the place is part of the run and ends with it.
func TestLookingForAPlaceIsBounded(t *testing.T) {
	box := newBoxWith(t, bridge.Options{})
	p := contract.Program{Source: "return [" + strings.Repeat("[2] ** 2, ", 50_000) + "-1 ** 2]", Limits: contract.Limits{CPU: 1, Source: 1 << 20}}
	out, err := box.Run(context.Background(), p)
	require.NoError(t, err)
	require.Equal(t, contract.InterruptCPU, out.Interrupt)
	require.Equal(t, "2", string(run(t, box, "1 + 1").Value))
}
