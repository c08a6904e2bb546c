package fuzz_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzProgram: whatever a program does - with promises, proxies, generators,
// host functions, the console, and the globals it finds - the outcome is in
// order: a value or an error of one kind with what belongs to it, logs and calls
// within their bounds and as they were streamed, a refusal only if a host
// function gave it in this run. A caller that leaves meanwhile learns it.
func FuzzProgram(f *testing.F) {
	w := newWorld(f, bridge.Options{})
	f.Add([]byte{0, 0, 1})
	f.Fuzz(func(t *testing.T, tape []byte) {
		if len(tape) < 2 {
			return
		}
		var logs []string
		var calls []contract.Call
		p := contract.Program{
			Source: grammar.Program(tape[2:], grammar.Options{Endless: tape[0]&2 != 0, Size: 4000}),
			Limits: contract.Limits{Wall: 400 * time.Millisecond}, // many wait for ever
			Seed:   uint64(tape[1]),
			OnLog:  func(entry string) { logs = append(logs, entry) },
			OnCall: func(c contract.Call) { calls = append(calls, c) },
		}
		if tape[1]%2 == 1 {
			p.Clock = time.UnixMilli(int64(tape[1]) << 32)
			p.Globals = map[string]json.RawMessage{"given": json.RawMessage(`{"then":1,"__proto__":[2]}`)}
		}
		ctx, leave := context.WithCancel(context.Background())
		defer leave()
		if tape[0]%8 == 6 {
			time.AfterFunc(time.Duration(tape[1])*100*time.Microsecond, leave)
		}
		out, err := w.run(ctx, p)
		if err != nil {
			var refused *contract.RefusedError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, contract.CodeCancelled, refused.Code)
			require.True(t, errors.Is(err, context.Canceled) && ctx.Err() != nil)
			require.Nil(t, out.Value)
		}
		w.sound(t, out)
		require.Equal(t, logs, out.Logs)
		require.Len(t, calls, len(out.Calls))
		for _, c := range calls {
			require.Equal(t, out.Calls[c.Number-1], c)
		}
		w.next(t)
	})
}
