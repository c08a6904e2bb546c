package contract_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func TestInterruptErrorTexts(t *testing.T) {
	cause := errors.New("bad pointer")
	tests := []struct {
		e    contract.InterruptError
		want string
	}{
		{contract.InterruptError{Interrupt: contract.InterruptMemory, Budget: 64 << 20}, "Execution exceeded the 67108864-byte guest memory limit."},
		{contract.InterruptError{Interrupt: contract.InterruptCPU, Budget: int64(250 * time.Millisecond)}, "Execution exceeded the 250ms guest CPU budget."},
		{contract.InterruptError{Interrupt: contract.InterruptWall, Budget: int64(30 * time.Second), Elapsed: 31 * time.Second}, "Execution timed out after 30000ms."},
		{contract.InterruptError{Interrupt: contract.InterruptCanceled, Cause: context.Canceled}, "Execution was cancelled."},
		{contract.InterruptError{Interrupt: contract.InterruptClosed, Cause: contract.ErrClosed}, "Executor is shutting down."},
		{contract.InterruptError{Interrupt: contract.InterruptClosed, Cause: contract.ErrReleased}, "Executor lease was released during execution."},
		{contract.InterruptError{Interrupt: contract.InterruptFault}, "Execution ended by an engine fault."},
		{contract.InterruptError{Interrupt: contract.InterruptFault, Cause: cause}, "Execution ended by an engine fault: bad pointer"},
	}
	for _, test := range tests {
		t.Run(test.e.Interrupt.String(), func(t *testing.T) {
			require.EqualError(t, &test.e, test.want)
			err := fmt.Errorf("run 7: %w", &test.e)
			require.ErrorIs(t, err, test.e.Interrupt)
			for other := contract.InterruptMemory; other <= contract.InterruptFault; other++ {
				require.Equal(t, other == test.e.Interrupt, errors.Is(err, other), "is it %s?", other.String())
			}
			var i contract.Interrupt
			require.ErrorAs(t, err, &i)
			require.Equal(t, test.e.Interrupt, i)
			if test.e.Cause != nil {
				require.ErrorIs(t, err, test.e.Cause)
			}
		})
	}
}

func TestInterruptNames(t *testing.T) {
	require.Equal(t, "none", contract.InterruptNone.String())
	require.Equal(t, "fault", contract.InterruptFault.String())
	require.Equal(t, "interrupt(99)", contract.Interrupt(99).String())
	require.EqualError(t, contract.InterruptCPU, "contract: interrupted: cpu")
}

func TestGuestErrorReachesTheHostsError(t *testing.T) {
	failure := &contract.Failure{Code: "no_access", Message: "Not yours."}
	host := fmt.Errorf("tools.read: %w", failure)
	err := error(&contract.GuestError{Name: "Error", Message: "edited", Host: host})
	require.EqualError(t, err, "edited")
	require.ErrorIs(t, err, host)
	var f *contract.Failure
	require.ErrorAs(t, err, &f)
	require.Same(t, failure, f)
	require.NoError(t, errors.Unwrap(&contract.GuestError{Message: "the guest's own"}))
}

func TestRefusedError(t *testing.T) {
	cause := errors.New("user hung up")
	err := fmt.Errorf("run: %w", &contract.RefusedError{Code: contract.CodeCancelled, Message: "Execution was cancelled.", Cause: cause})
	require.EqualError(t, err, "run: Execution was cancelled.")
	require.ErrorIs(t, err, cause)
	require.NotErrorIs(t, err, contract.ErrClosed)
	require.NotErrorIs(t, err, contract.ErrOverloaded)
}

func TestLeaseErrors(t *testing.T) {
	require.EqualError(t, contract.ErrLeaseUsed, "Executor lease may execute only once.")
	require.ErrorIs(t, contract.ErrLeaseUsed, contract.ErrInvalid)
	require.NotErrorIs(t, contract.ErrReleased, contract.ErrInvalid)
}

func TestResultErrorTexts(t *testing.T) {
	require.EqualError(t, &contract.ResultError{Reason: "a cycle"}, "result is not JSON-serializable: a cycle")
	require.EqualError(t, &contract.ResultError{Reason: "a cycle", Path: ".rows[3].self"}, "result is not JSON-serializable: a cycle at .rows[3].self")
}

func TestReplyError(t *testing.T) {
	reason := errors.New("unsupported type: chan int")
	err := &contract.ReplyError{Reason: reason}
	require.ErrorIs(t, err, reason)
	require.EqualError(t, err, "contract: host result could not be serialized: unsupported type: chan int")
}
