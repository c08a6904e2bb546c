//go:build linux

package executor_test

import (
	"context"
	"encoding/json"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// A listener that panics leaves a run behind that nobody waits for: its child must
// not be the next run's.
func TestProcessTakesDownARunThatAListenersPanicEnds(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	p := program("log 1 hang")
	p.OnLog = func(string) { panic("the listener's own panic") }
	require.PanicsWithValue(t, "the listener's own panic", func() { _, _ = s.Run(context.Background(), p) })
	requireWorks(t, s)

	p.OnLog = func(string) { runtime.Goexit() }
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = s.Run(context.Background(), p) })
	wg.Wait()
	requireWorks(t, s)
	require.Equal(t, "2", string(mustRun(t, s, program("runs")).Value), "a new child, and no back-off")
}

// What ends late belongs to a run that is over, whose child serves another by
// then.
func TestProcessStopsThatComeLateAreDropped(t *testing.T) {
	s := newSlots(t, executor.ProcessOptions{})
	ctx, cancel := context.WithCancel(context.Background())
	begun, release := make(chan struct{}), make(chan struct{})
	var late sync.WaitGroup
	late.Add(1)
	provider := contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
		"late": func(context.Context, json.RawMessage) (json.RawMessage, error) {
			defer late.Done()
			close(begun)
			<-release
			panic("nobody hears this")
		},
		"now": func(context.Context, json.RawMessage) (json.RawMessage, error) { <-begun; return nil, nil },
	}}
	require.NoError(t, mustRunIn(ctx, t, s, program("leave tools.late tools.now", provider)).Err)
	p := program("call tools.cancel []", contract.Provider{Name: "tools", Functions: map[string]contract.HostFunc{
		"cancel": func(context.Context, json.RawMessage) (json.RawMessage, error) {
			cancel()
			close(release)
			late.Wait()
			return json.RawMessage("1"), nil
		},
	}})
	require.Equal(t, "1", string(mustRun(t, s, p).Value))
	require.Equal(t, "3", string(mustRun(t, s, program("runs")).Value), "the same child")
}

func mustRunIn(ctx context.Context, t *testing.T, s *executor.ProcessSlots, p contract.Program) contract.Outcome {
	t.Helper()
	out, err := s.Run(ctx, p)
	require.NoError(t, err)
	return out
}
