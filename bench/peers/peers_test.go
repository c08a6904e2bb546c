package peers_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bench/internal/engine"
	"github.com/guestjs/guestjs/bench/peers"
	"github.com/stretchr/testify/require"
)

// engines are the ones measured side by side, ours and its first baseline too.
func engines() []engine.Engine {
	return append(engine.All(), peers.Goja(), peers.Sobek())
}

func BenchmarkRun(b *testing.B)     { engine.Runs(b, engines()...) }
func BenchmarkCall(b *testing.B)    { engine.Calls(b, engines()...) }
func BenchmarkJSON(b *testing.B)    { engine.JSON(b, bench.Sizes[1:2], engines()...) }
func BenchmarkCompute(b *testing.B) { engine.Compute(b, engines()...) }
func BenchmarkThrow(b *testing.B)   { engine.Throws(b, engines()...) }

// The adapters give right answers; benchmarks are not run with the tests.
func TestEngines(t *testing.T) {
	for _, e := range engines() {
		t.Run(e.Name(), func(t *testing.T) { require.NoError(t, engine.Verify(e)) })
	}
}
