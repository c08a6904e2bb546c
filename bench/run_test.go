package bench_test

import (
	"os"
	"testing"

	"github.com/guestjs/guestjs/bench/internal/engine"
	"github.com/guestjs/guestjs/executor"
)

// TestMain lets this binary be the child of an executor.
func TestMain(m *testing.M) {
	executor.ChildMain()
	os.Exit(m.Run())
}

// A fresh, isolated run: of 1 + 2, and of fifty lines with three host calls.
func BenchmarkRun(b *testing.B) {
	engine.RunsOf(b, "engine=guestjs/via=sandbox", engine.Guestjs().Isolated)
	engine.RunsOf(b, "engine=guestjs/via=executor", engine.Executed(executor.InProcess))
	engine.RunsOf(b, "engine=guestjs/via=child", engine.Executed(executor.Process))
	engine.Runs(b, engine.Modernc())
}
