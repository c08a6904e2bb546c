package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/quickjs"
)

// maxTransport bounds the arguments of a host call and its reply, each with its
// wrapper, in UTF-8 bytes (SPEC section 2).
const maxTransport = 262_144

// replyWrapper is what SPEC's {ok: true, value} adds to a value's own text.
const replyWrapper = len(`{"ok":true,"value":}`)

// maxCallName bounds the name that an unknown function is listed under, in
// UTF-16 units: a guest can ask for names of any size.
const maxCallName = 128

// calls are the host calls of one run.
type calls struct {
	list    []*call
	room    []call // for the next ones
	made    int64
	running int     // host functions on goroutines of their own
	waiting []*call // for one of those to end
	ended   []*call // to be settled

	// settlements has room for every running call, so that a host function that
	// ends late, even after the run, never blocks.
	settlements chan *call
	ctx         context.Context
	cancel      context.CancelCauseFunc

	panicked any // of a host function; raised again when the run has ended
	exploded bool
}

// call is one host call. The host function's goroutine writes reply, err, took
// and panicked before it hands the call back; all else belongs to the run.
type call struct {
	number   int
	name     string
	f        contract.HostFunc
	deferred quickjs.Deferred
	args     json.RawMessage
	held     quickjs.Value // the arguments in the guest's memory, while waiting
	started  time.Time
	state    contract.CallState
	duration time.Duration

	reply    json.RawMessage
	err      error
	took     time.Duration
	panicked any
	exploded bool
}

var errRunEnded = errors.New("bridge: the run has ended")

// open counts the calls that may still settle.
func (cs *calls) open() int {
	return cs.running + len(cs.waiting) + len(cs.ended)
}

// call is what calling a member of a provider's namespace does: it returns the
// promise of the reply. It throws nothing.
func (r *run) call(provider int, name quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
	qc := r.guest.qc
	if r.overdue() {
		return quickjs.Value{}, nil
	}
	if r.calls.made++; r.calls.made > r.limits.HostCalls {
		return r.rejectedPromise(limitText(r.limits.HostCalls))
	}
	t := r.target(provider, name)
	c := r.calls.add(t)
	text, err := qc.AppendJSONArray(nil, args, r.sandbox.opts.MaxArguments)
	if err == nil && t.f != nil && t.immediate {
		c.args = text
		return r.callNow(c)
	}
	d, derr := qc.Deferred()
	if derr != nil {
		return quickjs.Value{}, derr
	}
	c.deferred = d
	promise := d.Promise.Dup() // a call that is refused at once gives its own up
	return promise, r.startCall(c, t, text, err)
}

// add lists a new call.
func (cs *calls) add(t *target) *call {
	if len(cs.room) == 0 {
		cs.room = make([]call, min(max(len(cs.list), 1), 64)) // most programs make few
	}
	c := &cs.room[0]
	cs.room = cs.room[1:]
	cs.list = append(cs.list, c)
	c.number, c.name, c.f, c.state = len(cs.list), t.name, t.f, contract.CallInFlight
	return c
}

// overdue reports whether the budget is spent, and sees to it that the guest goes
// no further. Polls and the watchdog end a run within milliseconds of its
// deadline, but on a busy machine those could be enough for one more effect.
func (r *run) overdue() bool {
	cause := r.guest.rt.Expired()
	if cause != nil {
		r.guest.rt.Kill(cause)
	}
	return cause != nil
}

// callNow calls a function that is declared to finish at once. The guest stands
// still meanwhile; a panic ends the run and is raised again by Run.
func (r *run) callNow(c *call) (quickjs.Value, error) {
	c.started = r.now()
	c.reply, c.err = c.f(r.hostContext(), c.args)
	c.took = time.Since(c.started)
	v, err := r.replyValue(c)
	if err == nil && !v.MayBeThenable() {
		r.endCall(c, contract.CallCompleted)
		p, err := r.guest.qc.Fulfilled(v)
		v.Free()
		c.release()
		return p, err
	}
	var derr error
	if c.deferred, derr = r.guest.qc.Deferred(); derr != nil {
		return quickjs.Value{}, derr
	}
	promise := c.deferred.Promise.Dup()
	return promise, r.settleWith(c, v, err)
}

// startCall starts a call or lets it wait, unless it is refused at once. Err is
// what writing the arguments came to.
func (r *run) startCall(c *call, t *target, text json.RawMessage, err error) error {
	if t.f == nil {
		c.name = strings.Clone(units.Cut(c.name, maxCallName)) // the whole name goes
	}
	thrown, isThrown := errors.AsType[*quickjs.Exception](err)
	switch {
	case isThrown:
		// The engine's own error, as a BigInt or a cycle gives it.
		err := c.deferred.Reject(thrown.Value)
		thrown.Free()
		r.endCall(c, contract.CallFailed)
		c.release()
		return err
	case errors.Is(err, quickjs.ErrTooLarge):
		return r.refuseText(c, "Host call arguments exceeded the IPC limit.")
	case err != nil:
		return err
	case t.f == nil:
		return r.refuseText(c, "Unknown function "+t.name)
	case r.calls.running < r.sandbox.opts.MaxCalls:
		c.args = text
		r.calls.start(r, c)
		return nil
	}
	// The arguments of a call that waits stay in the guest's memory, where they
	// count: a program could queue gigabytes here.
	if c.held, err = r.guest.qc.String(string(text)); err != nil {
		return err
	}
	r.calls.waiting = append(r.calls.waiting, c)
	return nil
}

// start runs the host function on a goroutine of its own.
func (cs *calls) start(r *run, c *call) {
	if cs.settlements == nil {
		cs.settlements = make(chan *call, r.sandbox.opts.MaxCalls)
	}
	cs.running++
	c.started = r.now()
	go c.spawnedOn(r.hostContext(), cs.settlements)
}

// now reads one clock, where time.Now reads two.
func (r *run) now() time.Time { return r.start.Add(time.Since(r.start)) }

// spawnedOn is the host function's goroutine. It hands the call back whatever
// becomes of it.
func (c *call) spawnedOn(ctx context.Context, done chan<- *call) {
	defer func() { done <- c }()
	c.invoke(ctx)
}

// invoke calls the host function, whatever it does.
func (c *call) invoke(ctx context.Context) {
	returned := false
	defer func() {
		c.took = time.Since(c.started)
		if !returned {
			c.panicked, c.exploded = recover(), true
		}
	}()
	c.reply, c.err = c.f(ctx, c.args)
	returned = true
}

// hostContext is what host functions get: it ends with the run.
func (r *run) hostContext() context.Context {
	if r.calls.ctx == nil {
		r.calls.ctx, r.calls.cancel = context.WithCancelCause(r.ctx)
	}
	return r.calls.ctx
}

// settleNext settles the promise of one call that has ended, if there is one.
func (cs *calls) settleNext(r *run) (bool, error) {
	var c *call
	if len(cs.ended) > 0 {
		c = cs.ended[0]
		cs.ended = cs.ended[1:]
	} else if cs.running > 0 {
		select {
		case c = <-cs.settlements:
		default:
		}
	}
	if c == nil {
		return false, nil
	}
	cs.running--
	if c.exploded {
		cs.explode(c)
		r.endCall(c, contract.CallFailed)
		return false, errHostPanic
	}
	cs.startWaiting(r)
	return true, r.settle(c)
}

// explode keeps the first panic.
func (cs *calls) explode(c *call) {
	if !cs.exploded {
		cs.panicked, cs.exploded = c.panicked, true
	}
}

var errHostPanic = errors.New("bridge: a host function panicked")

// startWaiting hands the place of a call that has ended to the one that has
// waited longest.
func (cs *calls) startWaiting(r *run) {
	if len(cs.waiting) == 0 {
		return
	}
	next := cs.waiting[0]
	cs.waiting = cs.waiting[1:]
	next.unhold()
	cs.start(r, next)
}

// unhold takes the arguments out of the guest's memory.
func (c *call) unhold() {
	text, _ := c.held.Text()
	c.held.Free()
	c.held = quickjs.Value{}
	c.args = json.RawMessage(text)
}

// release lets go of what a call that has ended needs no more: a program can
// make many, and the list of calls lives as long as the run.
func (c *call) release() {
	c.deferred.Free()
	c.f, c.args, c.reply, c.err = nil, nil, nil, nil
}

func (r *run) endCall(c *call, s contract.CallState) {
	c.state, c.duration = s, c.took
	if r.program.OnCall != nil {
		r.program.OnCall(c.record())
	}
}

func (c *call) record() contract.Call {
	return contract.Call{Name: c.name, Number: c.number, State: c.state, Duration: c.duration}
}

// end ends the contexts of host functions that still run.
func (cs *calls) end() {
	if cs.cancel != nil {
		cs.cancel(errRunEnded)
	}
}

// close ends what is still open and lists all calls.
func (cs *calls) close(r *run) []contract.Call {
	cs.end()
	for range len(cs.settlements) {
		if c := <-cs.settlements; c.exploded {
			cs.explode(c) // in the moment in which the run ended
		}
	}
	if len(cs.list) == 0 {
		return nil
	}
	list := make([]contract.Call, len(cs.list))
	for i, c := range cs.list {
		if c.state == contract.CallInFlight {
			if !c.started.IsZero() {
				c.duration = time.Since(c.started)
			}
			if r.program.OnCall != nil {
				r.program.OnCall(c.record())
			}
		}
		list[i] = c.record()
	}
	return list
}

// raise raises a host function's panic again.
func (cs *calls) raise() {
	if cs.exploded {
		if cs.panicked == nil {
			panic("bridge: a host function called runtime.Goexit")
		}
		panic(cs.panicked)
	}
}
