package contracttest

import (
	"context"
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/contract"
)

const shuttingDown = "Executor is shutting down."

// closeChecks are about contract.Closer.
var closeChecks = []Check{
	{"a closed executor runs nothing", func(t *trial) error {
		e := t.executor()
		c, err := power[contract.Closer](e)
		if err != nil {
			return err
		}
		a, err := t.wait(t.closing(context.Background(), c))
		if err := errors.Join(err, a.err); err != nil {
			return err
		}
		h := newHost()
		a, err = t.wait(t.start(context.Background(), e, h.program(progTouch)))
		if err := errors.Join(err, refused(a.err, contract.CodeClosed, shuttingDown, false, contract.ErrClosed)); err != nil {
			return err
		}
		if len(h.seen().args) > 0 {
			return errors.New("the program ran")
		}
		if s, ok := e.(contract.Snapshotter); ok && !s.Snapshot().Closed {
			return errors.New("the snapshot does not say that the executor is closed")
		}
		return nil
	}},
	{"close is idempotent", func(t *trial) error {
		c, err := power[contract.Closer](t.executor())
		if err != nil {
			return err
		}
		var calls []<-chan answer
		for range 8 {
			calls = append(calls, t.closing(context.Background(), c))
		}
		var all error
		for _, call := range append(calls, t.closing(context.Background(), c)) {
			a, err := t.wait(call)
			all = errors.Join(all, err, a.err)
		}
		return all
	}},
	{"close waits for live runs", checkCloseWaits},
	{"close stops what does not end", checkCloseStops},
}

func checkCloseWaits(t *trial) error {
	e := t.executor()
	c, err := power[contract.Closer](e)
	if err != nil {
		return err
	}
	h := newHost()
	run := t.start(context.Background(), e, h.program(progWait))
	if _, err := await(t, h.waiting, "tools.wait to be called"); err != nil {
		close(h.finish)
		return err
	}
	closing := t.closing(context.Background(), c)
	refusal := t.refusedSoon(e)
	early := t.early(closing)
	close(h.finish)
	a, err := t.wait(run)
	closed, stuck := t.wait(closing)
	if err := errors.Join(refusal, err, stuck, closed.err); err != nil {
		return err
	}
	if early {
		return errors.New("Close returned while a run was going on")
	}
	return errors.Join(a.err, ended(a.out, `"waited"`))
}

// refusedSoon waits until new runs are refused while Close waits. A slot may
// be free until then, so some may still get in.
func (t *trial) refusedSoon(e contract.Executor) error {
	var refusal error
	err := t.until("new runs to be refused", func() bool {
		a, stuck := t.wait(t.start(context.Background(), e, contract.Program{Source: progValue}))
		refusal = errors.Join(stuck, a.err)
		return refusal != nil
	})
	return errors.Join(err, refused(refusal, contract.CodeClosed, shuttingDown, false, contract.ErrClosed))
}

// checkCloseStops closes with a context that ends. What Close returns then is
// the executor's to say; that it returns, and that nothing is left, is not.
func checkCloseStops(t *trial) error {
	e := t.executor()
	c, err := power[contract.Closer](e)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var closing <-chan answer
	a, h, err := t.stopped(context.Background(), e, func() {
		closing = t.closing(ctx, c)
		cancel()
	})
	if err != nil {
		return err
	}
	if err := errors.Join(
		refused(a.err, contract.CodeClosed, shuttingDown, true, contract.ErrClosed),
		interrupted(a.out, contract.InterruptClosed, shuttingDown),
		inFlight(h, a.out)); err != nil {
		return err
	}
	if _, err := t.wait(closing); err != nil {
		return fmt.Errorf("Close, after its context had ended: %w", err)
	}
	return nil
}
