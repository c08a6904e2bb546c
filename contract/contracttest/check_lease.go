package contracttest

import (
	"context"
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/contract"
)

// leaseChecks are about contract.Acquirer and contract.Snapshotter.
var leaseChecks = []Check{
	{"a lease runs one program", func(t *trial) error {
		return t.withLease(func(l contract.Lease) error {
			if w := l.Waited(); w < 0 || w > t.patience {
				return fmt.Errorf("Lease.Waited is %v", w)
			}
			out, err := t.runOn(l, contract.Program{Source: progValue})
			if err := endedWell(out, err, `2`); err != nil {
				return err
			}
			h := newHost()
			a, err := t.wait(t.start(context.Background(), l, h.program(progTouch)))
			switch {
			case err != nil:
				return err
			case !errors.Is(a.err, contract.ErrLeaseUsed) || a.err.Error() != contract.ErrLeaseUsed.Error():
				return fmt.Errorf("the second run's error is %v, want ErrLeaseUsed", a.err)
			case len(h.seen().args) > 0:
				return errors.New("the second program ran")
			}
			return nil
		})
	}},
	{"a released lease runs nothing", func(t *trial) error {
		return t.withLease(func(l contract.Lease) error {
			l.Release()
			l.Release()
			h := newHost()
			a, err := t.wait(t.start(context.Background(), l, h.program(progTouch)))
			if err := errors.Join(err, refused(a.err, contract.CodeCancelled,
				"Executor lease was already released.", false, contract.ErrReleased)); err != nil {
				return err
			}
			if len(h.seen().args) > 0 {
				return errors.New("the program ran")
			}
			return nil
		})
	}},
	{"a release ends the run", func(t *trial) error {
		return t.withLease(func(l contract.Lease) error {
			a, h, err := t.stopped(context.Background(), l, l.Release)
			if err != nil {
				return err
			}
			return errors.Join(
				refused(a.err, contract.CodeCancelled, "Executor lease was released during execution.", true, contract.ErrReleased),
				interrupted(a.out, contract.InterruptClosed, ""),
				inFlight(h, a.out))
		})
	}},
	{"a nested caller is answered at once", checkNested},
	{"a released slot is free again", func(t *trial) error {
		_, q, leases, err := t.full()
		defer releaseAll(leases)
		if err != nil {
			return err
		}
		leases[0].Release()
		l, err := q.Acquire(context.Background(), contract.AcquireOptions{NoWait: true})
		if err != nil {
			return fmt.Errorf("after a release: %w", err)
		}
		l.Release()
		return nil
	}},
	{"a slot comes back after a run", func(t *trial) error {
		e, q, leases, err := t.full()
		releaseAll(leases)
		if err != nil {
			return err
		}
		// Also after a run that did not end well, and one that a release ended.
		for range len(leases) + 1 {
			if _, err := t.runOn(e, contract.Program{Source: progThrow}); err != nil {
				return err
			}
			l, err := q.Acquire(context.Background(), contract.AcquireOptions{})
			if err != nil {
				return err
			}
			if _, _, err := t.stopped(context.Background(), l, l.Release); err != nil {
				return err
			}
		}
		return t.until("all slots to be free", func() bool {
			again, err := t.fill(q)
			releaseAll(again)
			return err == nil && len(again) == len(leases)
		})
	}},
	{"a queued caller can leave", func(t *trial) error {
		_, q, leases, err := t.full()
		defer releaseAll(leases)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		defer cancel(nil)
		call, err := t.queue(ctx, q, 1)
		if err != nil {
			return err
		}
		cancel(errLeft)
		a, err := t.wait(call)
		return errors.Join(err, refused(a.err, contract.CodeCancelled, "Execution was cancelled while queued.", false, errLeft))
	}},
	{"first come first served", checkOrder},
	{"the snapshot counts", checkSnapshot},
}

func (t *trial) withLease(check func(contract.Lease) error) error {
	q, err := power[contract.Acquirer](t.executor())
	if err != nil {
		return err
	}
	a, err := t.wait(t.acquiring(context.Background(), q))
	if err := errors.Join(err, a.err); err != nil {
		return err
	}
	defer a.lease.Release()
	return check(a.lease)
}

// most is how many slots an executor may have before a check gives up to fill
// them.
const most = 4096

// full returns an executor whose slots are all taken.
func (t *trial) full() (contract.Executor, contract.Acquirer, []contract.Lease, error) {
	e := t.executor()
	q, err := power[contract.Acquirer](e)
	if err != nil {
		return nil, nil, nil, err
	}
	leases, err := t.fill(q)
	if err == nil && len(leases) == 0 {
		err = errors.New("a new executor has no free slot")
	}
	return e, q, leases, err
}

// fill takes slots, without waiting for one, until there are none.
func (t *trial) fill(q contract.Acquirer) (leases []contract.Lease, err error) {
	for range most {
		a, err := t.wait(started(func(a *answer) {
			a.lease, a.err = q.Acquire(context.Background(), contract.AcquireOptions{NoWait: true})
		}))
		if errors.Is(a.err, contract.ErrOverloaded) {
			return leases, nil
		}
		if err := errors.Join(err, a.err); err != nil {
			return leases, fmt.Errorf("Acquire without waiting: %w", err)
		}
		leases = append(leases, a.lease)
	}
	return leases, fmt.Errorf("%d leases, and no end of slots", most)
}

func releaseAll(leases []contract.Lease) {
	for _, l := range leases {
		l.Release()
	}
}

// queue starts a caller and waits until the snapshot shows n in the queue.
func (t *trial) queue(ctx context.Context, q contract.Acquirer, n int) (<-chan answer, error) {
	s, ok := q.(contract.Snapshotter)
	if !ok {
		return nil, fmt.Errorf("%w: without a Snapshot nobody can see that a caller is queued", errors.ErrUnsupported)
	}
	if s.Snapshot().MaxQueueSize < n {
		return nil, fmt.Errorf("%w: the queue has no place for %d", errors.ErrUnsupported, n)
	}
	call := t.acquiring(ctx, q)
	return call, t.until("the caller to be queued", func() bool { return s.Snapshot().Queued == n })
}

// checkNested asks for a slot out of a host function while none is free.
func checkNested(t *trial) error {
	e, q, leases, err := t.full()
	defer releaseAll(leases)
	if err != nil {
		return err
	}
	h := newHost()
	defer close(h.finish)
	p := h.program(progTouch)
	nested := make(chan answer, 1)
	p.Providers[0].Functions["touch"] = contract.Func0(func(ctx context.Context) (struct{}, error) {
		call := started(func(a *answer) { a.lease, a.err = q.Acquire(ctx, contract.AcquireOptions{NoWait: true}) })
		a, err := t.wait(call)
		nested <- answer{lease: a.lease, err: errors.Join(a.err, err)}
		return struct{}{}, nil
	})
	out, err := t.runOn(leases[0], p)
	if err := endedWell(out, err, `1`); err != nil {
		return err
	}
	a := <-nested
	if a.lease != nil {
		a.lease.Release()
		return fmt.Errorf("%T gave a nested caller a slot that it did not have", e)
	}
	return refused(a.err, contract.CodeOverloaded,
		"No executor slot is free for nested execution. Invoke the operation directly, after this program ends.",
		false, contract.ErrOverloaded)
}

func checkOrder(t *trial) error {
	_, q, leases, err := t.full()
	defer releaseAll(leases)
	if err != nil {
		return err
	}
	first, err := t.queue(context.Background(), q, 1)
	if err != nil {
		return err
	}
	second, err := t.queue(context.Background(), q, 2)
	if err != nil {
		if first := <-first; first.lease != nil {
			first.lease.Release()
		}
		return err
	}
	leases[0].Release()
	a, err := t.wait(first)
	if err := errors.Join(err, a.err); err != nil {
		return fmt.Errorf("the caller who came first: %w", err)
	}
	early := len(second) > 0
	a.lease.Release()
	b, err := t.wait(second)
	if err := errors.Join(err, b.err); err != nil {
		return fmt.Errorf("the caller who came second: %w", err)
	}
	b.lease.Release()
	if early {
		return errors.New("one slot was given to two callers")
	}
	return nil
}

func checkSnapshot(t *trial) error {
	s, err := power[contract.Snapshotter](t.executor())
	if err != nil {
		return err
	}
	q, err := power[contract.Acquirer](t.made[0])
	if err != nil {
		return err
	}
	before := s.Snapshot()
	leases, err := t.fill(q)
	held := s.Snapshot()
	releaseAll(leases)
	after := s.Snapshot()
	switch {
	case err != nil:
		return err
	case before.Active != 0 || before.Totals != contract.Totals{}:
		return fmt.Errorf("a new executor's snapshot is %v", before)
	case before.Closed:
		return fmt.Errorf("a new executor is closed: %v", before)
	case held.Active != len(leases) || held.Concurrency != len(leases):
		return fmt.Errorf("%d leases live, and the snapshot is %v", len(leases), held)
	case held.Totals != contract.Totals{Admitted: uint64(len(leases)), Rejected: 1}:
		return fmt.Errorf("%d callers were admitted and 1 rejected, and the snapshot is %v", len(leases), held)
	case after.Active != 0 || after.Totals != held.Totals:
		return fmt.Errorf("no lease lives, and the snapshot is %v", after)
	}
	return nil
}
