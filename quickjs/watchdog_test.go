package quickjs_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

func TestTheWatchdogNeverFiresOutside(t *testing.T) {
	rounds := 2_000
	if full() {
		rounds = 50_000
	}
	rt, c := ready(t, quickjs.Limits{})
	code, err := c.Compile("for (var i = 0, n = 0; i < 300; i++) n += i; n", quickjs.EvalOptions{})
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	stopped := 0
	for i := range rounds {
		// Deadlines from long passed to just ahead, so that they pass while the
		// door is opened, while work goes on, while it is closed, and after that.
		b := quickjs.Budget{Wall: time.Now().Add(time.Duration(i%400) * time.Microsecond)}
		if i%3 == 0 {
			b = quickjs.Budget{Limited: true, CPU: time.Duration(i%400+1) * time.Microsecond}
		}
		got := int64(-1)
		_, err := rt.Do(b, func() error {
			v, err := c.Run(code)
			if err == nil {
				got, _ = v.Int64()
			}
			return err
		})
		if err == nil {
			require.Equal(t, int64(44850), got)
		} else {
			stopped++
			require.Equal(t, int64(-1), got, "a stopped run has no result")
		}
		// Outside: this touches the arena without any protection.
		require.NotZero(t, rt.Memory().Used)
		require.NoError(t, rt.Rewind())
	}
	t.Logf("%d of %d were stopped", stopped, rounds)
	require.NotZero(t, stopped)
	require.Zero(t, rt.Stats().Faults)
}

func TestRevokingAroundTheEnd(t *testing.T) {
	rounds := 120
	if full() {
		rounds = 10_000
	}
	rt, c := ready(t, quickjs.Limits{})
	code, err := c.Compile("new Array(4e4).includes(5)", quickjs.EvalOptions{}) // never polls
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	work := func() error {
		v, err := c.Run(code)
		if err == nil {
			require.Equal(t, c.Bool(false), v)
		}
		return err
	}
	took := time.Hour
	for range 10 {
		start := time.Now()
		require.NoError(t, work())
		took = min(took, time.Since(start))
	}
	var complete, stopped, late int
	for i := range rounds {
		require.NoError(t, rt.Rewind())
		kills := rt.Stats().Kills
		// From well before the end, in case the machine was slower until now, to just past it.
		at := time.Now().Add(took*3/10 - time.Millisecond + time.Duration(i%40)*took*2/100)
		_, err := rt.Do(quickjs.Budget{Wall: at}, work)
		switch revoked := rt.Stats().Kills > kills; {
		case err != nil:
			require.ErrorIs(t, err, quickjs.ErrWall)
			stopped++
		case revoked:
			_, err := c.Run(code)
			require.ErrorIs(t, err, quickjs.ErrLeft)
			require.ErrorIs(t, err, quickjs.ErrWall)
			late++
		default:
			require.NoError(t, work())
			complete++
		}
		require.NotZero(t, rt.Memory().Used)
	}
	t.Logf("work of %v: %d complete, %d stopped, %d complete and revoked", took, complete, stopped, late)
	require.NotZero(t, stopped)
	require.Zero(t, rt.Stats().Faults)
}

func TestAnOldDeadlineDoesNotStopALaterRun(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	_, err := rt.Do(quickjs.Budget{Wall: time.Now().Add(50 * time.Millisecond)}, run(c, "1"))
	require.NoError(t, err)
	_, err = rt.Do(quickjs.Budget{}, run(c, "for (const end = Date.now() + 70; Date.now() < end;);"))
	require.NoError(t, err)
}

func TestOvershoot(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	for _, src := range []string{"for (;;);", slow} {
		start := time.Now()
		spent, err := rt.Do(quickjs.Budget{Wall: start.Add(30 * time.Millisecond)}, run(c, src))
		over := time.Since(start) - 30*time.Millisecond
		require.ErrorIs(t, err, quickjs.ErrWall)
		require.Positive(t, spent.Over)
		require.LessOrEqual(t, spent.Over, over)
		require.NoError(t, rt.Rewind())

		spent, err = rt.Do(quickjs.Budget{Limited: true, CPU: 30 * time.Millisecond}, run(c, src))
		require.ErrorIs(t, err, quickjs.ErrCPU)
		require.Equal(t, spent.CPU-30*time.Millisecond, spent.Over)
		require.NoError(t, rt.Rewind())
	}
}

// A guest that is to be stopped is stopped when Kill returns, even if somebody
// else has asked for it first and has not come to it.
func TestKillWhileAnotherIsUnderWay(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	first := errors.New("the first cause")
	reached := false
	_, err := rt.Do(quickjs.Budget{}, func() error {
		for name, f := range map[string]func(){
			"stop":  func() { rt.AskToStop(first); rt.Kill(errors.New("the second")) },
			"after": func() { reached = true },
		} {
			v, err := c.Function(name, 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
				f()
				return quickjs.Value{}, nil
			})
			require.NoError(t, err)
			require.NoError(t, c.Global().Define(name, v, quickjs.Ordinary))
		}
		_, err := c.Eval("stop(); after()", quickjs.EvalOptions{})
		return err
	})
	require.ErrorIs(t, err, first)
	require.False(t, reached)
}
