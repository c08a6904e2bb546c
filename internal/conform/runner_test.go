package conform_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

// runner is the place a program runs in: what these tests need of a sandbox.
type runner interface {
	Run(ctx context.Context, p contract.Program) (contract.Outcome, error)
	// Counters says how runs were ended.
	Counters() counters
	Close() error
}

type counters struct{ Kills, MemoryStops, Faults, Rebuilt uint64 }

// places keeps runners for each pair of sizes, as many as there are processors,
// and hands each out to one run at a time.
type places struct {
	mu   sync.Mutex
	free map[sizes]chan runner
	all  []runner
}

type sizes struct{ memory, stack int64 }

func newPlaces(t *testing.T) *places {
	p := &places{free: map[sizes]chan runner{}}
	t.Cleanup(func() {
		for _, r := range p.all {
			require.NoError(t, r.Close())
		}
	})
	return p
}

// run runs p where the memory and stack are exactly what it asks for.
func (s *places) run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	place, give, err := s.take(p.Limits)
	if err != nil {
		return contract.Outcome{}, err
	}
	defer give()
	return runOn(ctx, place, p)
}

// runOn runs p; a panic out of the product is an error of that run, so that the
// others are still heard.
func runOn(ctx context.Context, place runner, p contract.Program) (out contract.Outcome, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return place.Run(ctx, p)
}

func (s *places) take(l contract.Limits) (runner, func(), error) {
	l = l.Or(contract.DefaultLimits())
	size := sizes{l.Memory, l.Stack}
	s.mu.Lock()
	free := s.free[size]
	if free == nil {
		free = make(chan runner, max(2, runtime.GOMAXPROCS(0)))
		for range cap(free) {
			r, err := newRunner(contract.Limits{Memory: l.Memory, Stack: l.Stack})
			if err != nil {
				s.mu.Unlock()
				return nil, nil, err
			}
			s.all = append(s.all, r)
			free <- r
		}
		s.free[size] = free
	}
	s.mu.Unlock()
	r := <-free
	return r, func() { free <- r }, nil
}
