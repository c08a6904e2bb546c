package quickjs_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

// Elapsed time is charged as far as Budget.Rough allows, however long after that
// somebody looks, and is told as such whoever looked.
func TestElapsedTimeIsChargedOnlyByLeave(t *testing.T) {
	const rough = time.Millisecond
	rest := func() { time.Sleep(5 * rough) } // blocked: no processor time
	for _, tt := range []struct {
		name string
		all  bool // of the leave is taken
		work func(rt *quickjs.Runtime, c *quickjs.Context) error
	}{
		{"nobody looks", true, func(*quickjs.Runtime, *quickjs.Context) error { rest(); return nil }},
		{"the guest looks late", true, func(_ *quickjs.Runtime, c *quickjs.Context) error {
			rest()
			return run(c, "for (let i = 0; i < 2e4; i++);")()
		}},
		{"the host looks late", true, func(rt *quickjs.Runtime, _ *quickjs.Context) error { rest(); return rt.Expired(time.Now()) }},
		{"the host looks early", false, func(rt *quickjs.Runtime, _ *quickjs.Context) error { err := rt.Expired(time.Now()); rest(); return err }},
		{"short", false, func(*quickjs.Runtime, *quickjs.Context) error { return nil }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			spent, err := rt.Do(quickjs.Budget{Limited: true, CPU: time.Minute, Rough: rough}, func() error { return tt.work(rt, c) })
			require.NoError(t, err)
			require.LessOrEqual(t, spent.Rough, rough)
			require.LessOrEqual(t, spent.Rough, spent.CPU)
			if tt.all {
				require.Equal(t, rough, spent.Rough)
			}
		})
	}
}

// A budget beyond all reckoning is one that is never spent.
func TestTheLargestBudget(t *testing.T) {
	const most = time.Duration(math.MaxInt64)
	for _, b := range []quickjs.Budget{
		{Limited: true, CPU: most}, {Limited: true, CPU: most, Rough: most}, {Limited: true, CPU: time.Minute, Rough: most},
	} {
		rt, c := ready(t, quickjs.Limits{})
		spent, err := rt.Do(b, run(c, "for (let i = 0; i < 1e5; i++);"))
		require.NoError(t, err)
		require.Less(t, spent.CPU, time.Minute)
	}
}

// Many entries that share one leave are charged it once.
func TestElapsedTimeIsChargedOnce(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere a thread has no clock, and all time is elapsed time")
	}
	const leave, rest, turns = 5 * time.Millisecond, 10 * time.Millisecond, 12
	rt, _ := ready(t, quickjs.Limits{})
	var cpu, rough time.Duration
	for range turns {
		spent, err := rt.Do(quickjs.Budget{Limited: true, CPU: time.Minute, Rough: leave - rough}, func() error {
			time.Sleep(rest)
			return nil
		})
		require.NoError(t, err)
		cpu += spent.CPU
		rough += spent.Rough
	}
	require.Equal(t, leave, rough)
	require.Less(t, cpu, turns*leave, "twelve times the leave would be too much")
}
