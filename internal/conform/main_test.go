package conform_test

import (
	"os"
	"testing"

	"github.com/guestjs/guestjs/executor"
)

// TestMain lets this binary be the child of a process executor.
func TestMain(m *testing.M) {
	executor.ChildMain()
	os.Exit(m.Run())
}
