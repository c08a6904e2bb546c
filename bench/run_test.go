package bench_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench/internal/engine"
)

// A fresh, isolated run: of 1 + 2, and of fifty lines with three host calls.
func BenchmarkRun(b *testing.B) {
	engine.RunsOf(b, "engine=guestjs/via=sandbox", engine.Guestjs().Isolated)
	engine.Runs(b, engine.Modernc())
}
