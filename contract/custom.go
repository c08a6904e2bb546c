package contract

import (
	"context"
	"fmt"
	"reflect"
)

// Custom vouches for an executor that somebody else wrote: it returns an
// executor that declares l and hands every call on to e. E itself is not
// touched, and stays undeclared.
//
// The result has exactly the optional powers e has: it is an [Acquirer] or a
// [Closer] when e is one, a [Snapshotter] when e is one and is an Acquirer too
// (a snapshot of an admission that nobody can ask for says nothing), and a
// [Namer] when [Name] of e is not empty, with that name. Leases are e's own.
//
// L must be SelfManaged: a leased executor cannot be made by saying so; see
// admission.Wrap. The error unwraps to [ErrInvalid]. (SPEC section 4.)
func Custom(e Executor, l Lifecycle) (Executor, error) {
	if isNil(e) || l.mode != selfManaged {
		return nil, fmt.Errorf("%w: contract.Custom requires an executor and contract.SelfManaged", ErrInvalid)
	}
	base := &custom{inner: e}
	wrapped := base.with(e)
	// The promise belongs to the outermost type, the one callers hold.
	base.promise = Lifecycle{mode: selfManaged, owner: reflect.TypeOf(wrapped)}
	return wrapped, nil
}

// custom is the part that every wrapper has.
type custom struct {
	inner   Executor
	promise Lifecycle
}

func (c *custom) Execute(ctx context.Context, p Program) (Outcome, error) {
	return c.inner.Execute(ctx, p)
}

func (c *custom) Lifecycle() Lifecycle { return c.promise }

type named string

func (n named) Name() string { return string(n) }

// with adds e's optional powers to c. Go decides by type whether a value has a
// method, so each combination of powers is a type of its own.
func (c *custom) with(e Executor) Executor {
	type acquirerSnapshotter interface {
		Acquirer
		Snapshotter
	}
	n := named(Name(e))
	closer, closes := e.(Closer)
	acquirer, acquires := e.(Acquirer)
	both, snapshots := e.(acquirerSnapshotter)

	switch {
	case n != "" && closes && snapshots:
		return struct {
			*custom
			named
			Closer
			acquirerSnapshotter
		}{c, n, closer, both}
	case n != "" && closes && acquires:
		return struct {
			*custom
			named
			Closer
			Acquirer
		}{c, n, closer, acquirer}
	case n != "" && closes:
		return struct {
			*custom
			named
			Closer
		}{c, n, closer}
	case n != "" && snapshots:
		return struct {
			*custom
			named
			acquirerSnapshotter
		}{c, n, both}
	case n != "" && acquires:
		return struct {
			*custom
			named
			Acquirer
		}{c, n, acquirer}
	case n != "":
		return struct {
			*custom
			named
		}{c, n}
	case closes && snapshots:
		return struct {
			*custom
			Closer
			acquirerSnapshotter
		}{c, closer, both}
	case closes && acquires:
		return struct {
			*custom
			Closer
			Acquirer
		}{c, closer, acquirer}
	case closes:
		return struct {
			*custom
			Closer
		}{c, closer}
	case snapshots:
		return struct {
			*custom
			acquirerSnapshotter
		}{c, both}
	case acquires:
		return struct {
			*custom
			Acquirer
		}{c, acquirer}
	}
	return c
}
