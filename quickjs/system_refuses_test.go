package quickjs_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/fault"
	"github.com/guestjs/guestjs/quickjs"
)

var errRefused = errors.New("refused by the test")

// refusing makes the first times things at a point fail, and counts all of them.
// The system is itself again at the end of the test, or when restore is called.
func refusing(t *testing.T, point string, times int64) (asked *atomic.Int64, restore func()) {
	t.Helper()
	asked = new(atomic.Int64)
	restore = fault.Set(func(p string) error {
		if p == point && asked.Add(1) <= times {
			return errRefused
		}
		return nil
	})
	t.Cleanup(restore)
	return asked, restore
}

const always = 1 << 62

func TestNoArenaIsToBeHad(t *testing.T) {
	registered, mapped := quickjs.Registered(), mappings(t)
	for _, point := range []string{fault.Map, fault.Open} {
		t.Run(point, func(t *testing.T) {
			asked, _ := refusing(t, point, always)
			for range 50 {
				rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 1 << 20})
				require.Nil(t, rt)
				require.ErrorIs(t, err, errRefused)
				require.ErrorContains(t, err, "an arena of 1048576 bytes")
			}
			require.Equal(t, int64(50), asked.Load())
		})
	}
	require.Equal(t, registered, quickjs.Registered())
	requireMappings(t, mapped)
}

func TestARefusedRevokeIsTriedAgain(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	asked, _ := refusing(t, fault.Revoke, 3)
	_, err := rt.Do(quickjs.Budget{Wall: time.Now().Add(5 * time.Millisecond)}, run(c, slow))
	var in *quickjs.InterruptError
	require.ErrorAs(t, err, &in)
	require.True(t, in.Killed)
	require.Equal(t, quickjs.ErrWall, in.Cause)
	require.Equal(t, int64(4), asked.Load())
	nextRun(t, rt, c)
}

// A guest that polls ends at its limit without the system's help.
func TestAPollEndsARunThatCannotBeRevoked(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	refusing(t, fault.Revoke, always)
	_, err := rt.Do(quickjs.Budget{Wall: time.Now().Add(5 * time.Millisecond)}, run(c, "for (;;);"))
	require.ErrorIs(t, err, quickjs.ErrWall)
	require.Zero(t, rt.Stats().Kills)
	nextRun(t, rt, c)
}

// requireLost shows that a Runtime has no use but to be closed, says why each
// time, and gives everything back.
func requireLost(t *testing.T, rt *quickjs.Runtime, c *quickjs.Context, why string) {
	t.Helper()
	var broken *quickjs.FaultError
	for range 2 {
		require.ErrorAs(t, rt.Rewind(), &broken)
		require.Equal(t, why, broken.Reason)
		_, err := rt.Do(quickjs.Budget{}, func() error { t.Error("ran"); return nil })
		require.ErrorIs(t, err, quickjs.ErrLeft)
		require.ErrorAs(t, err, &broken)
		require.Equal(t, quickjs.ErrLeft.Error()+" (quickjs: engine fault: "+why+")", err.Error())
		_, err = c.Eval("1", quickjs.EvalOptions{})
		require.ErrorAs(t, err, &broken)
		require.NoError(t, rt.Trim())
		require.Zero(t, rt.Memory())
		require.False(t, rt.JobPending())
		rt.SetMemoryLimit(1 << 20)
		c.SeedRandom(1)
	}
	require.Equal(t, uint64(1), rt.Stats().Faults)
	require.NoError(t, rt.Close())
	require.ErrorIs(t, rt.Rewind(), quickjs.ErrClosed)
	require.ErrorIs(t, rt.Trim(), quickjs.ErrClosed)
}

func TestAnArenaThatStaysClosed(t *testing.T) {
	registered, mapped := quickjs.Registered(), mappings(t)
	cause := errors.New("cancelled")
	for _, tt := range []struct {
		name  string
		after func(c *quickjs.Context) error
	}{
		{"stopped", func(c *quickjs.Context) error { return run(c, "1")() }},
		{"complete", func(*quickjs.Context) error { return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			kept := mustEval(t, c, "({})")
			_, restore := refusing(t, fault.Open, 1)
			_, err := rt.Do(quickjs.Budget{}, func() error {
				rt.Kill(cause)
				return tt.after(c)
			})
			restore()
			var broken *quickjs.FaultError
			require.ErrorAs(t, err, &broken)
			const why = "the arena stays closed: refused by the test"
			require.EqualError(t, err, "quickjs: engine fault: "+why)
			kept.Free()
			require.False(t, kept.IsValid())
			requireLost(t, rt, c, why)
		})
	}
	require.Equal(t, registered, quickjs.Registered())
	requireMappings(t, mapped)
}

// An arena of which a rewind brought back a part must not run anything: what the
// engine finds in it does not fit together.
func TestNothingRunsInAHalfRewoundArena(t *testing.T) {
	for _, state := range []string{"at rest", "stopped"} {
		t.Run(state, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			mustEval(t, c, "globalThis.big = new Uint8Array(4e6).fill(7)")
			if state == "stopped" {
				require.ErrorIs(t, run(c, "new Uint8Array(1e9)")(), quickjs.ErrOutOfMemory)
			}
			_, restore := refusing(t, fault.Release, 1)
			const why = "the arena is half rewound: refused by the test"
			require.EqualError(t, rt.Rewind(), "quickjs: engine fault: "+why)
			restore()
			requireLost(t, rt, c, why)
		})
	}
}

func TestMemoryThatTheSystemDoesNotTakeBack(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	asked, restore := refusing(t, fault.Release, always)
	require.ErrorIs(t, rt.Trim(), errRefused)
	require.Equal(t, "2", textOf(t, c, "1 + 1"))
	before := asked.Load()
	require.Equal(t, "9000000", textOf(t, c, `
		let n = 0
		for (let i = 0; i < 3; i++) n += new Uint8Array(3e6).fill(1).length
		n`))
	require.NoError(t, rt.GC())
	require.Greater(t, asked.Load(), before, "large blocks that are freed are offered at once")
	restore()
	require.NoError(t, rt.Trim())
	nextRun(t, rt, c)
}

func TestAnArenaThatCannotBeUnmapped(t *testing.T) {
	registered := quickjs.Registered()
	rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 1 << 20})
	require.NoError(t, err)
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	v := mustEval(t, c, "({})")
	refusing(t, fault.Unmap, 1)
	require.EqualError(t, rt.Close(), "quickjs: unmapping an arena: refused by the test")
	require.NoError(t, rt.Close(), "it is closed all the same")
	require.Equal(t, registered, quickjs.Registered())
	require.False(t, v.IsValid())
	require.ErrorIs(t, run(c, "1")(), quickjs.ErrClosed)
}

// Memory reads the arena without going through an operation.
func TestMemoryIsAskedForAfterAKill(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	cause := errors.New("cancelled")
	_, err := rt.Do(quickjs.Budget{}, func() error {
		require.False(t, rt.Revoked())
		rt.Kill(cause)
		require.True(t, rt.Revoked())
		require.Equal(t, cause, rt.Expired(time.Now()))
		t.Errorf("the arena was read: %v", rt.Memory())
		return nil
	})
	var in *quickjs.InterruptError
	require.ErrorAs(t, err, &in)
	require.Equal(t, quickjs.InterruptError{Cause: cause, Killed: true}, *in)
	_, err = rt.Do(quickjs.Budget{}, func() error { return nil })
	require.ErrorIs(t, err, cause)
	require.True(t, strings.HasPrefix(err.Error(), quickjs.ErrLeft.Error()), err)
	nextRun(t, rt, c)
}

// What is above an image goes back to the system when it is taken; if the system
// does not take it, the earlier image stands.
func TestACheckpointThatTheSystemRefuses(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	mustEval(t, c, "globalThis.later = 1; new Uint8Array(900_000).fill(0xA7).length")
	require.NoError(t, rt.GC())
	_, restore := refusing(t, fault.Release, always)
	err := rt.Checkpoint()
	require.ErrorIs(t, err, errRefused)
	require.EqualError(t, err, "quickjs: giving back what is not part of an image: "+errRefused.Error())
	require.Equal(t, "1", textOf(t, c, "String(later)"), "the state is what it was")
	restore()
	require.NoError(t, rt.Rewind())
	require.Equal(t, "undefined", textOf(t, c, "typeof later"))
	require.NotContains(t, string(rt.Arena()), strings.Repeat("\xA7", 64))
	mustEval(t, c, "globalThis.later = 1; new Uint8Array(900_000).fill(0xA7).length")
	require.NoError(t, rt.Checkpoint())
	require.NotContains(t, string(rt.Arena()), strings.Repeat("\xA7", 64))
	require.NoError(t, rt.Rewind())
	require.Equal(t, "1", textOf(t, c, "String(later)"))
}
