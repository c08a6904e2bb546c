//go:build linux

package executor_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// A child that is idle gives the memory of its last run back, filtered as it is.
func TestProcessIdleChildGivesItsMemoryBack(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector keeps memory of its own for all that was ever used")
	}
	s := newEngineSlots(t, executor.ProcessOptions{})
	resident := func() (kib int) {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Status()[0].Pid))
		require.NoError(t, err)
		_, after, _ := strings.Cut(string(status), "VmRSS:")
		_, err = fmt.Sscan(after, &kib)
		require.NoError(t, err)
		return kib
	}
	mustRun(t, s, program("1"))
	fresh := resident()
	p := program("'r'.repeat(16 << 20)")
	p.Limits.CPU = 10 * time.Second
	used := 0
	for range 5 { // where the machine stands still for a second the child is idle before we look
		out := mustRun(t, s, p)
		require.NoError(t, out.Err)
		if used = resident(); used > fresh+24<<10 {
			break
		}
	}
	require.Greater(t, used, fresh+24<<10)
	require.Eventually(t, func() bool { return resident() < fresh+12<<10 }, 20*time.Second, 20*time.Millisecond)
	require.Equal(t, "2", string(mustRun(t, s, contract.Program{Source: "1 + 1"}).Value))
}
