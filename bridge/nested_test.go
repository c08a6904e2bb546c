package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A program can nest host calls, one in the then that another's reply is asked
// for. To leave them all at a stop takes no longer than to return from them; it
// took a time in the square of their number.
func TestLeavingNestedHostCalls(t *testing.T) {
	const rounds = 5
	depth := 600
	if raceEnabled {
		depth = 200
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: time.Minute}})
	least := func(bottom string) time.Duration { // without what else the processor was asked to do
		took := time.Hour
		for range rounds {
			reached := false
			p := providers()
			p[0].Immediate["bottom"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
				reached = true
				return nil, nil
			}
			out, err := box.Run(t.Context(), contract.Program{Providers: p, Source: fmt.Sprintf(
				`let n = 0; Object.defineProperty(Object.prototype, 'then', { get() { if (n++ < %d) t.now({}); else if (n === %d) { t.bottom(); %s } } }); await t.now({}); return n`,
				depth, depth+1, bottom)})
			require.NoError(t, err)
			require.True(t, reached)
			require.Equal(t, bottom != "", out.Interrupt == contract.InterruptMemory, "%v", out.Err)
			took = min(took, out.Usage.CPU)
		}
		return took
	}
	require.Less(t, least("new ArrayBuffer(1e9)"), 10*least(""))
}

// The arguments of native calls under way count, so calls with very many go no
// deeper than the memory for them: 16 MiB, and each takes more than 16 bytes.
func TestNestedCallsWithManyArguments(t *testing.T) {
	if raceEnabled {
		t.Skip("so many arguments take minutes under the race detector, and nothing here is concurrent")
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, source := range []string{
		"const o = { toJSON() { n++; console.log(o, ...many) } }; console.log(o, ...many)",
		"const o = { toJSON() { n++; console.log.apply(null, [o].concat(many)) } }; console.log(o, ...many)",
		"const o = { toJSON() { n++; console.error.bind(null, ...many)(o) } }; console.log(o)",
	} {
		out := run(t, box, "let n = 0; const many = Array(65_000).fill(1); try {"+source+"} catch {} return n")
		require.NoError(t, out.Err)
		require.Positive(t, number(t, out.Value))
		require.LessOrEqual(t, number(t, out.Value), float64(16<<20/(16*65_000)))
	}
}

// A program is not ended for time in which it did nothing: while an immediate
// function blocks, the guest's thread uses no processor.
func TestBlockedHostFunctionsCostNoCPU(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a thread has no clock, and all time is elapsed time")
	}
	const turns = 12
	budget := 60 * time.Millisecond
	if raceEnabled {
		budget = 300 * time.Millisecond // everything takes that much longer
	}
	p := providers()
	p[0].Immediate["block"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		time.Sleep(budget / 6)
		return nil, nil
	}
	out, err := newBox(t).Run(t.Context(), contract.Program{
		Source:    fmt.Sprintf("for (let i = 0; i < %d; i++) { await t.echo(1); t.block() } return 'ended'", turns),
		Providers: p, Limits: contract.Limits{CPU: budget},
	})
	require.NoError(t, err)
	require.NoError(t, out.Err)
	require.Equal(t, `"ended"`, string(out.Value))
	require.Less(t, out.Usage.CPU, budget)
	require.GreaterOrEqual(t, out.Usage.Wall, 2*budget)
}
