package executor_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

func TestBadOptions(t *testing.T) {
	for _, c := range []struct {
		o    executor.Options
		text string
	}{
		{executor.Options{Isolation: 7}, "Options.Isolation is 7; use InProcess or Process"},
		{executor.Options{Concurrency: -1}, "Concurrency must be a positive whole number."},
		{executor.Options{MaxQueueSize: -2}, "Options.MaxQueueSize is -2; use NoQueue to let nobody wait"},
		{executor.Options{QueueTimeout: -1}, "QueueTimeout must be a positive whole number."},
		{executor.Options{RetryAfter: -1}, "RetryAfter must be a non-negative whole number."},
		{executor.Options{MaxLease: -1}, "Options.MaxLease is -1ns; use zero for no limit, or at most 2,147,483,647 milliseconds"},
		{executor.Options{MaxLease: 1000 * time.Hour}, "Options.MaxLease is 1000h0m0s; use zero for no limit, or at most 2,147,483,647 milliseconds"},
		{executor.Options{MaxCalls: -1}, "Options.MaxCalls is negative; zero means 64"},
		{executor.Options{MaxCalls: 1 << 20}, "Options.MaxCalls is 1048576; at most 65536 are possible"},
		{executor.Options{Limits: contract.Limits{CPU: -1}}, "CPU"},
		{executor.Options{ChildPath: "/bin/guestjs"}, "Options.ChildPath is set without Isolation: Process"},
		{executor.Options{SkipHardening: []string{"all"}}, "Options.SkipHardening is set without Isolation: Process"},
		{executor.Options{Isolation: executor.Process, SkipHardening: []string{"seccomp", "secomp"}},
			`Options.SkipHardening names "secomp"; use "all" or some of ["address-space" "file-size" "core" "cpu" "landlock" "open-files" "no-new-privs" "seccomp" "hardening"]`},
	} {
		e, err := executor.New(c.o)
		require.Nil(t, e, c.text)
		require.ErrorIs(t, err, contract.ErrInvalid)
		require.ErrorContains(t, err, c.text)
	}
}

func TestDefaults(t *testing.T) {
	e := newExecutor(t, executor.Options{})
	require.Equal(t, "guestjs", e.Name())
	require.Equal(t, contract.Snapshot{
		Concurrency: runtime.GOMAXPROCS(0), MaxQueueSize: 32, QueueTimeout: 5 * time.Second, RetryAfter: 5 * time.Second,
	}, e.Snapshot())
	require.NoError(t, contract.Check(e))
	lifecycle, ok := contract.LifecycleOf(e)
	require.True(t, ok)
	require.Equal(t, contract.Leased, lifecycle)

	e = newExecutor(t, executor.Options{
		Name: "  my «pool»\n", Concurrency: 3, MaxQueueSize: executor.NoQueue, QueueTimeout: time.Second, RetryAfter: admission.RetryAtOnce,
	})
	require.Equal(t, "my pool", e.Name())
	require.Equal(t, contract.Snapshot{Concurrency: 3, QueueTimeout: time.Second}, e.Snapshot())
}

func TestOptionsReachThePrograms(t *testing.T) {
	isolations(t, func(t *testing.T, o executor.Options) {
		o.Limits, o.NoEval = contract.Limits{CPU: 100 * time.Millisecond}, true
		e := newExecutor(t, o)
		out, err := e.Execute(t.Context(), contract.Program{Source: "for (;;);"})
		require.NoError(t, err)
		require.EqualError(t, out.Err, "Execution exceeded the 100ms guest CPU budget.")
		require.Equal(t, `"undefined"`, run(t, e, "try { return eval('1') } catch { return typeof undefined }"))
		_, err = e.Execute(t.Context(), contract.Program{Source: "1", Limits: contract.Limits{Memory: 1 << 40}})
		require.ErrorIs(t, err, contract.ErrInvalid)
	})
}

func TestLimitsThatLeaveRoomForLittle(t *testing.T) {
	for name, limits := range map[string]contract.Limits{
		"memory":     {Memory: 1 << 20},
		"stack":      {Stack: 64 << 10},
		"source":     {Source: 1},
		"host calls": {HostCalls: 1},
	} {
		t.Run(name, func(t *testing.T) {
			isolations(t, func(t *testing.T, o executor.Options) {
				o.Limits = limits
				require.Equal(t, "7", run(t, newExecutor(t, o), "7"))
			})
		})
	}
}
