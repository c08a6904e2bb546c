package fuzz_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"modernc.org/quickjs"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzDifferential: a program without clock, chance or host says the same here
// and on modernc.org/quickjs, which wraps the same engine: the same things in
// the same order, and at the end the same value or an error of the same class.
func FuzzDifferential(f *testing.F) {
	// The fuzzer compares programs, not how far each gets in its time.
	w := newWorld(f, bridge.Options{Limits: contract.Limits{
		CPU: time.Second, Wall: 5 * time.Second, Memory: 64 << 20, Stack: 1 << 20,
	}})
	f.Add([]byte{2, 1, 4})
	f.Fuzz(func(t *testing.T, tape []byte) {
		source := tell + grammar.Program(tape, grammar.Options{Fixed: true, Size: 3000}) + tellEnd
		ours, ok := sayHere(t, w, source)
		if !ok {
			return
		}
		theirs, ok := sayThere(t, source)
		if !ok {
			return
		}
		require.Equal(t, theirs, ours)
	})
}

// tell runs the program and says what it came to in a variable, with functions
// it captured before. Nothing the program does to a prototype or a global
// reaches them.
const tell = `
const say = text => {said += text + '\n'}, string = String, is = Object.is, protoOf = Object.getPrototypeOf, isError = Error.isError;
const types = [TypeError.prototype, RangeError.prototype, SyntaxError.prototype, ReferenceError.prototype];
const show = x => {
  if (x === null || (typeof x !== 'object' && typeof x !== 'function')) return typeof x + ' ' + (typeof x === 'symbol' ? '' : is(x, -0) ? '-0' : string(x));
  if (!isError(x)) return typeof x;
  const proto = protoOf(x);
  return proto === types[0] ? 'TypeError' : proto === types[1] ? 'RangeError' : proto === types[2] ? 'SyntaxError' : proto === types[3] ? 'ReferenceError' : 'error';
};
try {
  say('value ' + show(await (async function () {
`

const tellEnd = `
  })()));
} catch (e) {say('thrown ' + show(e))}
`

// sayHere returns false when a budget was in the way.
func sayHere(t *testing.T, w *world, source string) (said string, ok bool) {
	out, err := w.run(context.Background(), contract.Program{
		Source: "let said = '';" + source + "return said", Providers: []contract.Provider{},
	})
	require.NoError(t, err)
	require.NotEqual(t, contract.InterruptFault, out.Interrupt)
	switch {
	case out.Interrupt != contract.InterruptNone:
		return "", false
	case errors.Is(out.Err, contract.ErrStalled):
		return "", true
	}
	require.NoError(t, out.Err)
	require.NoError(t, json.Unmarshal(out.Value, &said))
	return said, !beyond(said)
}

func sayThere(t *testing.T, source string) (said string, ok bool) {
	vm, err := quickjs.NewVM()
	require.NoError(t, err)
	defer vm.Close()
	require.NoError(t, vm.SetEvalTimeout(2*time.Second))
	vm.SetMemoryLimit(64 << 20)
	_, err = vm.Eval("let said = ''; Object.defineProperty(globalThis, 'console', {value: {}, writable: true, configurable: true});", quickjs.EvalGlobal)
	require.NoError(t, err)
	_, err = vm.Eval("(async function () {"+source+"\n})()", quickjs.EvalGlobal)
	for n := 1; n > 0 || err != nil; n, err = vm.ExecutePendingJobs() {
		if err != nil && beyond(err.Error()) {
			return "", false
		}
	}
	v, err := vm.Eval("said", quickjs.EvalGlobal)
	require.NoError(t, err)
	return v.(string), !beyond(v.(string))
}

// beyond: where limits lie differs by design.
func beyond(text string) bool {
	return strings.Contains(text, "stack overflow") || strings.Contains(text, "out of memory") || strings.Contains(text, "interrupted")
}
