package conform_test

import (
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/conform"
)

// The four rules of testdata/cases/README.md.
const (
	mostOvershoot   = 50 * time.Millisecond
	usualOvershoot  = 5 * time.Millisecond // of 99 in 100, with the full budget
	memoryLimit     = 64 << 20
	memoryAllowance = 96 << 20
	nextProgram     = "[1, 2, 3].map((x) => x + 1)"
)

// full reports whether the corpus runs with its full budget.
func full() bool {
	return os.Getenv("GUESTJS_HOSTILE") != "" || os.Getenv("GUESTJS_FULL") == "1"
}

func cpuBudget() time.Duration {
	if full() {
		return 250 * time.Millisecond
	}
	return 20 * time.Millisecond
}

func hostilePrograms(t *testing.T) []conform.HostileProgram {
	t.Helper()
	programs, err := conform.Hostile(directory("GUESTJS_HOSTILE", "testdata/cases/hostile"))
	require.NoError(t, err)
	return programs
}

// TestHostile runs every hostile program one after another on one default
// sandbox, in this process.
func TestHostile(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	c := newCorpus(t, 1)
	c.runAll(0, hostilePrograms(t))
	c.close()
	c.report("one sandbox")
}

// TestHostileAtOnce runs the corpus on four sandboxes at once, each in an order
// of its own.
func TestHostileAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	c := newCorpus(t, 4)
	programs := hostilePrograms(t)
	var wg sync.WaitGroup
	for i := range c.places {
		turned := slices.Concat(programs[i*len(programs)/4:], programs[:i*len(programs)/4])
		if !full() {
			turned = everyNth(turned, 8)
		}
		wg.Go(func() { c.runAll(i, turned) })
	}
	wg.Wait()
	c.close()
	c.report("four sandboxes")
}

// TestHostileUnderCollection runs a part of the corpus while another goroutine
// collects garbage without pause.
func TestHostileUnderCollection(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		var held [][]byte
		for {
			select {
			case <-stop:
				return
			default:
			}
			held = append(held[:len(held)%16], make([]byte, 1<<16))
			runtime.GC()
		}
	}()
	c := newCorpus(t, 1)
	c.paused = true
	programs := hostilePrograms(t)
	if !full() {
		programs = everyNth(programs, 8)
	}
	c.runAll(0, programs)
	close(stop)
	<-stopped
	c.close()
	c.report("under garbage collection")
}

// TestHostileOnOneThread runs a part of the corpus with GOMAXPROCS=1, where
// the timer that should end a guest shares the guest's thread.
func TestHostileOnOneThread(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	c := newCorpus(t, 1)
	programs := hostilePrograms(t)
	if !full() {
		programs = everyNth(programs, 8)
	}
	c.runAll(0, programs)
	c.close()
	c.report("GOMAXPROCS=1")
}

func everyNth(programs []conform.HostileProgram, n int) []conform.HostileProgram {
	var some []conform.HostileProgram
	for i := 0; i < len(programs); i += n {
		some = append(some, programs[i])
	}
	return some
}

// TestSandboxesLeaveNoMapping opens and closes sandboxes whose guest was killed
// half way: a region that stayed mapped would show in the size of the process.
func TestSandboxesLeaveNoMapping(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	const rounds = 40
	size := func() int64 { return statusField(t, "VmSize:") }
	var before int64
	for i := range rounds {
		if i == rounds/4 { // the runtime has made itself at home
			before = size()
		}
		place, err := newRunner(contract.Limits{Memory: memoryLimit})
		require.NoError(t, err)
		out, err := place.Run(t.Context(), contract.Program{
			Source: "new Array(1e9).includes(5)", Limits: contract.Limits{CPU: 5 * time.Millisecond},
		})
		require.NoError(t, err)
		require.ErrorIs(t, out.Err, contract.InterruptCPU)
		require.NoError(t, place.Close())
	}
	require.Less(t, (size()-before)>>20, int64(8*memoryLimit>>20), "MiB of address space, after 30 sandboxes of 64 MiB")
}
