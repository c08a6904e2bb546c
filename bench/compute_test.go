package bench_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench/internal/engine"
)

// Programs that only compute.
func BenchmarkCompute(b *testing.B) { engine.Compute(b, engine.All()...) }
