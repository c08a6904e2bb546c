package conform_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// TestHostileInAProcess runs the corpus in a child process: the same rules, and
// this process does not notice.
func TestHostileInAProcess(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	e, err := executor.New(executor.Options{Isolation: executor.Process, Concurrency: 1})
	require.NoError(t, err)
	c := corpusOn(t, 32<<20, inProcess{e})
	c.elsewhere = true
	programs := hostilePrograms(t)
	if !full() {
		programs = everyNth(programs, 8)
	}
	c.runAll(0, programs)
	c.close()
	c.report("in a process")
}

// inProcess is an executor of one slot as a place to run in.
type inProcess struct{ *executor.Executor }

func (p inProcess) Run(ctx context.Context, program contract.Program) (contract.Outcome, error) {
	return p.Execute(ctx, program)
}

// Counters are the child's own business.
func (inProcess) Counters() counters { return counters{} }

func (p inProcess) Close() error { return p.Executor.Close(context.Background()) }
