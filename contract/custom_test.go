package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

var errReached = errors.New("reached the original")

type (
	acquires  struct{}
	snapshots struct{}
	closes    struct{}
	names     struct{}
)

func (acquires) Acquire(context.Context, contract.AcquireOptions) (contract.Lease, error) {
	return nil, errReached
}
func (snapshots) Snapshot() contract.Snapshot  { return contract.Snapshot{Concurrency: 7} }
func (closes) Close(ctx context.Context) error { return context.Cause(ctx) }
func (names) Name() string                     { return " My Box! " }

type executes struct{}

func (executes) Execute(_ context.Context, p contract.Program) (contract.Outcome, error) {
	return contract.Outcome{Value: json.RawMessage(p.Source)}, errReached
}

// powers lists the optional interfaces that e implements.
func powers(e contract.Executor) (list []string) {
	if _, ok := e.(contract.Acquirer); ok {
		list = append(list, "acquire")
	}
	if _, ok := e.(contract.Closer); ok {
		list = append(list, "close")
	}
	if _, ok := e.(contract.Namer); ok {
		list = append(list, "name")
	}
	if _, ok := e.(contract.Snapshotter); ok {
		list = append(list, "snapshot")
	}
	return list
}

func TestCustomKeepsExactlyThePowers(t *testing.T) {
	tests := []struct {
		e    contract.Executor
		want []string
	}{
		{executes{}, nil},
		{struct {
			executes
			closes
		}{}, []string{"close"}},
		{struct {
			executes
			acquires
		}{}, []string{"acquire"}},
		{struct {
			executes
			snapshots
		}{}, nil},
		{struct {
			executes
			acquires
			snapshots
		}{}, []string{"acquire", "snapshot"}},
		{struct {
			executes
			closes
			acquires
		}{}, []string{"acquire", "close"}},
		{struct {
			executes
			closes
			snapshots
		}{}, []string{"close"}},
		{struct {
			executes
			closes
			acquires
			snapshots
		}{}, []string{"acquire", "close", "snapshot"}},
		{struct {
			executes
			names
		}{}, []string{"name"}},
		{struct {
			executes
			names
			closes
		}{}, []string{"close", "name"}},
		{struct {
			executes
			names
			acquires
		}{}, []string{"acquire", "name"}},
		{struct {
			executes
			names
			snapshots
		}{}, []string{"name"}},
		{struct {
			executes
			names
			acquires
			snapshots
		}{}, []string{"acquire", "name", "snapshot"}},
		{struct {
			executes
			names
			closes
			acquires
		}{}, []string{"acquire", "close", "name"}},
		{struct {
			executes
			names
			closes
			snapshots
		}{}, []string{"close", "name"}},
		{struct {
			executes
			names
			closes
			acquires
			snapshots
		}{}, []string{"acquire", "close", "name", "snapshot"}},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%T", test.e), func(t *testing.T) {
			c, err := contract.Custom(test.e, contract.SelfManaged)
			require.NoError(t, err)
			require.Equal(t, test.want, powers(c))

			// It vouches for itself, and leaves the original as it was.
			require.NoError(t, contract.Check(c))
			l, ok := contract.LifecycleOf(c)
			require.True(t, ok)
			require.Equal(t, contract.SelfManaged, l)
			require.Error(t, contract.Check(test.e))

			// Every power is the original's.
			out, err := c.Execute(t.Context(), contract.Program{Source: "42"})
			require.Equal(t, "42", string(out.Value))
			require.Equal(t, errReached, err)
			if a, ok := c.(contract.Acquirer); ok {
				_, err := a.Acquire(t.Context(), contract.AcquireOptions{})
				require.Equal(t, errReached, err)
			}
			if s, ok := c.(contract.Snapshotter); ok {
				require.Equal(t, 7, s.Snapshot().Concurrency)
			}
			if cl, ok := c.(contract.Closer); ok {
				ctx, cancel := context.WithCancelCause(t.Context())
				cancel(errReached)
				require.Equal(t, errReached, cl.Close(ctx))
			}
			want := ""
			if n, ok := c.(contract.Namer); ok {
				want = "My Box"
				require.Equal(t, want, n.Name())
			}
			require.Equal(t, want, contract.Name(c))
		})
	}
}

func TestCustomTakesTheTypesNameWhenThereIsNoOther(t *testing.T) {
	c, err := contract.Custom(&Pool{}, contract.SelfManaged)
	require.NoError(t, err)
	require.Equal(t, "Pool", contract.Name(c))
	l, ok := contract.LifecycleOf(c)
	require.True(t, ok)
	require.Equal(t, contract.SelfManaged, l, "whatever the original says")
}

func TestCustomIsNotInheritedEither(t *testing.T) {
	c, err := contract.Custom(executes{}, contract.SelfManaged)
	require.NoError(t, err)
	outer := struct{ fullExecutor }{c.(fullExecutor)}
	require.Error(t, contract.Check(outer))
	again, err := contract.Custom(outer, contract.SelfManaged)
	require.NoError(t, err)
	require.NoError(t, contract.Check(again))
}

func TestCustomRefuses(t *testing.T) {
	var nilPool *Pool
	for name, test := range map[string]struct {
		e contract.Executor
		l contract.Lifecycle
	}{
		"no executor": {nil, contract.SelfManaged},
		"nil pointer": {nilPool, contract.SelfManaged},
		"leased":      {executes{}, contract.Leased},
		"nothing":     {executes{}, contract.Lifecycle{}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := contract.Custom(test.e, test.l)
			require.Nil(t, c)
			require.ErrorIs(t, err, contract.ErrInvalid)
			require.ErrorContains(t, err, "contract.Custom requires an executor and contract.SelfManaged")
		})
	}
}

func TestSnapshotForms(t *testing.T) {
	s := contract.Snapshot{
		Concurrency: 2, MaxQueueSize: 3, QueueTimeout: 5 * time.Second, RetryAfter: 1500 * time.Microsecond,
		Active: 1, Queued: 2, Closed: true,
		Totals:    contract.Totals{Admitted: 1, Queued: 2, Rejected: 3, Cancelled: 4, Closed: 5},
		QueueWait: contract.QueueWait{Count: 6, Total: 70 * time.Millisecond, Max: 8 * time.Millisecond},
	}
	require.JSONEq(t, `{"concurrency":2,"maxQueueSize":3,"queueTimeoutMs":5000,"retryAfterMs":1.5,
		"active":1,"queued":2,"closed":true,
		"totals":{"admitted":1,"queued":2,"rejected":3,"cancelled":4,"closed":5},
		"queueWaitMs":{"count":6,"total":70,"max":8}}`, s.String())
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.Equal(t, s.String(), string(text))
	require.Equal(t, "[concurrency=2 active=1 queued=2 closed=true "+
		"totals=[admitted=1 queued=2 rejected=3 cancelled=4 closed=5] "+
		"queueWait=[count=6 total=70ms max=8ms]]", s.LogValue().String())
}
