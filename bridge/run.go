package bridge

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// run is one run of one program. It lives on the goroutine that drives it; only
// settlements come from elsewhere, through a channel.
type run struct {
	sandbox *Sandbox
	guest   *guest
	program contract.Program
	limits  contract.Limits
	ctx     context.Context // the caller's
	key     codeKey
	kept    *compiled // of an earlier run; nil for a program that is new
	source  *source
	start   time.Time
	wall    time.Time // when it has to have ended; zero for no limit

	promise  quickjs.Value // what the program comes down to
	value    quickjs.Value // instead of a promise, what it would be fulfilled with
	module   quickjs.Value // code of a module until its default export is taken
	calls    calls
	retained map[uintptr]retained
	lost     rejections
	console  console

	cpu       time.Duration
	rough     time.Duration // of that, what is elapsed time
	overshoot time.Duration
	out       contract.Outcome
	settled   bool // out says how the run ended
	refused   bool // the source does not compile
	err       error
	timer     *time.Timer // due at the wall deadline; made when the run first waits
	targets   []map[string]*target
	name      []byte // scratch
}

// execute is the whole run: from the same bytes to plain data.
func (r *run) execute(ctx context.Context) (contract.Outcome, error) {
	r.ctx = ctx
	if err := r.rewind(); err != nil {
		r.stopped(err)
	} else if stop, ok := r.watch(ctx); ok {
		r.driveWatched(ctx, stop)
	}
	r.finish()
	r.calls.raise()
	return r.out, r.err
}

// driveWatched is drive, whichever way it ends: a listener of the program may
// panic, or call runtime.Goexit as a test's FailNow does.
func (r *run) driveWatched(ctx context.Context, stop func()) {
	defer stop()
	defer r.calls.end()
	defer func() {
		if r.timer != nil {
			r.timer.Stop()
		}
	}()
	r.drive(ctx)
}

// watch lets the end of ctx stop the guest, wherever it is. It comes after the
// rewind, which forgets earlier requests; a Close that came before it is seen
// here.
func (r *run) watch(ctx context.Context) (stop func(), ok bool) {
	r.sandbox.mu.Lock()
	closed := r.sandbox.closed
	r.sandbox.mu.Unlock()
	if closed {
		r.stopped(&quickjs.InterruptError{Cause: errClosed})
		return nil, false
	}
	if ctx.Done() == nil {
		return func() {}, true
	}
	rt, fired := r.guest.rt, make(chan struct{})
	cancel := context.AfterFunc(ctx, func() {
		rt.Kill(errCancelled)
		close(fired)
	})
	return func() {
		if !cancel() {
			<-fired // it must not stop the next run instead
		}
	}, true
}

// drive is the loop: run the guest until it waits, wait for what it waits for.
func (r *run) drive(ctx context.Context) {
	resume := r.resume
	for turn := r.begin; ; turn = resume {
		r.enter(turn)
		if r.settled {
			return
		}
		if r.calls.open() == 0 {
			r.stall()
			return
		}
		if !r.wait(ctx) {
			return
		}
	}
}

// begin sets the program up and starts it.
func (r *run) begin() error {
	if err := r.load(); err != nil {
		return err
	}
	if err := r.setup(); err != nil {
		return err
	}
	if err := r.evaluate(); err != nil {
		return err
	}
	return r.goOn()
}

// goOn lets the program run until it waits, and then settles calls.
func (r *run) goOn() error {
	if done, err := r.advance(); done || err != nil {
		return err
	}
	return r.resume()
}

// resume settles the calls that have ended, one at a time, each time up to where
// the program waits again: that is where it stood when it was left.
func (r *run) resume() error {
	for {
		if r.ctx.Err() != nil { // as in calledOff
			return &quickjs.InterruptError{Cause: errCancelled}
		}
		if more, err := r.calls.settleNext(r); err != nil || !more {
			return err
		}
		if done, err := r.advance(); done || err != nil {
			return err
		}
	}
}

// advance runs jobs and looks where the program stands then.
func (r *run) advance() (done bool, err error) {
	if err := r.jobs(); err != nil {
		return false, err
	}
	return r.look()
}

// jobs runs pending jobs until there are none. A job that throws, as a
// finalization callback can, does not end the program.
func (r *run) jobs() error {
	for {
		_, err := r.guest.rt.RunJobs(0)
		if err == nil {
			return nil
		}
		thrown, ok := errors.AsType[*quickjs.Exception](err)
		if !ok {
			return err
		}
		thrown.Free()
	}
}

// look takes the outcome once the program's promise is settled.
func (r *run) look() (done bool, err error) {
	if r.value.IsValid() {
		return true, r.readOut(r.value)
	}
	switch r.promise.PromiseState() {
	case quickjs.Fulfilled:
		if r.module.IsValid() {
			if err := r.exported(); err != nil {
				return true, err
			}
			return true, r.goOn()
		}
		return true, r.readOut(r.promise.PromiseResult())
	case quickjs.Rejected:
		return true, r.rejected(r.promise.PromiseResult())
	}
	return false, nil
}

// roughShare is the part of the CPU budget, one in so many, that may be counted
// by elapsed time: the guest's thread has a clock that takes longer to read than
// most turns take to run. On a busy machine a program may lose that much of its
// budget, never more.
const roughShare = 8

// enter goes through the door for one turn, on what is left of the budget, and
// records why it came back if a limit ended it.
func (r *run) enter(turn func() error) {
	b := quickjs.Budget{Limited: r.limits.CPU != contract.Unlimited, CPU: r.limits.CPU - r.cpu, Wall: r.wall}
	b.Rough = max(r.limits.CPU/roughShare-r.rough, 0)
	spent, err := r.guest.rt.Do(b, turn)
	r.cpu += spent.CPU
	r.rough += spent.Rough
	r.overshoot = max(r.overshoot, spent.Over)
	if err != nil && !r.settled {
		r.stopped(err)
	}
}

// over reports whether the run has to end before it waits, and records why. The
// wall deadline is looked at while waiting and by the next turn.
func (r *run) over() bool {
	if r.limits.CPU != contract.Unlimited && r.cpu >= r.limits.CPU {
		r.stopped(&quickjs.InterruptError{Cause: quickjs.ErrCPU})
		return true
	}
	return r.calledOff()
}

// calledOff reports whether the host has ended the run, and records how. A host
// function may answer because of that; its answer comes second.
func (r *run) calledOff() bool {
	if r.ctx.Err() != nil {
		r.stopped(&quickjs.InterruptError{Cause: errCancelled})
		return true
	}
	select {
	case <-r.sandbox.closing:
		r.stopped(&quickjs.InterruptError{Cause: errClosed})
		return true
	default:
		return false
	}
}

// wait blocks until a call has ended or the run has to.
func (r *run) wait(ctx context.Context) bool {
	if r.over() {
		return false
	}
	// Most host functions that end soon end now, when they get this processor.
	// It saves putting this goroutine to sleep and waking it.
	for range 2 {
		runtime.Gosched()
		if len(r.calls.settlements) > 0 {
			return !r.calledOff()
		}
	}
	var expired <-chan time.Time
	if !r.wall.IsZero() {
		if r.timer == nil {
			r.timer = time.NewTimer(time.Until(r.wall))
		}
		expired = r.timer.C
	}
	select {
	case c := <-r.calls.settlements:
		r.calls.ended = c
		return !r.calledOff()
	case <-expired:
		r.stopped(&quickjs.InterruptError{Cause: quickjs.ErrWall})
	case <-ctx.Done():
		r.stopped(&quickjs.InterruptError{Cause: errCancelled})
	case <-r.sandbox.closing:
		r.stopped(&quickjs.InterruptError{Cause: errClosed})
	}
	return false
}

// stall ends a run that nothing can end any more.
func (r *run) stall() {
	r.enter(func() error {
		r.lost.describe(r, quickjs.Value{})
		r.out.Err, r.settled = contract.ErrStalled, true
		return nil
	})
}
