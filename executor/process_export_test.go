//go:build linux

package executor

import (
	"context"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor/internal/child"
)

// The side door of the process tests.
type (
	ProcessOptions = processOptions
	ProcessSlots   = processSlots
	ChildStatus    = childStatus
)

var (
	ChildMainWith   = childMain
	NewProcessSlots = newProcessSlots
	BackOff         = backOff
)

func (o ProcessOptions) With(now func() time.Time, startLimit time.Duration, env ...string) ProcessOptions {
	o.now, o.startLimit, o.env = now, startLimit, env
	return o
}

func (s *processSlots) Run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	return s.run(ctx, p)
}
func (s *processSlots) Close(ctx context.Context) error { return s.close(ctx) }
func (s *processSlots) Status() []ChildStatus           { return s.status() }

// Exited is closed when the child of the first slot has been reaped.
func (s *processSlots) Exited() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[0].child.exited
}

// Retired is closed when the child of the first slot is to end, PipesClosed when
// its pipes are closed.
func (s *processSlots) Retired() <-chan struct{}     { return s.all[0].child.gone }
func (s *processSlots) PipesClosed() <-chan struct{} { return s.all[0].child.closed }

// Live counts processes that have not been reaped.
func (s *processSlots) Live() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.live)
}

type Factory = child.Factory

// What a child does with the descriptors it finds.
var (
	Inherited      = inherited
	CloseInherited = closeInherited
)
