package bench_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bench/internal/engine"
)

// JSON out of the guest and into it.
func BenchmarkJSON(b *testing.B) { engine.JSON(b, bench.Sizes, engine.Modernc()) }
