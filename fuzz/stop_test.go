package fuzz_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/fuzz/internal/grammar"
	"github.com/guestjs/guestjs/quickjs"
)

// engine is one Runtime with one realm and a checkpoint, for targets that stop
// a guest below the bridge.
type engine struct {
	rt     *quickjs.Runtime
	qc     *quickjs.Context
	usual  string
	memory int64
	hands  int
}

func newEngine(f testing.TB) *engine {
	rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 24 << 20, Stack: 256 << 10})
	require.NoError(f, err)
	f.Cleanup(func() { require.NoError(f, rt.Close()) })
	qc, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(f, err)
	require.NoError(f, rt.Checkpoint())
	e := &engine{rt: rt, qc: qc, hands: rt.Handles()}
	e.usual, e.memory = e.ordinary(f)
	return e
}

func (e *engine) ordinary(t testing.TB) (string, int64) {
	require.NoError(t, e.rt.Rewind())
	require.Equal(t, e.hands, e.rt.Handles())
	v, err := e.qc.Eval(`[Reflect.ownKeys(globalThis).length, Reflect.ownKeys(Object.prototype).length, [1, 2, 3].map(x => x + 1),
		Reflect.ownKeys(Promise.prototype).length, Reflect.ownKeys(Array.prototype).length].join()`, quickjs.EvalOptions{})
	require.NoError(t, err)
	s, ok := v.Text()
	require.True(t, ok)
	v.Free()
	require.Equal(t, e.hands, e.rt.Handles())
	return s, e.rt.Memory().Peak
}

// next shows that a Runtime is as good as new after a rewind.
func (e *engine) next(t testing.TB) {
	t.Helper()
	got, memory := e.ordinary(t)
	require.Equal(t, e.usual, got)
	require.Equal(t, e.memory, memory)
	require.Zero(t, e.rt.Stats().Faults, "the engine failed")
}

// drive runs a text and its jobs, the way the bridge does, with the given
// budget. What the guest throws is dropped.
func (e *engine) drive(source string, b quickjs.Budget) error {
	_, err := e.rt.Do(b, func() error {
		v, err := e.qc.Eval(source, quickjs.EvalOptions{Name: "program.js"})
		for {
			var thrown *quickjs.Exception
			if err != nil && !errors.As(err, &thrown) {
				return err
			}
			if thrown != nil {
				thrown.Free()
			} else if v.IsValid() {
				v.Free()
				v = quickjs.Value{}
			}
			var n int
			if n, err = e.rt.RunJobs(50); n == 0 && err == nil {
				return nil
			}
		}
	})
	return err
}

// program makes a text of a tape, as the body of an async function or as a
// script, endless or not.
func program(tape []byte) string {
	if len(tape) < 1 {
		return "0"
	}
	o := grammar.Options{Endless: tape[0]&1 == 1, Script: tape[0]&2 == 2, Size: 3000, Namespaces: []string{"globalThis"}}
	text := grammar.Program(tape[1:], o)
	if o.Script {
		return text
	}
	return "(async function () {" + text + "\n})()"
}
