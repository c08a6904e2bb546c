package bridge

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// Options configure a Sandbox. The zero Options are the documented defaults.
type Options struct {
	// Limits are those of a program that names none of its own. Memory and
	// Stack also bound every program: the sandbox is built with that much.
	Limits contract.Limits
	// MaxCalls is how many host functions of one run may run at once; further
	// calls wait in order, their arguments in the guest's memory. Default 64.
	MaxCalls int
	// MaxArguments bounds the arguments of a host call as JSON text, in bytes.
	// Default 262,144, so that they fit the transport of SPEC section 2. Something
	// behind the host functions that says itself what is too much needs more.
	MaxArguments int
	// MaxResult bounds the value of a run as JSON text, in bytes. Default 64 MiB.
	MaxResult int
	// NoEval refuses eval and the Function constructor to programs.
	NoEval bool
	// HostTimeZone lets Date use the host's zone; otherwise it is UTC.
	HostTimeZone bool
}

const (
	defaultMaxCalls = 64
	mostCalls       = 1 << 16
)

// Sandbox is one reusable place in which programs run one after another. Make
// one with NewSandbox; Close it when done.
type Sandbox struct {
	opts   Options
	limits contract.Limits

	run   sync.Mutex // held by whoever uses the engine
	guest *guest     // nil after a fault until it is built anew, and after Close
	past  Stats      // of guests that were replaced
	codes codeCache  // of programs that came more than once
	spare *run       // for the next run; nil when the last one has gone to a host function

	closing chan struct{} // closed by Close
	mu      sync.Mutex    // guards what follows
	closed  bool
	current *quickjs.Runtime // to be stopped by Close
	stats   Stats            // of all runs that have ended
}

// guest is the engine side of a sandbox.
type guest struct {
	rt          *quickjs.Runtime
	qc          *quickjs.Context
	stringify   quickjs.Value // this and the next two: see capture
	string      quickjs.Value
	mark        string
	stackGetter quickjs.Value
	globals     map[string]bool
	run         *run // the run that native functions belong to
}

//go:embed prelude.js
var preludeSource string

// NewSandbox builds a sandbox: the engine, its built-ins and the image that
// every run starts from. It takes about a millisecond.
func NewSandbox(o Options) (*Sandbox, error) {
	if err := o.Limits.Validate(); err != nil {
		return nil, err
	}
	switch {
	case o.MaxCalls < 0:
		return nil, invalid("Options.MaxCalls is negative; zero means %d", defaultMaxCalls)
	case o.MaxArguments < 0:
		return nil, invalid("Options.MaxArguments is negative; zero means %d", maxTransport)
	case o.MaxResult < 0:
		return nil, invalid("Options.MaxResult is negative; zero means %d", maxResult)
	case o.MaxCalls > mostCalls:
		return nil, invalid("Options.MaxCalls is %d; at most %d are possible", o.MaxCalls, mostCalls)
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultMaxCalls
	}
	if o.MaxArguments == 0 {
		o.MaxArguments = maxTransport
	}
	if o.MaxResult == 0 {
		o.MaxResult = maxResult
	}
	s := &Sandbox{opts: o, limits: o.Limits.Or(contract.DefaultLimits()), closing: make(chan struct{})}
	g, err := s.newGuest()
	if err != nil {
		return nil, err
	}
	s.guest = g
	return s, nil
}

func (s *Sandbox) newGuest() (_ *guest, err error) {
	rt, err := quickjs.NewRuntime(quickjs.Limits{
		Memory: s.limits.Memory, Stack: s.limits.Stack,
		// A program of the full size is compiled with something around it, and
		// the engine counts the set-up script as well.
		Source: max(min(s.limits.Source, contract.Unlimited-wrapperSize), int64(len(preludeSource))) + wrapperSize,
	})
	if err != nil {
		return nil, fmt.Errorf("bridge: building a sandbox: %w", err)
	}
	g := &guest{rt: rt}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("bridge: building a sandbox: %w", err), rt.Close())
		}
	}()
	if g.qc, err = rt.NewContext(quickjs.ContextOptions{NoEval: s.opts.NoEval, HostTimeZone: s.opts.HostTimeZone}); err != nil {
		return nil, err
	}
	rt.SetRejectionTracker(g.rejection)
	setup, err := g.qc.Eval(preludeSource, quickjs.EvalOptions{Name: setupName})
	if err != nil {
		return nil, err
	}
	log, err := g.qc.Function("log", 0, g.log)
	if err != nil {
		return nil, err
	}
	done, err := setup.Call(g.qc.Undefined(), log)
	if err != nil {
		return nil, err
	}
	for _, v := range []quickjs.Value{setup, log, done} {
		v.Free()
	}
	if err := g.capture(); err != nil {
		return nil, err
	}
	global := g.qc.Global()
	names, err := global.OwnKeys(false)
	if err != nil {
		return nil, err
	}
	global.Free()
	g.globals = make(map[string]bool, len(names))
	for _, n := range names {
		g.globals[n] = true
	}
	return g, rt.Checkpoint()
}

// Stats count what happened in a sandbox since it was made.
type Stats struct {
	// Runs is the number of programs that were started.
	Runs uint64
	// MemoryStops, Interrupts and Faults count runs that ended in this way;
	// Kills counts how often access to the guest's memory had to be revoked.
	MemoryStops, Interrupts, Kills, Faults uint64
	// Rebuilt counts how often the arena was built anew after a fault.
	Rebuilt uint64
}

// Stats returns the counters as they were when the last run ended. It does not
// wait, and may be called from any goroutine.
func (s *Sandbox) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

func (t Stats) plus(g *guest) Stats {
	if g != nil {
		q := g.rt.Stats()
		t.MemoryStops += q.MemoryStops
		t.Interrupts += q.Interrupts
		t.Kills += q.Kills
		t.Faults += q.Faults
	}
	return t
}

var (
	errClosed    = errors.New("bridge: sandbox closed")
	errCancelled = errors.New("bridge: context ended")
	errRunning   = fmt.Errorf("%w: the sandbox is running another program; use one sandbox per program at a time", contract.ErrInvalid)
)

// Run runs one program and returns its outcome. It blocks until the run has
// ended, which the program's limits see to. The sandbox runs one program at a
// time; a second call meanwhile is refused.
//
// The error is nil whenever the program came to an end of its own or a limit
// ended it: Outcome.Err says which. It is a [*contract.RefusedError] when ctx
// ended or the sandbox was closed, with the Outcome saying what happened until
// then, and unwraps to [contract.ErrInvalid] when the program cannot be run as
// it is. A panic of a host function is raised again here.
//
// Host functions that are still running when Run returns have their contexts
// ended; what they return later is dropped.
func (s *Sandbox) Run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	start := time.Now()
	if !s.run.TryLock() {
		return contract.Outcome{}, s.taken()
	}
	defer s.run.Unlock()
	if err := s.ready(); err != nil {
		return contract.Outcome{}, err
	}
	limits, err := s.check(&p)
	if err != nil {
		return contract.Outcome{}, err
	}
	if err := notStarted(ctx); err != nil {
		return contract.Outcome{}, err
	}
	s.past.Runs++
	r := s.newRun(p, limits, start)
	out, err := s.use(ctx, r, r.execute)
	if r.calls.made == 0 { // or a host function may know it still
		*r = run{}
		s.spare = r
	}
	return out, err
}

// newRun is a run that has not begun.
func (s *Sandbox) newRun(p contract.Program, limits contract.Limits, start time.Time) *run {
	r := s.spare
	if s.spare = nil; r == nil {
		r = new(run)
	}
	r.sandbox, r.guest, r.program, r.limits, r.start = s, s.guest, p, limits, start
	if limits.Wall != contract.Unlimited {
		r.wall = start.Add(limits.Wall)
	}
	return r
}

// notStarted is the error of a program that is not begun because ctx has ended.
func notStarted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &contract.RefusedError{
		Code: contract.CodeCancelled, Message: "Execution was cancelled before it started.", Cause: context.Cause(ctx),
	}
}

// use does what it is told with a run, and throws the arena away when that
// ended in a fault.
func (s *Sandbox) use(ctx context.Context, r *run, do func(context.Context) (contract.Outcome, error)) (contract.Outcome, error) {
	s.guest.run = r
	defer s.idle() // a panic of a listener or host function passes here
	out, err := do(ctx)
	if out.Interrupt == contract.InterruptFault {
		if ferr := s.rebuild(); ferr != nil {
			return out, ferr
		}
	}
	return out, err
}

// idle says that no run is going.
func (s *Sandbox) idle() {
	if s.guest != nil {
		s.guest.run = nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats = s.past.plus(s.guest)
}

// ready makes sure that there is a guest, and says so to Close.
func (s *Sandbox) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return closedError(false)
	}
	if s.guest == nil {
		g, err := s.newGuest()
		if err != nil {
			return err
		}
		s.guest = g
		s.past.Rebuilt++
	}
	s.current = s.guest.rt
	return nil
}

// rebuild throws the arena away after a fault. The next run builds a new one.
func (s *Sandbox) rebuild() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.past = s.past.plus(s.guest)
	g := s.guest
	s.guest, s.current, s.codes = nil, nil, codeCache{} // nothing kept is of the next guest
	return g.rt.Close()
}

// taken says why the sandbox could not be had: Close may be what holds it.
func (s *Sandbox) taken() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return closedError(false)
	}
	return errRunning
}

// Check compiles a program without running it. A syntax error is a
// [*contract.GuestError] with its place; anything else that Run would refuse is
// refused in the same way.
func (s *Sandbox) Check(ctx context.Context, p contract.Program) error {
	start := time.Now()
	if !s.run.TryLock() {
		return s.taken()
	}
	defer s.run.Unlock()
	if err := s.ready(); err != nil {
		return err
	}
	limits, err := s.check(&p)
	if err != nil {
		return err
	}
	if err := notStarted(ctx); err != nil {
		return err
	}
	r := s.newRun(p, limits, start)
	out, err := s.use(ctx, r, r.compileOnly)
	if err != nil {
		return err
	}
	return out.Err
}

// Trim gives the memory that past runs used back to the system, all but the
// image. Call it on a sandbox that will be idle for a while.
func (s *Sandbox) Trim() error {
	s.run.Lock()
	defer s.run.Unlock()
	if s.guest == nil {
		return nil
	}
	if err := s.guest.rt.Rewind(); err != nil {
		return errors.Join(err, s.rebuild()) // or the next program would pay for it
	}
	return s.guest.rt.Trim()
}

// Close ends a run that is going, waits for it and gives everything back. It is
// idempotent and may be called from any goroutine but one that the run waits
// for.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	if s.current != nil {
		s.current.Kill(errClosed)
	}
	s.mu.Unlock()
	s.run.Lock()
	defer s.run.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.guest
	s.guest, s.current = nil, nil
	if g == nil {
		return nil
	}
	s.past = s.past.plus(g)
	return g.rt.Close()
}

func closedError(started bool) *contract.RefusedError {
	return &contract.RefusedError{
		Code: contract.CodeClosed, Message: "Executor is shutting down.", Started: started, Cause: contract.ErrClosed,
	}
}
