package quickjs

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSmoke(t *testing.T) {
	rt, err := NewRuntime(Limits{})
	require.NoError(t, err)
	c, err := rt.NewContext(ContextOptions{})
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	for range 3 {
		require.NoError(t, rt.Rewind())
		v, err := c.Eval("[1,2,3].map(x => x+1).join() + '\\u00e9😀'", EvalOptions{})
		require.NoError(t, err)
		s, ok := v.Text()
		require.True(t, ok)
		require.Equal(t, "2,3,4é😀", s)
		_, err = c.Eval("null.x", EvalOptions{})
		require.ErrorContains(t, err, "TypeError")
	}
	require.NoError(t, rt.Close())
}

func BenchmarkRewindEval(b *testing.B) {
	rt, err := NewRuntime(Limits{})
	require.NoError(b, err)
	c, err := rt.NewContext(ContextOptions{})
	require.NoError(b, err)
	require.NoError(b, rt.Checkpoint())
	b.Log(len(rt.arena.image))
	b.ReportAllocs()
	for b.Loop() {
		rt.Rewind()
		rt.Do(Budget{Limited: true, CPU: 250 * time.Millisecond}, func() error {
			c.Eval("1 + 2", EvalOptions{})
			return nil
		})
	}
}
