package conform_test

import (
	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// newRunner makes a sandbox of the product, with the limits it is built for.
func newRunner(limits contract.Limits) (runner, error) {
	s, err := bridge.NewSandbox(bridge.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	return sandbox{s}, nil
}

type sandbox struct{ *bridge.Sandbox }

func (s sandbox) Counters() counters {
	n := s.Stats()
	return counters{Kills: n.Kills, MemoryStops: n.MemoryStops, Faults: n.Faults, Rebuilt: n.Rebuilt}
}
