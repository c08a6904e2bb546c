//go:build linux

package executor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
	"github.com/guestjs/guestjs/executor"
)

func TestContractOfProcess(t *testing.T) {
	contracttest.Run(t, func(tb testing.TB) contract.Executor {
		e, err := executor.New(executor.Options{Isolation: executor.Process, Concurrency: 2})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, e.Close(context.Background())) })
		return e
	})
}

func TestProcessSnapshotNotesAStepThatWasNotTaken(t *testing.T) {
	notes := func(skip ...string) []string {
		e, err := executor.New(executor.Options{Isolation: executor.Process, SkipHardening: skip})
		require.NoError(t, err)
		_, err = e.Execute(context.Background(), contract.Program{Source: "1"})
		require.NoError(t, err)
		defer func() { require.NoError(t, e.Close(context.Background())) }()
		return e.Snapshot().Notes
	}
	require.Len(t, notes("seccomp"), len(notes())+1) // a kernel may lack others
}
