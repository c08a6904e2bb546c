package fuzz_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzThrow: whatever a program throws, and however, is described in bounded
// text, without running any of its code, and in the same words when it is thrown
// again.
func FuzzThrow(f *testing.F) {
	w := newWorld(f, bridge.Options{})
	f.Add([]byte{0, 1})
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 2 {
			return
		}
		how := throwings[int(tape[0])%len(throwings)]
		value := grammar.Throw(tape[1:], grammar.Options{Fixed: true, Size: 3000})
		p := contract.Program{Source: trapProgram + strings.ReplaceAll(how, "VALUE", value)}
		out, err := w.run(context.Background(), p)
		require.NoError(t, err)
		w.sound(t, out)
		require.NotContains(t, out.Logs, trapText, "describing the value ran the guest")
		again, err := w.run(context.Background(), p)
		require.NoError(t, err)
		same(t, out, again)
		w.next(t)
	})
}

const trapText = "TRAP"

// trapProgram defines the trap that a value's own code falls into. It is armed
// between making the value and throwing it.
const trapProgram = `let armed = false; const log = console.log;
function ` + grammar.Trap + `() {if (armed) log('` + trapText + `'); return 'x'}
`

// throwings are the ways to throw a value.
var throwings = [...]string{
	"const thrown = (VALUE); armed = true; throw thrown;",
	"const thrown = (VALUE); return new Promise((_, reject) => {armed = true; reject(thrown)});",
	"const thrown = (VALUE); const later = async () => {await 0; armed = true; throw thrown}; await later();",
	"const thrown = (VALUE); try {armed = true; throw thrown} finally {armed = true}",
	"const thrown = (VALUE); await tools.echo(1); armed = true; throw thrown;",
	"const thrown = (VALUE); return {get x() {armed = true; throw thrown}};",
	"const thrown = (VALUE); return {toJSON() {armed = true; throw thrown}};",
	"const thrown = (VALUE); new Promise((_, reject) => reject(thrown)); armed = true; return 1;",
	"const thrown = (VALUE); armed = true; throw new Error('outer', {cause: thrown});",
	"const thrown = (VALUE); const all = [Promise.reject(thrown)]; armed = true; await Promise.all(all);",
}
