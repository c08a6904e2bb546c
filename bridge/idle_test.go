package bridge_test

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A sandbox that waits for its next program holds nothing of the last one: not
// its value, and not what its host functions hold.
func TestAnIdleSandboxHoldsNothingOfTheLastRun(t *testing.T) {
	box := newBoxWith(t, bridge.Options{})
	last := func() (value, held weak.Pointer[byte]) {
		p := providers()
		data := make([]byte, 1<<16)
		echo := p[0].Functions["echo"]
		p[0].Functions["echo"] = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
			runtime.KeepAlive(data)
			return echo(ctx, args)
		}
		out, err := box.Run(t.Context(), contract.Program{Source: "'x'.repeat(1e6) + await t.echo('y')", Providers: p})
		require.NoError(t, err)
		require.NoError(t, out.Err)
		return weak.Make(&out.Value[0]), weak.Make(&data[0])
	}
	value, held := last()
	for start := time.Now(); value.Value() != nil || held.Value() != nil; runtime.GC() {
		require.Less(t, time.Since(start), 10*time.Second)
	}
	require.Equal(t, "1", string(run(t, box, "1").Value))
}
