package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/executor/internal/child"
)

// processSlot is a place for one child. Whoever took it from the slots owns it;
// the slots' lock is for those who only look.
type processSlot struct {
	slots  *processSlots
	number int

	child     *childProcess // nil when there is none
	seen      *childProcess // whose steps are the ones below
	steps     []child.Step  // as the last child that came up reported them
	crashes   int           // in a row
	notBefore time.Time     // no child is started before
}

// ready returns a child that can run a program. It waits out a back-off, starts
// a child when there is none, and waits until it has loaded. When ctx ends first
// the loading goes on, for the next run.
func (s *processSlot) ready(ctx context.Context) (*childProcess, error) {
	if c := s.child; c != nil && c.dead() {
		if !c.retired() || !c.isReady() {
			s.crashed(c.ended()) // it ended between runs, or while it loaded for nobody
		}
		s.forget()
	}
	if s.child == nil {
		if err := s.waitBackOff(ctx); err != nil {
			return nil, err
		}
		c, err := startChild(s.slots)
		if err != nil {
			s.crashed(s.slots.opts.now())
			return nil, err
		}
		s.set(c)
	}
	c := s.child
	select {
	case <-c.ready:
	case <-c.late:
	case <-c.exited:
		select { // for what it said before
		case <-c.greeted:
		case <-ctx.Done():
		case <-s.slots.closing:
		}
	case <-ctx.Done():
	case <-s.slots.closing:
	}
	// Several may have come by now: a close and the limit end the child, too.
	var missing string
	switch {
	case isClosed(s.slots.closing):
		return nil, closedError(false)
	case ctx.Err() != nil:
		return nil, cancelled(ctx, "Execution was cancelled while the sandbox was starting.", false)
	case isClosed(c.late):
		missing = fmt.Sprintf("QuickJS child did not become ready within %dms.", s.slots.opts.startLimit.Milliseconds())
	case c.isReady(): // should it be gone again, the run will find out
		s.keepSteps(c)
		return c, nil
	default:
		missing = "QuickJS child exited before becoming ready (" + c.exitText() + ")." + c.tail()
	}
	s.crashed(c.ended())
	s.forget()
	return nil, c.missing(&ProcessError{Text: missing})
}

func (s *processSlot) waitBackOff(ctx context.Context) error {
	wait := s.notBefore.Sub(s.slots.opts.now())
	if wait <= 0 {
		return nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.slots.closing:
	}
	switch { // of several, which counts is no matter of chance
	case isClosed(s.slots.closing):
		return closedError(false)
	case ctx.Err() != nil:
		return cancelled(ctx, "Execution was cancelled while the sandbox was restarting.", false)
	}
	return nil
}

func (s *processSlot) set(c *childProcess) {
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	s.child = c
}

func (s *processSlot) keepSteps(c *childProcess) {
	if s.seen == c {
		return
	}
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	s.seen, s.steps = c, c.steps
}

// forget retires the child; the next run gets another one.
func (s *processSlot) forget() {
	if c := s.child; c != nil {
		c.retire()
		s.set(nil)
	}
}

// crashed counts a crash: after the nth in a row nothing is started for
// min(5 s, 100 ms * 2^(n-1)).
func (s *processSlot) crashed(at time.Time) {
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	s.crashes++
	s.notBefore = at.Add(backOff(s.crashes))
}

func backOff(crashes int) time.Duration {
	if crashes > 6 { // 100 ms * 2^6 is past the most
		return mostBackOff
	}
	return min(mostBackOff, firstBackOff<<(crashes-1))
}

// worked ends a row of crashes.
func (s *processSlot) worked() {
	if s.crashes == 0 {
		return
	}
	s.slots.mu.Lock()
	defer s.slots.mu.Unlock()
	s.crashes, s.notBefore = 0, time.Time{}
}

// status is called with the slots' lock held.
func (s *processSlot) status() childStatus {
	st := childStatus{Crashes: s.crashes, Steps: s.steps}
	if c := s.child; c != nil && !c.dead() {
		st.Pid, st.Ready = c.pid, c.isReady()
	}
	return st
}
