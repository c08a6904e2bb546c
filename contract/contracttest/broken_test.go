package contracttest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
)

// broken is a Fake with one thing wrong. A nil field is done right.
type broken struct {
	*contracttest.Fake
	execute  func(context.Context, contract.Program) (contract.Outcome, error)
	acquire  func(context.Context, contract.AcquireOptions) (contract.Lease, error)
	close    func(context.Context) error
	snapshot func(contract.Snapshot) contract.Snapshot
	name     string
}

func (b *broken) Lifecycle() contract.Lifecycle { return contract.Leased.Of(b) }

func (b *broken) Name() string { return b.name }

func (b *broken) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	if b.execute != nil {
		return b.execute(ctx, p)
	}
	return b.Fake.Execute(ctx, p)
}

func (b *broken) Acquire(ctx context.Context, o contract.AcquireOptions) (contract.Lease, error) {
	if b.acquire != nil {
		return b.acquire(ctx, o)
	}
	return b.Fake.Acquire(ctx, o)
}

func (b *broken) Close(ctx context.Context) error {
	if b.close != nil {
		return b.close(ctx)
	}
	return b.Fake.Close(ctx)
}

func (b *broken) Snapshot() contract.Snapshot {
	if b.snapshot != nil {
		return b.snapshot(b.Fake.Snapshot())
	}
	return b.Fake.Snapshot()
}

// brokenLease replaces the methods that are set.
type brokenLease struct {
	contract.Lease
	execute func(context.Context, contract.Program) (contract.Outcome, error)
	release func()
}

func (l brokenLease) Execute(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	if l.execute != nil {
		return l.execute(ctx, p)
	}
	return l.Lease.Execute(ctx, p)
}

func (l brokenLease) Release() {
	if l.release != nil {
		l.release()
		return
	}
	l.Lease.Release()
}

// Ways to break one.

func outcome(change func(p contract.Program, out *contract.Outcome)) func(*broken) {
	return func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
			out, err := b.Fake.Execute(ctx, p)
			change(p, &out)
			return out, err
		}
	}
}

func program(change func(p *contract.Program)) func(*broken) {
	return func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
			change(&p)
			return b.Fake.Execute(ctx, p)
		}
	}
}

// functions replaces each host function.
func functions(change func(contract.HostFunc) contract.HostFunc) func(*broken) {
	return program(func(p *contract.Program) {
		for i := range p.Providers {
			changed := map[string]contract.HostFunc{}
			for name, f := range p.Providers[i].Functions {
				changed[name] = change(f)
			}
			p.Providers[i].Functions = changed
		}
	})
}

func lease(change func(*broken, *brokenLease)) func(*broken) {
	return func(b *broken) {
		b.acquire = func(ctx context.Context, o contract.AcquireOptions) (contract.Lease, error) {
			l, err := b.Fake.Acquire(ctx, o)
			if err != nil {
				return nil, err
			}
			changed := brokenLease{Lease: l}
			change(b, &changed)
			return changed, nil
		}
	}
}

func keepsItsSlot(_ *broken, l *brokenLease) { l.release = func() {} }

var breakages = map[string]struct {
	how  func(*broken)
	want string // part of what the check says
}{
	"the lifecycle is declared": {nil, "must declare its lifecycle"},
	"the name is clean":         {func(b *broken) { b.name = "a\nname" }, `sanitised it would be "a name"`},
	"a value comes back": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Value = json.RawMessage(`3`)
	}), "Outcome.Value is 3, want 2"},
	"no value is not null": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Value = json.RawMessage(`null`)
	}), "Outcome.Value is null, want none"},
	"a throw is an outcome": {func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
			out, _ := b.Fake.Execute(ctx, p)
			return out, out.Err
		}
	}, "an end of the program is told in the Outcome"},
	"a syntax error is an outcome": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Err = &contract.GuestError{Name: "Error", Message: "bad program"}
	}), `GuestError.Name is "Error"`},
	"a stall is told at once": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Err = &contract.InterruptError{Interrupt: contract.InterruptWall}
	}), "want ErrStalled"},
	"logs are in order": {outcome(func(_ contract.Program, out *contract.Outcome) {
		slices.Reverse(out.Logs)
	}), "Outcome.Logs is"},
	"nothing is left of an earlier run": {outcome(func(p contract.Program, out *contract.Outcome) {
		if strings.Contains(p.Source, "typeof left") {
			out.Value = json.RawMessage(`["number","undefined"]`)
		}
	}), `Outcome.Value is ["number","undefined"]`},
	"a bad program is refused before it runs": {program(func(p *contract.Program) {
		p.Limits = contract.Limits{}
	}), "want ErrInvalid"},
	"many runs at once": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Value = json.RawMessage(`7`)
	}), "Outcome.Value is 7"},

	"a host call and its record": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Calls = nil
	}), "Outcome.Calls has 0 records, want 1"},
	"own members only": {program(func(p *contract.Program) {
		p.Providers[0].Functions["toString"] = p.Providers[0].Functions["touch"]
	}), "called toString"},
	"a typed refusal as the guest sees it": {functions(func(f contract.HostFunc) contract.HostFunc {
		return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
			reply, err := f(ctx, args)
			if err != nil {
				err = errors.New(err.Error())
			}
			return reply, err
		}
	}), "Outcome.Err is"},
	"a typed refusal keeps its identity": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Failure.Call = nil
	}), "Outcome.Failure.Call is not set"},
	"a copy of a refusal is none": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Failure.Call = &contract.Failure{Code: "no_access"}
	}), "for an error that the program made"},
	"a host error is reached through the outcome": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Err = &contract.GuestError{Name: "Error", Message: out.Err.Error()}
	}), "does not unwrap to the host function's error"},
	"a host panic reaches the caller": {func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (out contract.Outcome, err error) {
			defer func() { _ = recover() }()
			return b.Fake.Execute(ctx, p)
		}
	}, "a host function panicked and Execute returned"},

	"the wall limit": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Interrupt = contract.InterruptCPU
	}), "Outcome.Interrupt is cpu, want wall"},
	"the processor limit": {outcome(func(_ contract.Program, out *contract.Outcome) {
		out.Err = errors.New("Execution exceeded the 50ms guest CPU budget.")
	}), "want an *InterruptError"},
	"cancelled before the run": {func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
			return b.Fake.Execute(context.WithoutCancel(ctx), p)
		}
	}, "want a *contract.RefusedError"},
	"cancelled during the run": {func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
			out, _ := b.Fake.Execute(ctx, p)
			return out, ctx.Err()
		}
	}, "the error is context canceled"},
	"no late effects": {functions(func(f contract.HostFunc) contract.HostFunc {
		return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
			return f(context.WithoutCancel(ctx), args)
		}
	}), "in vain for the context of an open host call to end with its run"},

	"a lease runs one program": {lease(func(b *broken, l *brokenLease) {
		l.execute = b.Fake.Execute
	}), "want ErrLeaseUsed"},
	"a released lease runs nothing": {lease(keepsItsSlot), "the error is <nil>"},
	"a release ends the run":        {lease(keepsItsSlot), "in vain"},
	"a nested caller is answered at once": {func(b *broken) {
		b.acquire = func(ctx context.Context, _ contract.AcquireOptions) (contract.Lease, error) {
			return b.Fake.Acquire(ctx, contract.AcquireOptions{})
		}
	}, "in vain"},
	"a released slot is free again": {lease(keepsItsSlot), "after a release"},
	"a slot comes back after a run": {func(b *broken) {
		b.execute = func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
			_, _ = b.Fake.Acquire(ctx, contract.AcquireOptions{NoWait: true})
			return b.Fake.Execute(ctx, p)
		}
	}, "in vain"},
	"a queued caller can leave": {func(b *broken) {
		b.acquire = func(ctx context.Context, o contract.AcquireOptions) (contract.Lease, error) {
			return b.Fake.Acquire(context.WithoutCancel(ctx), o)
		}
	}, "in vain"},
	"first come first served": {func(b *broken) {
		// The two who wait get each other's leases.
		swapped := [2]chan contract.Lease{make(chan contract.Lease, 1), make(chan contract.Lease, 1)}
		var came atomic.Int32
		b.acquire = func(ctx context.Context, o contract.AcquireOptions) (contract.Lease, error) {
			if o.NoWait {
				return b.Fake.Acquire(ctx, o)
			}
			place := came.Add(1) - 1
			go func() {
				l, _ := b.Fake.Acquire(ctx, o)
				swapped[1-place] <- l
			}()
			l := <-swapped[place]
			if l == nil {
				return nil, errors.New("closed")
			}
			return l, nil
		}
	}, "the caller who came first"},
	"the snapshot counts": {func(b *broken) {
		b.snapshot = func(s contract.Snapshot) contract.Snapshot {
			s.Totals.Rejected = 0
			return s
		}
	}, "1 rejected"},

	"a closed executor runs nothing": {func(b *broken) {
		b.close = func(context.Context) error { return nil }
	}, "want a *contract.RefusedError"},
	"close is idempotent": {func(b *broken) {
		var times atomic.Int32
		b.close = func(ctx context.Context) error {
			if times.Add(1) > 1 {
				return errors.New("closed twice")
			}
			return b.Fake.Close(ctx)
		}
	}, "closed twice"},
	"close waits for live runs": {func(b *broken) {
		b.close = func(ctx context.Context) error {
			now, cancel := context.WithCancel(ctx)
			cancel()
			return b.Fake.Close(now)
		}
	}, ""},
	"close stops what does not end": {func(b *broken) {
		b.close = func(ctx context.Context) error { return b.Fake.Close(context.WithoutCancel(ctx)) }
	}, "in vain"},
}

// TestEachCheckCanFail breaks a Fake in one way for each check and sees that
// the check says so.
func TestEachCheckCanFail(t *testing.T) {
	var names []string
	for _, c := range contracttest.Checks() {
		names = append(names, c.Name)
		t.Run(c.Name, func(t *testing.T) {
			b, ok := breakages[c.Name]
			require.True(t, ok, "nothing breaks this check")
			err := c.Within(200*time.Millisecond, func() contract.Executor {
				if b.how == nil {
					return struct{ *contracttest.Fake }{contracttest.NewFake()}
				}
				e := &broken{Fake: contracttest.NewFake(), name: "Broken"}
				b.how(e)
				return e
			})
			require.ErrorContains(t, err, b.want)
			require.NotErrorIs(t, err, errors.ErrUnsupported)
		})
	}
	slices.Sort(names)
	require.Len(t, slices.Compact(names), len(breakages), "each check has a name of its own, and a breakage")
}

// plain has nothing but Execute.
type plain struct{ f *contracttest.Fake }

func (p plain) Execute(ctx context.Context, prog contract.Program) (contract.Outcome, error) {
	return p.f.Execute(ctx, prog)
}

func (p plain) Lifecycle() contract.Lifecycle { return contract.SelfManaged.Of(p) }

func TestChecksOfAbsentPowersDoNotApply(t *testing.T) {
	skipped := 0
	for _, c := range contracttest.Checks() {
		err := c.Run(func() contract.Executor { return plain{contracttest.NewFake()} })
		if errors.Is(err, errors.ErrUnsupported) {
			skipped++
			continue
		}
		require.NoError(t, err, c.Name)
	}
	require.Equal(t, 14, skipped) // name, 9 of leases, 4 of close
}
