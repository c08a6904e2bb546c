package child

import (
	"context"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// NewSandbox is the Factory of a real child: one sandbox, kept from run to run.
// It runs a program once, so that whatever the engine sets up late is there
// before the child gives its rights up.
func NewSandbox(cfg Config) (Runner, error) {
	if cfg.HostTimeZone {
		_ = time.Now().Local().String() // the zone is read from a file, once
	}
	s, err := bridge.NewSandbox(bridge.Options{
		Limits: cfg.Limits, MaxCalls: cfg.MaxCalls, NoEval: cfg.NoEval, HostTimeZone: cfg.HostTimeZone,
		// What is too large is refused on the way out of here, which says how large
		// it is. Far beyond that the bridge refuses it, and saves the memory.
		MaxArguments: wire.MaxMessage, MaxResult: wire.MaxResult + wire.MaxMessage,
	})
	if err != nil {
		return nil, err
	}
	first := "new Date(0).toString()"
	if most := cfg.Limits.Source; most > 0 && most < int64(len(first)) {
		first = "0" // a limit that leaves no room for anything that is set up late
	}
	out, err := s.Run(context.Background(), contract.Program{
		Source: first, Limits: contract.Limits{CPU: time.Second, Wall: 5 * time.Second},
	})
	if err == nil {
		err = out.Err
	}
	if err != nil {
		_ = s.Close()
		return nil, fmt.Errorf("the first program failed: %w", err)
	}
	return s, nil
}
