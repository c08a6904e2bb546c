package quickjs_test

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

//go:embed testdata/features.js
var features string

// useEverything runs the program of features.js as a host would: with Go
// functions, a deferred promise, jobs, and the result read out as JSON. A second
// part uses each operation of the binding once.
func useEverything(c *quickjs.Context) (result []byte, err error) {
	rt := c.Runtime()
	check := func(e error) {
		if err == nil {
			err = e
		}
	}
	must := func(v quickjs.Value, e error) quickjs.Value {
		check(e)
		if e != nil {
			return c.Undefined()
		}
		return v
	}
	host := must(c.Object())
	var later quickjs.Deferred
	for name, f := range map[string]quickjs.Func{
		"add": func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
			a, _ := args[0].Float()
			b, _ := args[1].Float()
			return c.Number(a + b), nil
		},
		"call": func(c *quickjs.Context, this quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
			return args[0].Call(this, args[1])
		},
		"fail": func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
			s, _ := args[0].Text()
			return quickjs.Value{}, errors.New(s)
		},
		"later": func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
			d, err := c.Deferred()
			later = d
			return d.Promise.Dup(), err
		},
	} {
		fn := must(c.Function(name, 1, f))
		check(host.Define(name, fn, quickjs.Ordinary))
		fn.Free()
	}
	check(host.Freeze())
	global := c.Global()
	check(global.Define("host", host, quickjs.Configurable))
	host.Free()
	rt.SetModuleLoader(func(name string) (string, error) { return "export default " + strconv.Quote(name), nil })

	promise := must(c.Eval(features, quickjs.EvalOptions{Name: "features.js"}))
	_, e := rt.RunJobs(0)
	check(e)
	if err != nil {
		return nil, err
	}
	text := must(c.String("later é😀"))
	check(later.Resolve(text))
	later.Free()
	text.Free()
	_, e = rt.RunJobs(0)
	check(e)
	if promise.PromiseState() != quickjs.Fulfilled {
		r := promise.PromiseResult()
		s, _ := r.ToText()
		return nil, fmt.Errorf("the program did not end: %s", s)
	}
	value := promise.PromiseResult()
	result, _, e = value.JSON(1 << 20)
	check(e)
	value.Free()
	promise.Free()

	mod := must(c.Compile("import x from 'm'; export const y = x + 1; await null", quickjs.EvalOptions{Module: true, Name: "main"}))
	done := must(c.Run(mod))
	_, e = rt.RunJobs(0)
	check(e)
	ns := must(mod.Namespace())
	y := must(ns.Get("y"))
	if s, _ := y.Text(); s != "m1" {
		check(fmt.Errorf("module: %q", s))
	}
	for _, v := range []quickjs.Value{mod, done, ns, y} {
		v.Free()
	}

	code := must(c.Compile("[1, 'stack', /x/g, 10n].length", quickjs.EvalOptions{}))
	data, e := code.Context().WriteCode(code)
	check(e)
	code.Free()
	code = must(c.ReadCode(data))
	four := must(c.Run(code))
	if n, _ := four.Int64(); n != 4 {
		check(fmt.Errorf("code: %d", n))
	}
	code.Free()
	four.Free()
	n := new(big.Int).Lsh(big.NewInt(-5), 100)
	b := must(c.BigInt(n))
	if m, _ := b.BigInt(); m == nil || m.Cmp(n) != 0 {
		check(fmt.Errorf("BigInt: %v", m))
	}
	b.Free()
	buf := must(c.Uint8Array(make([]byte, 5000)))
	check(buf.WithBytes(func(p []byte) { p[4999] = 1 }))
	_, e = buf.Bytes()
	check(e)
	three := c.Int(3)
	arr := must(c.Array(buf, global, three))
	buf.Free()
	three.Free()
	_, e = arr.OwnKeys(true)
	check(e)
	length, _, e := arr.OwnProperty("length")
	check(e)
	length.Free()
	arr.Free()
	parsed := must(c.ParseJSON([]byte(`{"a":[1,2,"` + strings.Repeat("x", 3000) + `"]}`)))
	check(parsed.Set("b", parsed))
	_, _, e = parsed.JSON(1 << 20)
	var ex *quickjs.Exception
	if !errors.As(e, &ex) || ex.Name != "TypeError" {
		check(fmt.Errorf("circular: %v", e))
	} else {
		ex.Free()
	}
	parsed.Free()
	failure := must(c.Error("made by the host"))
	_ = failure.Backtrace(100)
	failure.Free()
	global.Free()
	check(rt.GC())
	return result, err
}

// expectation runs everything once, unstopped, and says how much there is to
// stop.
func expectation(t testing.TB, rt *quickjs.Runtime, c *quickjs.Context) (want string, allocations, polls uint64) {
	t.Helper()
	require.NoError(t, rt.Rewind())
	before := rt.Handles()
	got, err := useEverything(c)
	require.NoError(t, err)
	require.True(t, json.Valid(got))
	require.Equal(t, before, rt.Handles())
	return string(got), rt.Memory().Allocations, rt.Polls()
}

// nextRun shows that a Runtime that was stopped is as good as new.
func nextRun(t testing.TB, rt *quickjs.Runtime, c *quickjs.Context) {
	t.Helper()
	require.NoError(t, rt.Rewind())
	v, err := c.Eval("globalThis.left = 1; [1,2,3].map(x => x + 1).join()", quickjs.EvalOptions{})
	require.NoError(t, err)
	s, _ := v.Text()
	require.Equal(t, "2,3,4", s)
}

// places returns the numbers from 1 to n, or some of them, evenly spread.
func places(n uint64, some int) (list []uint64) {
	step := uint64(1)
	if !full() {
		step = max(n/uint64(some), 1)
	}
	for i := uint64(1); i <= n; i += step {
		list = append(list, i)
	}
	return append(list, n)
}

func TestStopAtEveryAllocation(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	want, allocations, _ := expectation(t, rt, c)
	require.Greater(t, allocations, uint64(500))
	t.Logf("%d allocations", allocations)
	for _, n := range places(allocations, 300) {
		rt.StopAtAllocation(n)
		require.NoError(t, rt.Rewind())
		_, err := rt.Do(quickjs.Budget{}, func() error {
			_, err := useEverything(c)
			return err
		})
		require.ErrorIs(t, err, quickjs.ErrOutOfMemory, "allocation %d", n)
		rt.StopAtAllocation(0)
		if n%16 == 0 {
			nextRun(t, rt, c)
		}
	}
	got, _, _ := expectation(t, rt, c)
	require.Equal(t, want, got)
	require.Zero(t, rt.Stats().Faults)
}

// Setting up, too, is stopped at every allocation, and leaves nothing.
func TestStopAtEveryAllocationOfSetUp(t *testing.T) {
	registered, mappings := quickjs.Registered(), mappings(t)
	end := false
	for n := uint64(1); !end; n++ {
		rt, err := quickjs.NewRuntimeStopped(quickjs.Limits{}, n)
		if err != nil {
			require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
			continue
		}
		_, err = rt.NewContext(quickjs.ContextOptions{})
		if end = err == nil; !end {
			require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
		}
		require.NoError(t, rt.Close())
		if end {
			t.Logf("%d allocations", n-1)
		}
	}
	require.Equal(t, registered, quickjs.Registered())
	requireMappings(t, mappings)
}

func TestStopAtEveryPoll(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	want, _, polls := expectation(t, rt, c)
	require.NotZero(t, polls)
	for n := uint64(1); n <= polls; n++ {
		rt.StopAtPoll(n)
		require.NoError(t, rt.Rewind())
		_, err := rt.Do(quickjs.Budget{}, func() error {
			_, err := useEverything(c)
			return err
		})
		require.ErrorIs(t, err, quickjs.ErrTestPoll, "poll %d of %d", n, polls)
		rt.StopAtPoll(0)
		nextRun(t, rt, c)
	}
	got, _, _ := expectation(t, rt, c)
	require.Equal(t, want, got)
}

// Some runtimes at once are killed at moments that nothing foresees, while the
// collector works. A run either is stopped or has the whole result.
func TestKillAtRandomMoments(t *testing.T) {
	kills, workers := 40, 3
	if full() {
		kills = 1500
	}
	cause := errors.New("killed by the test")
	var stop atomic.Bool
	var background sync.WaitGroup
	background.Go(func() {
		var keep [][]byte
		for !stop.Load() {
			keep = append(keep[max(len(keep)-100, 0):], make([]byte, 10_000))
			runtime.Gosched()
		}
	})
	var interrupted, completed, byFault atomic.Int64
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			rt, err := quickjs.NewRuntime(quickjs.Limits{})
			if !assertNil(t, err) {
				return
			}
			defer func() { assertNil(t, rt.Close()) }()
			c, err := rt.NewContext(quickjs.ContextOptions{})
			if !assertNil(t, err) || !assertNil(t, rt.Checkpoint()) {
				return
			}
			start := time.Now()
			want, err := useEverything(c)
			took := time.Since(start)
			assertNil(t, err)
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for range kills {
				if !assertNil(t, rt.Rewind()) {
					return
				}
				timer := time.AfterFunc(time.Duration(r.Int64N(int64(took)*3/4)), func() { rt.Kill(cause) })
				var got []byte
				_, err := rt.Do(quickjs.Budget{}, func() (err error) {
					got, err = useEverything(c)
					return err
				})
				if !timer.Stop() {
					// It may be about to call; Rewind would lose a Kill after it.
					for rt.Killed() == nil {
						runtime.Gosched()
					}
				}
				var in *quickjs.InterruptError
				switch {
				case err == nil:
					completed.Add(1)
					if string(got) != string(want) {
						t.Errorf("a run that was not stopped has another result")
					}
				case errors.As(err, &in) && in.Cause == cause:
					interrupted.Add(1)
					if in.Killed {
						byFault.Add(1)
					}
				default:
					t.Errorf("worker %d: %v", w, err)
					return
				}
			}
			if n := rt.Stats().Faults; n != 0 {
				t.Errorf("%d faults", n)
			}
		})
	}
	all.Wait()
	stop.Store(true)
	background.Wait()
	t.Logf("%d interrupted, %d of them by revoking access, %d completed", interrupted.Load(), byFault.Load(), completed.Load())
	require.NotZero(t, byFault.Load())
}

// assertNil is require.NoError for other goroutines than the test's own.
func assertNil(t testing.TB, err error) bool {
	if err != nil {
		t.Errorf("%+v", err)
	}
	return err == nil
}

// mappings counts the process's memory mappings, where the system tells.
func mappings(t testing.TB) int {
	data, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	return strings.Count(string(data), "\n")
}

// requireMappings allows for a few that Go's own heap made meanwhile.
func requireMappings(t testing.TB, before int) {
	t.Helper()
	require.LessOrEqual(t, mappings(t), before+12)
}

// Runs of every kind, one after another on one Runtime, leave nothing: neither
// memory nor goroutines.
func TestMixedRunsLeaveNothing(t *testing.T) {
	rounds := 300
	if full() {
		rounds = 10_000
	}
	rt, c := ready(t, quickjs.Limits{Memory: 32 << 20})
	programs := []string{
		"1 + 1", "throw new Error('x')", "null.x", "}{", "new Promise(() => {})", "Promise.reject(1)",
		"for (;;);", "const a = []; for (;;) a.push({})", "new Uint8Array(20e6).fill(1); new Uint8Array(20e6)", slow,
		"(function f() { f() })()", "'x'.repeat(1e6) + 'y'", "for (let i = 0; i < 1e4; i++) { const o = {}; o.o = o }",
	}
	goroutines, before := 0, 0
	for i := range rounds {
		require.NoError(t, rt.Rewind())
		budget := quickjs.Budget{CPU: time.Millisecond, Limited: true}
		_, err := rt.Do(budget, func() error {
			_, err := c.Eval(programs[i%len(programs)], quickjs.EvalOptions{})
			if err == nil {
				_, err = rt.RunJobs(100)
			}
			return err
		})
		if i%len(programs) == 6 || i%len(programs) == 9 {
			require.ErrorIs(t, err, quickjs.ErrCPU)
		}
		if i == 100 {
			goroutines, before = runtime.NumGoroutine(), resident(t)
		}
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	room := 8 << 20 // much less than one arena, and there were hundreds of runs
	if raceEnabled {
		room = 32 << 20 // the detector's own memory comes and goes
	}
	require.LessOrEqual(t, resident(t), before+room)
	require.Zero(t, rt.Stats().Faults)
}

// resident is the process's memory in bytes, where the system tells.
func resident(t testing.TB) int {
	runtime.GC()
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, pages int
	_, err = fmt.Sscan(string(data), &size, &pages)
	require.NoError(t, err)
	return pages * os.Getpagesize()
}
