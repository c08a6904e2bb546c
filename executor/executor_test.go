package executor_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
	"github.com/guestjs/guestjs/executor"
)

func TestContract(t *testing.T) {
	contracttest.Run(t, func(tb testing.TB) contract.Executor {
		e, err := executor.New(executor.Options{Concurrency: 2})
		require.NoError(tb, err)
		tb.Cleanup(func() { require.NoError(tb, e.Close(context.Background())) })
		return e
	})
}
