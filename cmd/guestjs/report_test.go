package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func TestExitOf(t *testing.T) {
	stop := func(i contract.Interrupt) error {
		return fmt.Errorf("wrapped: %w", &contract.InterruptError{Interrupt: i})
	}
	cancelled := &contract.RefusedError{Code: contract.CodeCancelled, Message: "Execution was cancelled."}
	syntax := &contract.GuestError{Name: "SyntaxError"}
	for _, tt := range []struct {
		name string
		out  contract.Outcome
		err  error
		want int
	}{
		{"value", contract.Outcome{Value: []byte("1")}, nil, exitValue},
		{"no value", contract.Outcome{}, nil, exitValue},
		{"thrown", contract.Outcome{Err: &contract.GuestError{}}, nil, exitProgram},
		{"does not compile", contract.Outcome{Err: syntax}, syntax, exitProgram},
		{"no JSON form", contract.Outcome{Err: &contract.ResultError{}}, nil, exitProgram},
		{"stalled", contract.Outcome{Err: contract.ErrStalled}, nil, exitProgram},
		{"cpu", contract.Outcome{Err: stop(contract.InterruptCPU), Interrupt: contract.InterruptCPU}, nil, exitLimit},
		{"memory, said by the error alone", contract.Outcome{Err: stop(contract.InterruptMemory)}, nil, exitLimit},
		{"cancelled while it ran", contract.Outcome{Err: stop(contract.InterruptCanceled), Interrupt: contract.InterruptCanceled}, cancelled, exitLimit},
		{"cancelled before", contract.Outcome{}, cancelled, exitLimit},
		{"cancelled while it compiled", contract.Outcome{Err: cancelled}, cancelled, exitLimit},
		{"too large for a child", contract.Outcome{Err: errors.New("over the limit")}, nil, exitLimit},
		{"fault", contract.Outcome{Err: stop(contract.InterruptFault), Interrupt: contract.InterruptFault}, nil, exitOurs},
		{"closed by us", contract.Outcome{}, &contract.RefusedError{Code: contract.CodeClosed}, exitOurs},
		{"no child", contract.Outcome{}, errors.New("no such binary"), exitOurs},
		{"unknown to check", contract.Outcome{Err: errors.New("x")}, errors.New("x"), exitOurs},
	} {
		require.Equal(t, tt.want, exitOf(tt.out, tt.err), tt.name)
	}
}

func TestReportOfAFault(t *testing.T) {
	var stdout, stderr strings.Builder
	a := &app{stdout: &stdout, stderr: &stderr}
	out := contract.Outcome{Interrupt: contract.InterruptFault, Err: &contract.InterruptError{Interrupt: contract.InterruptFault, Cause: errors.New("engine fault")}}
	require.Equal(t, exitOurs, a.report(runFlags{}, contract.Program{Name: "p.js"}, out, nil))
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "guestjs: ended by a fault of the engine; ")
	for i := contract.InterruptMemory; i <= contract.InterruptFault; i++ {
		require.NotEmpty(t, endings[i], i.String())
	}
}

// What could not be run at all is the caller's to mend.
func TestReportOfWrongUse(t *testing.T) {
	var stdout, stderr strings.Builder
	a := &app{stdout: &stdout, stderr: &stderr}
	require.Equal(t, exitUsage, a.report(runFlags{}, contract.Program{}, contract.Outcome{}, fmt.Errorf("%w: the source is not UTF-8", contract.ErrInvalid)))
	require.Equal(t, exitOurs, a.report(runFlags{}, contract.Program{}, contract.Outcome{}, errors.New("no child")))
	require.Contains(t, stderr.String(), "guestjs: no child\n")
	require.Empty(t, stdout.String())
}
