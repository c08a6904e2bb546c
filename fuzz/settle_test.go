package fuzz_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// FuzzSettleOrder: host calls that are made, forgotten, answered, refused, made
// to panic, cancelled and closed over in any order and at any moment settle at
// most once each, with what the host said first; a call that the run left behind
// is in flight and its late answer reaches nobody, neither this run nor the next;
// the way a run ended is the host's word, and the first one.
func FuzzSettleOrder(f *testing.F) {
	w := newWorld(f, bridge.Options{MaxCalls: maxCalls})
	old := &desk{}
	f.Add([]byte{0, 0, 7, 0, 6, 0})
	f.Fuzz(func(t *testing.T, tape []byte) {
		d := newDesk(old)
		guest, host := d.split(grammar.Ops(tape))
		out, panicked, err := d.run(w, guest, host)
		d.check(t, out, err, panicked)
		if d.closed {
			// A closed sandbox stays closed, even when the run was done before; go on
			// in another one.
			d.closing.Wait()
			_, err := w.sandbox.Run(context.Background(), contract.Program{Source: "1"})
			require.ErrorIs(t, err, contract.ErrClosed)
			require.NoError(t, w.sandbox.Close())
			w.open(t, bridge.Options{MaxCalls: maxCalls})
		} else {
			w.next(t)
		}
		old.retire() // late: nobody may notice
		old = d
		w.next(t)
	})
}

const maxCalls = 3

// desk is where the host's calls lie until the tape says what becomes of them.
type desk struct {
	mu     sync.Mutex
	calls  []*pending
	came   chan struct{} // a token for each call that came
	before *desk

	running, most     int // host functions at once
	cancelled, closed bool
	closing           sync.WaitGroup
	retired           bool // nobody listens any more
}

// pending is one host call. Its function waits for the answer and for nothing
// else: it ignores the end of its context, as a careless one would.
type pending struct {
	number   int
	answer   chan reply
	answered bool
	said     reply
}

type reply struct {
	kind  grammar.OpKind
	value json.RawMessage
	err   error
}

func newDesk(before *desk) *desk {
	return &desk{came: make(chan struct{}, 1000), before: before}
}

func (d *desk) take(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
	var list []int
	if err := json.Unmarshal(args, &list); err != nil || len(list) != 1 {
		return nil, errors.New("bad arguments")
	}
	p := &pending{number: list[0], answer: make(chan reply, 1)}
	d.mu.Lock()
	d.calls = append(d.calls, p)
	d.running++
	d.most = max(d.most, d.running)
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.running--
	}()
	retired := d.retired
	d.mu.Unlock()
	if retired {
		return nil, errors.New("too late")
	}
	d.came <- struct{}{}
	r := <-p.answer
	if r.kind == grammar.OpPanic {
		panic(r.err)
	}
	return r.value, r.err
}

// split turns the guest's ops into a program and leaves the host's.
func (d *desk) split(ops []grammar.Op) (source string, host []grammar.Op) {
	var b strings.Builder
	b.WriteString("const seen = [], errors = []; let n = 0;\n")
	b.WriteString("const note = i => v => {seen.push([i, 'value', v])}, fault = i => e => {errors[i] = e; seen.push([i, 'error', e.message])};\n")
	calls := 0
	for _, op := range ops {
		if calls+op.Amount > 100 {
			break
		}
		switch op.Kind {
		case grammar.OpCall:
			fmt.Fprintf(&b, "await desk.take(%d).then(note(%d), fault(%d));\n", calls, calls, calls)
			calls++
		case grammar.OpForget:
			fmt.Fprintf(&b, "desk.take(%d).then(note(%d), fault(%d));\n", calls, calls, calls)
			calls++
		case grammar.OpBurst:
			var each []string
			for range op.Amount {
				each = append(each, fmt.Sprintf("desk.take(%d).then(note(%d), fault(%d))", calls, calls, calls))
				calls++
			}
			fmt.Fprintf(&b, "await Promise.race([%s]);\n", strings.Join(each, ", "))
		case grammar.OpCatch:
			fmt.Fprintf(&b, "try {note(%d)(await desk.take(%d))} catch (e) {fault(%d)(e)}\n", calls, calls, calls)
			calls++
		case grammar.OpRethrow:
			fmt.Fprintf(&b, "if (errors[%d]) throw errors[%d];\n", op.Which, op.Which)
		case grammar.OpThrow:
			b.WriteString("if (n++ > 2) throw new Error('own');\n")
		case grammar.OpReturn:
			b.WriteString("if (n++ > 1) return seen;\n")
		default:
			host = append(host, op)
		}
	}
	b.WriteString("return seen;")
	return b.String(), host
}

func (d *desk) run(w *world, source string, host []grammar.Op) (out contract.Outcome, panicked any, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	played := make(chan struct{})
	go func() {
		defer close(played)
		d.play(w, host, cancel, ended)
	}()
	defer func() { <-played }()
	defer close(ended)
	defer func() { panicked = recover() }()
	out, err = w.run(ctx, contract.Program{
		Source: source, Limits: plenty,
		Providers: []contract.Provider{{Name: "desk", Functions: map[string]contract.HostFunc{"take": d.take}}, w.tools()},
	})
	return out, nil, err
}

// play does what the host's ops say, and then answers what is open and what
// still comes, so that the run ends.
func (d *desk) play(w *world, host []grammar.Op, cancel func(), ended <-chan struct{}) {
	wait := func() bool {
		select {
		case <-d.came:
			return true
		case <-ended:
			return false
		}
	}
	for _, op := range host {
		switch op.Kind {
		case grammar.OpCancel:
			d.cancelled = true
			cancel()
		case grammar.OpClose:
			d.closed = true
			d.closing.Go(func() { _ = w.sandbox.Close() })
		case grammar.OpLate:
			d.before.answerAll()
		case grammar.OpPause:
			// With a call open the guest may be waiting for the answer.
			if d.open() {
				runtime.Gosched()
			} else if !wait() {
				return
			}
		default:
			d.settle(op)
		}
	}
	for {
		d.answerAll()
		if !wait() {
			return
		}
	}
}

func (d *desk) open() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.calls {
		if !p.answered {
			return true
		}
	}
	return false
}

func (d *desk) settle(op grammar.Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.calls) == 0 {
		return
	}
	d.calls[op.Which%len(d.calls)].settle(op.Kind)
}

// settle answers a call unless it is answered already.
func (p *pending) settle(kind grammar.OpKind) {
	if p.answered {
		return
	}
	r := reply{kind: kind, value: json.RawMessage(fmt.Sprintf(`"answer %d"`, p.number))}
	switch kind {
	case grammar.OpRefuse:
		r.err = &contract.Failure{Code: "no", Message: fmt.Sprintf("refusal %d", p.number)}
	case grammar.OpFail:
		r.err = fmt.Errorf("failure %d", p.number)
	case grammar.OpBad:
		r.value = json.RawMessage(`{"not JSON`)
	case grammar.OpPanic:
		r.err = fmt.Errorf("panic %d", p.number)
	}
	p.answered, p.said = true, r
	p.answer <- r
}

func (d *desk) answerAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.calls {
		p.settle(grammar.OpSettle)
	}
}

func (d *desk) retire() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.retired = true
	for _, p := range d.calls {
		p.settle(grammar.OpSettle)
	}
}

func (d *desk) check(t *testing.T, out contract.Outcome, err error, panicked any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	require.LessOrEqual(t, d.most, maxCalls, "host functions at once")
	said := map[int]reply{}
	panics := false
	for _, p := range d.calls {
		_, twice := said[p.number]
		require.False(t, twice, "call %d came twice", p.number)
		if p.answered {
			said[p.number] = p.said
			panics = panics || p.said.kind == grammar.OpPanic
		}
	}
	if panicked != nil {
		require.True(t, panics, "%v", panicked)
		return
	}
	var refused *contract.RefusedError
	if errors.As(err, &refused) {
		require.True(t, errors.Is(err, context.Canceled) && d.cancelled || errors.Is(err, contract.ErrClosed) && d.closed, "%v", err)
		require.True(t, refused.Code == contract.CodeCancelled || refused.Code == contract.CodeClosed)
		require.Nil(t, out.Value)
		return
	}
	require.NoError(t, err)
	ended := 0
	for _, c := range out.Calls {
		if c.State != contract.CallInFlight {
			ended++
		}
	}
	require.LessOrEqual(t, ended, len(said), "a call ended that the host did not answer")
	var guest *contract.GuestError
	switch {
	case out.Err == nil:
		d.checkSeen(t, out, said)
	case errors.As(out.Err, &guest) && guest.Message != "own":
		n := -1
		for number, r := range said {
			if r.err != nil && guest.Host == r.err {
				n = number
			}
		}
		var reply *contract.ReplyError
		require.True(t, n >= 0 || errors.As(guest.Host, &reply), "the error of a call ended the run: %v", out.Err)
	case errors.As(out.Err, &guest):
	default:
		// Every call is answered in the end, so a run that runs into a limit has
		// missed an answer.
		t.Fatal(out.Err)
	}
}

// checkSeen compares what the program saw with what the host said.
func (d *desk) checkSeen(t *testing.T, out contract.Outcome, said map[int]reply) {
	var seen [][3]any
	require.NoError(t, json.Unmarshal(out.Value, &seen))
	once := map[int]bool{}
	for _, s := range seen {
		n := int(s[0].(float64))
		require.False(t, once[n], "call %d settled twice", n)
		once[n] = true
		r, ok := said[n]
		require.True(t, ok, "call %d settled by itself", n)
		switch {
		case r.kind == grammar.OpBad:
			require.Equal(t, "error", s[1])
		case r.err != nil:
			require.Equal(t, []any{"error", r.err.Error()}, s[1:])
		default:
			require.Equal(t, []any{"value", fmt.Sprintf("answer %d", n)}, s[1:])
		}
	}
}
