//go:build !linux

package executor

import (
	"os"
	"time"
)

// ownBinary is the path of the file that runs.
func ownBinary() (string, error) { return os.Executable() }

// allowCPU does nothing: children have no limit of processor time here but the
// guest's own budget and the wall.
func allowCPU(int, time.Duration) error { return nil }
