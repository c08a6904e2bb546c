package fuzz_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// world is a sandbox and the host around it, used for every input of a target.
type world struct {
	sandbox *bridge.Sandbox
	hosts   crowd               // host functions that have not returned
	usual   [2]contract.Outcome // of the ordinary programs
	rounds  int

	mu      sync.Mutex
	refused []*contract.Failure // what host functions refused with in this run
	plain   []error
}

// crowd counts who is about. A sync.WaitGroup would not do: a host function whose
// run has ended before its goroutine got to run comes while others are waited for.
type crowd struct {
	mu   sync.Mutex
	n    int
	gone sync.Cond // nobody is
}

func (c *crowd) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n == 0 {
		c.gone.Broadcast()
	}
}

func (c *crowd) wait() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.n > 0 {
		c.gone.Wait()
	}
}

// limits keep an input cheap.
var limits = contract.Limits{
	Wall: 20 * time.Second, CPU: 300 * time.Millisecond, Memory: 24 << 20, Stack: 256 << 10, HostCalls: 400,
}

// plenty is for programs that take next to nothing, and are still to end by
// themselves on a machine that is busy with other things.
var plenty = contract.Limits{CPU: 5 * time.Second}

func newWorld(f testing.TB, o bridge.Options) *world {
	w := &world{}
	w.hosts.gone.L = &w.hosts.mu
	w.open(f, o)
	f.Cleanup(func() {
		require.NoError(f, w.sandbox.Close())
		w.hosts.wait()
	})
	return w
}

func (w *world) open(t testing.TB, o bridge.Options) {
	if o.Limits == (contract.Limits{}) {
		o.Limits = limits
	}
	s, err := bridge.NewSandbox(o)
	require.NoError(t, err)
	w.sandbox = s
	for i := range ordinary {
		w.usual[i] = w.ordinary(t, i)
		require.NoError(t, w.usual[i].Err)
	}
}

// ordinary are programs that fail, or say something else, if anything is left of
// the run before. The second goes through all that can be reached from the
// global object, which takes its time.
var ordinary = [2]string{`
const sizes = [globalThis, Object, Object.prototype, Function.prototype, Array, Array.prototype, Promise, Promise.prototype, Error, Error.prototype,
  JSON, Symbol, Symbol.prototype, RegExp.prototype, Iterator.prototype, Reflect, Proxy, console, String.prototype, Date.prototype].map(o => Reflect.ownKeys(o).length + Object.isExtensible(o));
let caught;
try {await tools.refuse('r')} catch (e) {caught = [e.code, e.message, Object.keys(e)]}
return [sizes, caught, await tools.echo([1, 2, 3].map(x => x + 1)), await tools.quick('q'), 'x' in {}, new Date(0).toString()];
`, `
const seen = new Map([[globalThis, 0]]), list = [globalThis];
let sum = 0, names = 0;
for (let i = 0; i < list.length; i++) {
  const o = list[i];
  const visit = x => {
    if ((typeof x !== 'object' && typeof x !== 'function') || x === null) return String(typeof x === 'symbol' ? 's' : x).length;
    if (!seen.has(x)) {seen.set(x, list.length); list.push(x)}
    return seen.get(x);
  };
  sum = (sum * 31 + visit(Object.getPrototypeOf(o)) + Object.isExtensible(o)) % 1e9;
  for (const k of Reflect.ownKeys(o)) {
    const d = Reflect.getOwnPropertyDescriptor(o, k);
    names++;
    sum = (sum * 31 + String(k).length + d.enumerable * 2 + d.configurable * 4 + !!d.writable * 8) % 1e9;
    for (const x of [d.value, d.get, d.set]) sum = (sum * 31 + visit(x)) % 1e9;
  }
}
let caught;
try {await tools.refuse('r')} catch (e) {caught = e.code}
return [list.length, names, sum, await tools.echo([1, 2, 3].map(x => x + 1)), caught, await tools.quick('q')];
`}

func (w *world) ordinary(t testing.TB, which int) contract.Outcome {
	// A text of its own each time, of one length: what a sandbox keeps of texts
	// it has seen would make a difference in memory.
	w.rounds++
	source := fmt.Sprintf("%s// %09d", ordinary[which], w.rounds)
	out, err := w.run(context.Background(), contract.Program{Source: source, Limits: plenty})
	require.NoError(t, err)
	return out
}

// next shows that nothing is left of the last run: the ordinary program gives
// the same value, in the same number of bytes, and no host function is about.
func (w *world) next(t testing.TB) {
	t.Helper()
	w.hosts.wait()
	which := 0
	if w.rounds%8 == 0 {
		which = 1
	}
	usual, out := w.usual[which], w.ordinary(t, which)
	require.NoError(t, out.Err)
	require.JSONEq(t, string(usual.Value), string(out.Value), "the next program sees something else")
	require.Equal(t, usual.Usage.Memory, out.Usage.Memory, "the next program takes other memory")
	require.Empty(t, out.Logs)
	require.Empty(t, out.Unhandled)
	stats := w.sandbox.Stats()
	require.Zero(t, stats.Faults, "the engine failed")
	require.Zero(t, stats.Rebuilt)
}

// run runs a program with the usual host around it.
func (w *world) run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	w.mu.Lock()
	w.refused, w.plain = nil, nil
	w.mu.Unlock()
	if p.Providers == nil {
		p.Providers = []contract.Provider{w.tools()}
	}
	return w.sandbox.Run(ctx, p)
}

// tools is the host that generated programs call.
func (w *world) tools() contract.Provider {
	count := func(f contract.HostFunc) contract.HostFunc {
		return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
			w.hosts.enter()
			defer w.hosts.leave()
			return f(ctx, args)
		}
	}
	first := func(args json.RawMessage) json.RawMessage {
		var list []json.RawMessage
		if json.Unmarshal(args, &list) != nil || len(list) == 0 {
			return nil
		}
		return list[0]
	}
	echo := func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return first(args), nil }
	untilEnd := func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		<-ctx.Done()
		return first(args), nil // too late
	}
	return contract.Provider{
		Name: "tools",
		Functions: map[string]contract.HostFunc{
			"echo":   count(echo),
			"never":  count(untilEnd),
			"fail":   count(func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, w.fail() }),
			"refuse": count(func(_ context.Context, args json.RawMessage) (json.RawMessage, error) { return nil, w.refuse(args) }),
			"big": count(func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.Marshal(string(make([]byte, 50_000)))
			}),
			"bad":  count(func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage("{]"), nil }),
			"then": count(echo), "toString": count(echo), "__proto__": count(echo), "a b": count(echo),
		},
		Immediate: map[string]contract.HostFunc{"quick": echo, "late": echo},
	}
}

var errPlain = errors.New("plain failure")

func (w *world) fail() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := fmt.Errorf("%w %d", errPlain, len(w.plain))
	w.plain = append(w.plain, err)
	return err
}

func (w *world) refuse(args json.RawMessage) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := &contract.Failure{Code: "refused", Message: "not now", Retryable: true, Details: map[string]any{"__proto__": 1, "args": args}}
	w.refused = append(w.refused, f)
	return f
}

// sound checks what holds for every outcome, whatever the program was.
func (w *world) sound(t testing.TB, out contract.Outcome) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.NotEqual(t, contract.InterruptFault, out.Interrupt, "the engine failed: %v", out.Err)
	if out.Value != nil {
		require.NoError(t, out.Err)
		require.True(t, json.Valid(out.Value) && utf8.Valid(out.Value), "%.200q", out.Value)
	}
	w.soundError(t, out)
	for i, c := range out.Calls {
		require.Equal(t, i+1, c.Number)
		require.Contains(t, []contract.CallState{contract.CallCompleted, contract.CallFailed, contract.CallInFlight}, c.State)
	}
	require.LessOrEqual(t, len(out.Calls), int(limits.HostCalls))
	soundTexts(t, out)
	require.LessOrEqual(t, out.Usage.Memory, limits.Memory)
	require.GreaterOrEqual(t, out.Usage.Wall, out.Usage.Overshoot)
	_, err := json.Marshal(out)
	require.NoError(t, err)
}

func (w *world) soundError(t testing.TB, out contract.Outcome) {
	var (
		guest     *contract.GuestError
		result    *contract.ResultError
		interrupt *contract.InterruptError
	)
	switch {
	case out.Err == nil:
		require.Equal(t, contract.InterruptNone, out.Interrupt)
		require.Nil(t, out.Failure)
	case errors.As(out.Err, &interrupt):
		require.NotEqual(t, contract.InterruptNone, out.Interrupt)
		require.Equal(t, out.Interrupt, interrupt.Interrupt)
		require.Equal(t, out.TimedOut(), out.Failure != nil && out.Failure.Timeout != nil)
		require.True(t, out.Failure == nil || out.Failure.Call == nil)
	case errors.As(out.Err, &guest):
		require.Equal(t, contract.InterruptNone, out.Interrupt)
		require.NotNil(t, out.Failure)
		require.Equal(t, guest.Name, out.Failure.Name)
		require.Nil(t, out.Failure.Timeout)
		require.Equal(t, guest.Line > 0, guest.Column > 0)
		w.soundIdentity(t, guest, out.Failure)
		soundGuest(t, guest)
	case errors.As(out.Err, &result):
		require.Equal(t, contract.InterruptNone, out.Interrupt)
		require.Nil(t, out.Failure)
	default:
		require.Equal(t, contract.ErrStalled, out.Err)
		require.Nil(t, out.Failure)
	}
}

// soundIdentity: a record or a Go error is only ever one that a host function
// gave in this very run, and the two belong together.
func (w *world) soundIdentity(t testing.TB, e *contract.GuestError, record *contract.FailureRecord) {
	if record.Call != nil {
		require.Contains(t, w.refused, record.Call)
		require.Same(t, record.Call, e.Host.(*contract.Failure), "the record is that of the error")
		return
	}
	if e.Host == nil {
		return
	}
	var reply *contract.ReplyError
	if errors.Is(e.Host, errPlain) {
		require.Contains(t, w.plain, e.Host)
	} else if !errors.As(e.Host, &reply) {
		// What the bridge itself refuses: an unknown name, a reply too large.
		require.NotEmpty(t, e.Host.Error())
	}
}

func soundGuest(t testing.TB, e *contract.GuestError) {
	for depth := 0; e != nil; e, depth = e.Cause, depth+1 {
		require.LessOrEqual(t, depth, 16)
		require.NotEmpty(t, e.Name)
		require.LessOrEqual(t, units(e.Name), 64)
		require.LessOrEqual(t, units(e.Message), 4000)
		require.LessOrEqual(t, units(e.Error()), 4000)
		require.True(t, utf8.ValidString(e.Error()))
		require.LessOrEqual(t, len(e.Properties), 32)
		size := 0
		for name, value := range e.Properties {
			require.True(t, json.Valid(value), "%s: %s", name, value)
			size += len(name) + len(value)
		}
		require.LessOrEqual(t, size, 16<<10)
	}
}

// soundTexts holds logs and lost rejections to their bounds (SPEC section 11).
func soundTexts(t testing.TB, out contract.Outcome) {
	require.LessOrEqual(t, len(out.Logs), 201)
	total := 0
	for _, entry := range out.Logs {
		n := units(entry)
		require.LessOrEqual(t, n, 8_018)
		require.True(t, utf8.ValidString(entry))
		total += n
	}
	require.LessOrEqual(t, total, 256_100)
	require.LessOrEqual(t, len(out.Unhandled), 10)
	for _, text := range out.Unhandled {
		require.LessOrEqual(t, units(text), 400)
		require.True(t, utf8.ValidString(text))
	}
}

// same checks that two runs of a program without chance in it ended alike.
func same(t testing.TB, a, b contract.Outcome) {
	t.Helper()
	if a.Interrupt != contract.InterruptNone || b.Interrupt != contract.InterruptNone {
		return // where a budget ends is chance
	}
	require.Equal(t, string(a.Value), string(b.Value))
	require.Equal(t, fmt.Sprint(a.Err), fmt.Sprint(b.Err))
	require.Equal(t, a.Logs, b.Logs)
	require.Equal(t, a.Unhandled, b.Unhandled)
	if a.Failure == nil || b.Failure == nil {
		require.Equal(t, a.Failure, b.Failure)
		return
	}
	require.Equal(t, a.Failure.Name, b.Failure.Name)
	require.Equal(t, a.Failure.Line, b.Failure.Line)
	require.Equal(t, a.Failure.Column, b.Failure.Column)
}
