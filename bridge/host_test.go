package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newBox makes a sandbox with default limits that is closed with the test.
func newBox(t testing.TB) *bridge.Sandbox { return newBoxWith(t, bridge.Options{}) }

func newBoxWith(t testing.TB, o bridge.Options) *bridge.Sandbox {
	t.Helper()
	box, err := bridge.NewSandbox(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, box.Close()) })
	return box
}

var errPlain = errors.New("plain failure")

// refusal is what t.refuse returns.
var refusal = &contract.Failure{
	Code: "busy", Message: "Try again.", Retryable: true,
	Details: map[string]any{"__proto__": map[string]any{"polluted": true}, "n": 1},
}

// providers are what the programs of these tests can call: one namespace t.
func providers() []contract.Provider {
	return []contract.Provider{{
		Name: "t",
		Functions: map[string]contract.HostFunc{
			"echo":   echo,
			"fail":   func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errPlain },
			"refuse": func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, refusal },
			"hang": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
			"args":    func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return args, nil },
			"nothing": func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil },
			"garbage": func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage("{"), nil },
			"text": contract.Func(func(_ context.Context, n int) (string, error) {
				return strings.Repeat("x", n), nil
			}),
		},
		Immediate: map[string]contract.HostFunc{
			"now":     echo,
			"nowFail": func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errPlain },
		},
	}}
}

// echo returns its first argument.
func echo(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(args, &list); err != nil || len(list) == 0 {
		return nil, err
	}
	return list[0], nil
}

// run runs a source with the providers above.
func run(t testing.TB, box *bridge.Sandbox, source string) contract.Outcome {
	t.Helper()
	out, err := box.Run(t.Context(), contract.Program{Source: source, Providers: providers()})
	require.NoError(t, err)
	return out
}
