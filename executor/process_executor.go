package executor

import (
	"context"
	"fmt"
	"slices"

	"github.com/guestjs/guestjs/contract"
)

// processExecutor is processSlots as an executor for admission to stand before.
type processExecutor processSlots

func (e *processExecutor) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	return (*processSlots)(e).run(ctx, p)
}

func (e *processExecutor) Close(ctx context.Context) error { return (*processSlots)(e).close(ctx) }

// notes says which steps of hardening the children could not take.
func (s *processSlots) notes() []string {
	var notes []string
	for _, c := range s.status() {
		for _, step := range c.Steps {
			if step.Err == "" {
				continue
			}
			note := fmt.Sprintf("hardening step %s is missing: %s", step.Name, step.Err)
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}
