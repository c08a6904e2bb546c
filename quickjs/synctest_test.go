package quickjs_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// Under a test's own clock, which starts before this process did, budgets hold
// as under the system's.
func TestBudgetsUnderATestsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rt := quickjstest.New(t, quickjs.Limits{})
		c, err := rt.NewContext(quickjs.ContextOptions{})
		require.NoError(t, err)
		b := quickjs.Budget{Wall: time.Now().Add(time.Second), CPU: time.Second, Limited: true, Rough: time.Second / 8}
		_, err = rt.Do(b, func() error {
			v, err := c.Eval("let n = 0; for (let i = 0; i < 1e5; i++) n += i; n", quickjs.EvalOptions{})
			v.Free()
			require.NoError(t, rt.Expired(time.Now()))
			time.Sleep(2 * time.Second)
			require.ErrorIs(t, rt.Expired(time.Now()), quickjs.ErrWall)
			return err
		})
		if err != nil {
			require.ErrorIs(t, err, quickjs.ErrWall) // the watchdog may have come first
		}
	})
}
