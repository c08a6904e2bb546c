package quickjs_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

func BenchmarkRewind(b *testing.B) {
	rt, c := ready(b, quickjs.Limits{})
	b.ReportMetric(float64(rt.Memory().Image), "image-B")
	b.Run("idle", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = rt.Rewind()
		}
	})
	b.Run("eval", func(b *testing.B) {
		require.NoError(b, rt.Rewind())
		require.Equal(b, "3", textOf(b, c, "1 + 2"))
		b.ReportAllocs()
		for b.Loop() {
			_ = rt.Rewind()
			_, _ = rt.Do(quickjs.Budget{Limited: true, CPU: 250 * time.Millisecond}, func() error {
				_, err := c.Eval("1 + 2", quickjs.EvalOptions{})
				return err
			})
		}
	})
	b.Run("run", func(b *testing.B) {
		require.NoError(b, rt.Rewind())
		code, err := c.Compile("1 + 2", quickjs.EvalOptions{})
		require.NoError(b, err)
		b.ReportAllocs()
		for b.Loop() {
			v, _ := c.Run(code)
			v.Free()
		}
	})
	b.Run("call", func(b *testing.B) {
		require.NoError(b, rt.Rewind())
		f, err := c.Function("f", 1, func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
			return args[0], nil
		})
		require.NoError(b, err)
		loop := mustEval(b, c, "(function (f, n) { for (let i = 0; i < n; i++) f(i) })")
		n := c.Int(1000)
		b.ReportAllocs()
		for b.Loop() {
			_, _ = loop.Call(c.Undefined(), f, n)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/hostcall")
	})
}

func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		rt, err := quickjs.NewRuntime(quickjs.Limits{})
		if err == nil {
			_, err = rt.NewContext(quickjs.ContextOptions{})
		}
		if err != nil {
			b.Fatal(err)
		}
		_ = rt.Close()
	}
}
