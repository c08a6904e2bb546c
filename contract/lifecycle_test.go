package contract_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

// Pool declares itself by pointer.
type Pool struct{ undeclared }

func (p *Pool) Lifecycle() contract.Lifecycle { return contract.Leased.Of(p) }

// valued declares itself by value.
type valued struct{ undeclared }

func (v valued) Lifecycle() contract.Lifecycle { return contract.SelfManaged.Of(v) }

// function is an executor whose values cannot be compared.
type function func()

func (f function) Execute(context.Context, contract.Program) (contract.Outcome, error) {
	return contract.Outcome{}, nil
}

func (f function) Lifecycle() contract.Lifecycle { return contract.SelfManaged.Of(f) }

type generic[T any] struct{ undeclared }

func (g *generic[T]) Lifecycle() contract.Lifecycle { return contract.Leased.Of(g) }

// undeclared has nothing but Execute.
type undeclared struct{}

func (undeclared) Execute(context.Context, contract.Program) (contract.Outcome, error) {
	return contract.Outcome{}, nil
}

// embeds has replaced Execute, and promised nothing.
type embeds struct{ *Pool }

func (embeds) Execute(context.Context, contract.Program) (contract.Outcome, error) {
	return contract.Outcome{}, nil
}

type fullExecutor interface {
	contract.Executor
	Lifecycle() contract.Lifecycle
}

type embedsInterface struct{ fullExecutor }

type delegates struct {
	undeclared
	inner *Pool
}

func (d delegates) Lifecycle() contract.Lifecycle { return d.inner.Lifecycle() }

type redeclares struct{ *Pool }

func (r redeclares) Lifecycle() contract.Lifecycle { return contract.SelfManaged.Of(r) }

type unbound struct{ undeclared }

func (unbound) Lifecycle() contract.Lifecycle { return contract.Leased }

type says struct {
	undeclared
	l contract.Lifecycle
}

func (s says) Lifecycle() contract.Lifecycle { return s.l.Of(s) }

func TestLifecycleOf(t *testing.T) {
	var nilPool *Pool
	tests := []struct {
		name string
		e    contract.Executor
		want contract.Lifecycle // zero: not declared
	}{
		{"by pointer", &Pool{}, contract.Leased},
		{"by value", valued{}, contract.SelfManaged},
		{"by pointer to a value type", &valued{}, contract.Lifecycle{}},
		{"by function", function(func() {}), contract.SelfManaged},
		{"by generic type", &generic[int]{}, contract.Leased},
		{"declared anew over an embedded one", redeclares{&Pool{}}, contract.SelfManaged},
		{"nothing", nil, contract.Lifecycle{}},
		{"a nil pointer", nilPool, contract.Lifecycle{}},
		{"a nil function", function(nil), contract.Lifecycle{}},
		{"undeclared", undeclared{}, contract.Lifecycle{}},
		{"inherited from a struct", embeds{&Pool{}}, contract.Lifecycle{}},
		{"inherited, by pointer", &embeds{&Pool{}}, contract.Lifecycle{}},
		{"inherited from an interface", embedsInterface{&Pool{}}, contract.Lifecycle{}},
		{"delegated", delegates{inner: &Pool{}}, contract.Lifecycle{}},
		{"not bound", unbound{}, contract.Lifecycle{}},
		{"bound, of no meaning", says{}, contract.Lifecycle{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := contract.LifecycleOf(test.e)
			require.Equal(t, test.want, got)
			require.Equal(t, test.want != contract.Lifecycle{}, ok)

			err := contract.Check(test.e)
			if ok {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, contract.ErrInvalid)
			for _, part := range []string{
				"must declare its lifecycle", "executor.New(", "admission.Wrap(", "contract.Custom(",
			} {
				require.ErrorContains(t, err, part)
			}
		})
	}
}

func TestCheckNamesTheExecutor(t *testing.T) {
	require.ErrorContains(t, contract.Check(undeclared{}), "contract_test.undeclared declares none of its own")
	require.ErrorContains(t, contract.Check(nil), "the executor is nil")
}

func TestLifecycleString(t *testing.T) {
	require.Equal(t, "leased", contract.Leased.String())
	require.Equal(t, "self-managed", contract.SelfManaged.String())
	require.Equal(t, "undeclared", contract.Lifecycle{}.String())
	require.Equal(t, "leased", (&Pool{}).Lifecycle().String())
}
