package bridge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// What crosses is bounded by two options; the text says by how much.
func TestBoundsOfWhatCrosses(t *testing.T) {
	s, err := bridge.NewSandbox(bridge.Options{MaxArguments: 20, MaxResult: 10})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	echo := contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
		"len": func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			return json.Marshal(len(args))
		},
	}}
	for _, c := range []struct{ source, value, err string }{
		{`return await tools.len("` + strings.Repeat("a", 16) + `")`, "20", ""},
		{`await tools.len("` + strings.Repeat("a", 17) + `")`, "", "Host call arguments exceeded the IPC limit."},
		{`"12345678"`, `"12345678"`, ""},
		{`"123456789"`, "", "result is not JSON-serializable: it is larger than 10 bytes of JSON text"},
	} {
		out, err := s.Run(t.Context(), contract.Program{Source: c.source, Providers: []contract.Provider{echo}})
		require.NoError(t, err)
		require.Equal(t, c.value, string(out.Value), c.source)
		if c.err != "" {
			require.EqualError(t, out.Err, c.err)
		}
	}
	for want, o := range map[string]bridge.Options{
		"Options.MaxArguments is negative; zero means 262144": {MaxArguments: -1},
		"Options.MaxResult is negative; zero means 67108864":  {MaxResult: -1},
	} {
		_, err := bridge.NewSandbox(o)
		require.ErrorIs(t, err, contract.ErrInvalid)
		require.ErrorContains(t, err, want)
	}
}
