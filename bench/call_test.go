package bench_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench/internal/engine"
)

// Awaited host calls with 1, 20 and 200 in flight. Look at ns/call.
func BenchmarkCall(b *testing.B) { engine.Calls(b, engine.All()...) }
