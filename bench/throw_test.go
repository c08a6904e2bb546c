package bench_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench/internal/engine"
)

// A program that throws, up to the described error.
func BenchmarkThrow(b *testing.B) { engine.Throws(b, engine.All()...) }
