package bridge_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// What a program logs after its deadline is not heard, although it is still there
// to say it: the deadline passes in a function of the host's.
func TestNothingIsLoggedAfterTheDeadline(t *testing.T) {
	box := newBoxWith(t, bridge.Options{})
	p := providers()
	p[0].Immediate["spin"] = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		for start := time.Now(); time.Since(start) < 300*time.Microsecond; {
		}
		return nil, nil
	}
	out, err := box.Run(t.Context(), contract.Program{
		Source:    "for (let i = 0; i < 150; i++) { t.spin(); console.log(i) }",
		Providers: p, Limits: contract.Limits{Wall: 10 * time.Millisecond, CPU: contract.Unlimited},
	})
	require.NoError(t, err)
	require.Equal(t, contract.InterruptWall, out.Interrupt)
	require.Less(t, len(out.Logs), 50) // 150 take 45 ms
}
