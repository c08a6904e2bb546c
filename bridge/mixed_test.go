package bridge_test

import (
	"bytes"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// Ten thousand runs of every kind on one sandbox leave nothing behind: neither
// memory nor a goroutine. Plain go test does some hundreds; GUESTJS_FULL=1 does
// them all.
func TestMixedRuns(t *testing.T) {
	programs := []struct {
		source string
		limits contract.Limits
		stop   contract.Interrupt
	}{
		{source: "const a = []; for (let i = 0; i < 100; i++) a.push({ i, s: 'x'.repeat(i) }); return a"},
		{source: "await t.echo({ a: [1, 2, 3] })"},
		{source: "await t.now('x'.repeat(1e5)); 1"},
		{source: "throw new TypeError('x')"},
		{source: "await t.refuse()"},
		{source: "x y"},
		{source: "for (let i = 0; i < 50; i++) t.hang(i); Promise.reject(i); 1"},
		{source: "for (let i = 0; i < 100; i++) t.hang('x'.repeat(1e3)); throw 1"},
		{source: "await new Promise(() => {})"},
		{source: "console.log('x'.repeat(1e4)); new Promise(() => {}).then(() => 1); t.fail(); return 1"},
		{source: "await Promise.all(Array.from({ length: 20 }, (_, i) => t.echo(i)))"},
		{source: "export default await t.echo(1)"},
		{source: "globalThis.left = []; Object.prototype.x = 1; for (let i = 0; i < 1e3; i++) left.push(new Map([[i, Symbol(i)]])); 1"},
		{source: "function f() { f() } f()"},
		{source: "eval('1 + 1') + new Function('return 1')()"},
		{source: "for (;;);", limits: contract.Limits{CPU: time.Millisecond}, stop: contract.InterruptCPU},
		{source: "t.hang(); new Array(1e9).includes(5)", limits: contract.Limits{CPU: time.Millisecond}, stop: contract.InterruptCPU},
		{source: "await null; for (;;) await null", limits: contract.Limits{CPU: time.Millisecond}, stop: contract.InterruptCPU},
		{source: "await t.hang()", limits: contract.Limits{Wall: 2 * time.Millisecond}, stop: contract.InterruptWall},
		{source: "new ArrayBuffer(1e9)", stop: contract.InterruptMemory},
		{source: "t.hang(); 'x'.repeat(2e6) + 1", limits: contract.Limits{Memory: 1 << 20}, stop: contract.InterruptMemory},
	}
	runs := 600
	if os.Getenv("GUESTJS_FULL") != "" {
		runs = 10_000
	}
	box := newBoxWith(t, bridge.Options{MaxCalls: 8})
	leaks := goleak.IgnoreCurrent()
	stops := map[contract.Interrupt]int{}
	first := 0
	for n := range runs {
		p := programs[n%len(programs)]
		out, err := box.Run(t.Context(), contract.Program{Source: p.source, Providers: providers(), Limits: p.limits})
		require.NoError(t, err)
		if p.stop != contract.InterruptNone || out.Interrupt != contract.InterruptCPU { // a busy machine may use a budget up
			require.Equal(t, p.stop, out.Interrupt, p.source)
		}
		stops[out.Interrupt]++
		if n == 99 {
			first = resident(t)
		}
	}
	last := resident(t)
	s := box.Stats()
	t.Logf("%d runs, %v, %+v; resident after the first hundred %d KiB, at the end %d KiB", runs, stops, s, first>>10, last>>10)
	require.EqualValues(t, runs, s.Runs)
	require.Zero(t, s.Faults)
	require.EqualValues(t, stops[contract.InterruptMemory], s.MemoryStops)
	if first > 0 && !raceEnabled {
		require.Less(t, last-first, 8<<20)
	}
	goleak.VerifyNone(t, leaks)
}

// resident is the process's resident memory once the collector has given back
// what it can; zero where the system does not tell.
func resident(t *testing.T) int {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.Atoi(string(bytes.Fields(text)[1]))
	require.NoError(t, err)
	return pages * os.Getpagesize()
}
