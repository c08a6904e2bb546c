package bridge_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// The engine gives a slab of small blocks back with the last of them. The image
// has one of each common size, so that a program that makes and drops one block
// at a time does not ask for a slab each time.
func TestTheImageHasRoomForSmallBlocks(t *testing.T) {
	s, err := bridge.NewSandbox(bridge.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	for _, src := range []string{
		"for (let i = 0; i < 5000; i++) await tools.echo(i)",
		"for (let i = 0; i < 5000; i++) await i",
		"for (let i = 0; i < 5000; i++) await (async () => i)()",
		"for (let i = 0; i < 5000; i++) await new Promise((resolve) => resolve())",
		"for (let i = 0; i < 5000; i++) [i, { i }, () => i, 'x' + i, Symbol(), 1n << 70n, new Date(i)]",
	} {
		out, err := s.Run(context.Background(), contract.Program{
			Source: src, Limits: contract.Limits{HostCalls: 5000, CPU: contract.Unlimited, Wall: contract.Unlimited},
			Providers: []contract.Provider{{Name: "tools", Functions: map[string]contract.HostFunc{"echo": echo}}},
		})
		require.NoError(t, err)
		require.NoError(t, out.Err)
		require.Less(t, s.Allocations(), uint64(1000), src)
	}
}
