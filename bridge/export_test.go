package bridge

import (
	"context"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// The side door of this package's tests.

// RunFaulty is a run in which the engine reports a fault. Nothing that a test
// could do makes the engine fail without endangering the process, so the fault
// is what its door returns for one; all that follows is real.
func (s *Sandbox) RunFaulty(ctx context.Context) (contract.Outcome, error) {
	s.run.Lock()
	defer s.run.Unlock()
	if err := s.ready(); err != nil {
		return contract.Outcome{}, err
	}
	p := contract.Program{}
	r := s.newRun(p, s.limits, time.Now())
	return s.use(ctx, r, func(ctx context.Context) (contract.Outcome, error) {
		r.ctx = ctx
		if err := s.guest.rt.Rewind(); err != nil {
			return r.out, err
		}
		r.enter(func() error { return &quickjs.FaultError{Reason: "a test said so"} })
		r.finish()
		return r.out, r.err
	})
}

// Handles returns how many handles to guest values are live.
func (s *Sandbox) Handles() int { return s.guest.rt.Handles() }

// Allocations returns how often the engine has asked for memory since the last run
// began.
func (s *Sandbox) Allocations() uint64 { return s.guest.rt.Memory().Allocations }

// Thrown is an Error of the guest's own, as the engine throws one. The guest has
// to stand still.
func (s *Sandbox) Thrown(message string) error {
	v, err := s.guest.qc.Error(message)
	if err != nil {
		return err
	}
	return &quickjs.Exception{Value: v, Name: "Error", Message: message}
}

// Mark is what stands behind the name of the program's code, which no program
// knows.
func (s *Sandbox) Mark() string { return s.guest.mark }

// Kept returns how many programs' code is kept, how many of those have a waypoint,
// what the cache says that takes and what it is when counted.
func (s *Sandbox) Kept() (programs, begun, size, counted int) {
	for k, c := range s.codes.kept {
		counted += k.weight(c)
		if c.loaded != nil {
			begun++
		}
	}
	return len(s.codes.kept), begun, s.codes.size, counted
}
