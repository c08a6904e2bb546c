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

// shortText is what is written in no time, in bytes.
const shortText = 4 << 10

// replyWrapper is what SPEC's {ok: true, value} adds to a value's own text.
const replyWrapper = len(`{"ok":true,"value":}`)

// maxCallName bounds the name that an unknown function is listed under, in
// UTF-16 units: a guest can ask for names of any size.
const maxCallName = 128

// calls are the host calls of one run.
type calls struct {
	list    []contract.Call // all that were made, as they stand
	made    int64
	running []*call // host functions on goroutines of their own, and what they came to
	waiting []*call // for one of those to end
	ended   *call   // of those running, the one that ended a wait; to be settled
	spare   []*call // for the next ones

	// settlements has room for every running call, so that a host function that
	// ends late, even after the run, never blocks.
	settlements chan *call
	ctx         context.Context
	cancel      context.CancelCauseFunc

	panicked any // of a host function; raised again when the run has ended
	exploded bool
}

// call is one host call that has not ended. The host function's goroutine writes
// reply, err, took and panicked before it hands the call back; all else belongs
// to the run. What is left of it afterwards is its line in the list.
type call struct {
	number   int // in the list, from 1
	place    int // among those running
	name     string
	f        contract.HostFunc
	deferred quickjs.Deferred
	args     json.RawMessage
	held     quickjs.Value // the arguments in the guest's memory, while waiting
	began    time.Time     // the run
	started  time.Duration // after that

	spawn func() // spawned, kept for the next call in this place
	ctx   context.Context
	done  chan<- *call

	reply    json.RawMessage
	err      error
	took     time.Duration
	panicked any
	exploded bool
}

var errRunEnded = errors.New("bridge: the run has ended")

// open counts the calls that may still settle.
func (cs *calls) open() int {
	return len(cs.running) + len(cs.waiting)
}

// call is what calling a member of a provider's namespace does: it returns the
// promise of the reply. It throws nothing.
func (r *run) call(provider int, name quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
	qc := r.guest.qc
	now := time.Since(r.start)
	if cause := r.overdue(now); cause != nil {
		return quickjs.Value{}, cause
	}
	if r.calls.made++; r.calls.made > r.limits.HostCalls {
		return r.rejectedPromise(limitText(r.limits.HostCalls))
	}
	t := r.target(provider, name)
	c := r.calls.add(t)
	text, err := qc.AppendJSONArray(nil, args, r.sandbox.opts.MaxArguments)
	if len(text) > shortText {
		now = time.Since(r.start) // writing them took a while
	}
	c.started = now
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
	var c *call
	if n := len(cs.spare); n > 0 {
		c = cs.spare[n-1]
		cs.spare = cs.spare[:n-1]
	} else {
		c = new(call)
	}
	cs.list = append(cs.list, contract.Call{Name: t.name, Number: len(cs.list) + 1, State: contract.CallInFlight})
	c.number, c.name, c.f = len(cs.list), t.name, t.f
	return c
}

// overdue returns why the guest must go no further, if it must not, and sees to
// it: to return the cause touches memory that is out of reach by then. Polls and
// the watchdog end a run within milliseconds of its deadline, but on a busy
// machine those could be enough for one more effect.
func (r *run) overdue(now time.Duration) error {
	cause := r.guest.rt.Expired(r.start.Add(now))
	if cause != nil {
		r.guest.rt.Kill(cause)
	}
	return cause
}

// callNow calls a function that is declared to finish at once. The guest stands
// still meanwhile; a panic ends the run and is raised again by Run.
func (r *run) callNow(c *call) (quickjs.Value, error) {
	r.calls.begins(r, c)
	c.reply, c.err = c.f(r.hostContext(), c.args)
	c.took = c.age()
	r.calls.ends(c)
	v, err := r.replyValue(c)
	if err == nil && !v.MayBeThenable() {
		r.endCall(c, contract.CallCompleted)
		p, err := r.guest.qc.Fulfilled(v)
		v.Free()
		r.calls.release(c)
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
		r.calls.list[c.number-1].Name = c.name
	}
	thrown, isThrown := errors.AsType[*quickjs.Exception](err)
	switch {
	case isThrown:
		// The engine's own error, as a BigInt or a cycle gives it.
		err := c.deferred.Reject(thrown.Value)
		thrown.Free()
		r.endCall(c, contract.CallFailed)
		r.calls.release(c)
		return err
	case errors.Is(err, quickjs.ErrTooLarge):
		return r.refuseText(c, "Host call arguments exceeded the IPC limit.")
	case err != nil:
		return err
	case t.f == nil:
		return r.refuseText(c, "Unknown function "+t.name)
	case len(r.calls.running) < r.sandbox.opts.MaxCalls:
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
	cs.begins(r, c)
	if c.spawn == nil {
		c.spawn = c.spawned
	}
	c.ctx, c.done = r.hostContext(), cs.settlements
	go c.spawn()
}

// begins adds a call to those that run.
func (cs *calls) begins(r *run, c *call) {
	c.place = len(cs.running)
	cs.running = append(cs.running, c)
	c.began = r.start
}

// age is how long ago the host function was started.
func (c *call) age() time.Duration { return time.Since(c.began) - c.started }

// ends takes a call whose function has come back off those that run.
func (cs *calls) ends(c *call) {
	last := len(cs.running) - 1
	cs.running[c.place] = cs.running[last]
	cs.running[c.place].place = c.place
	cs.running[last] = nil
	cs.running = cs.running[:last]
	cs.list[c.number-1].Duration = c.took
}

// spawned is the host function's goroutine. It hands the call back whatever
// becomes of it.
func (c *call) spawned() {
	defer func() { c.done <- c }()
	c.invoke()
}

// invoke calls the host function, whatever it does.
func (c *call) invoke() {
	returned := false
	defer func() {
		c.took = c.age()
		if !returned {
			c.panicked, c.exploded = recover(), true
		}
	}()
	c.reply, c.err = c.f(c.ctx, c.args)
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
	c := cs.ended
	if cs.ended = nil; c == nil && len(cs.running) > 0 {
		select {
		case c = <-cs.settlements:
		default:
		}
	}
	if c == nil {
		return false, nil
	}
	cs.ends(c)
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
	next.started = time.Since(r.start)
	cs.start(r, next)
}

// unhold takes the arguments out of the guest's memory.
func (c *call) unhold() {
	text, _ := c.held.Text()
	c.held.Free()
	c.held = quickjs.Value{}
	c.args = json.RawMessage(text)
}

// release lets go of a call that has ended. The next one takes its place: a program
// can make many.
func (cs *calls) release(c *call) {
	c.deferred.Free()
	*c = call{spawn: c.spawn}
	cs.spare = append(cs.spare, c)
}

// endCall writes down how a call ended.
func (r *run) endCall(c *call, s contract.CallState) {
	l := &r.calls.list[c.number-1]
	l.State = s
	if r.program.OnCall != nil {
		r.program.OnCall(*l)
	}
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
	for _, c := range cs.running {
		cs.list[c.number-1].Duration = c.age()
	}
	for _, l := range cs.list {
		if l.State == contract.CallInFlight && r.program.OnCall != nil {
			r.program.OnCall(l)
		}
	}
	return cs.list
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
