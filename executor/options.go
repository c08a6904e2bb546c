package executor

import (
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor/internal/child"
)

// Isolation says where sandboxes live. SECURITY.md says when to choose which.
type Isolation uint8

const (
	// InProcess keeps sandboxes in this process: a run starts in microseconds.
	InProcess Isolation = iota
	// Process keeps each sandbox in a child process, which survives nothing that
	// the engine does to it and has no access to files, network or programs. Main
	// must call ChildMain first, unless ChildPath names a binary that does.
	Process
)

// NoQueue as Options.MaxQueueSize lets nobody wait.
const NoQueue = -1

// Options configure an Executor. Zero fields take the default.
type Options struct {
	// Name is what Executor.Name returns, sanitised. Default "guestjs".
	Name string
	// Isolation says where sandboxes live. Default InProcess.
	Isolation Isolation

	// Concurrency is how many programs run at once. Default GOMAXPROCS.
	Concurrency int
	// MaxQueueSize is how many callers may wait for a slot. Default 32; NoQueue
	// for none.
	MaxQueueSize int
	// QueueTimeout is how long one may wait. Default 5 s.
	QueueTimeout time.Duration
	// RetryAfter is what an overloaded caller is told to wait. Default
	// QueueTimeout; admission.RetryAtOnce for no time at all.
	RetryAfter time.Duration
	// MaxLease is how long a lease may be held; zero for as long as it likes.
	MaxLease time.Duration

	// Limits are those of a program that names none, and the most memory, stack
	// and source text that one may ask for. Default contract.DefaultLimits.
	Limits contract.Limits
	// MaxCalls is how many host functions of one run may run at once. Default 64.
	MaxCalls int
	// NoEval refuses eval and the Function constructor to programs.
	NoEval bool
	// HostTimeZone lets Date use the host's zone; otherwise it is UTC.
	HostTimeZone bool

	// ChildPath is the binary of a child process, whose main calls ChildMain.
	// Default this process's own.
	ChildPath string
	// SkipHardening names steps that a child does not take, by their names in
	// the Snapshot's notes; "all" for all of them. For systems where one of them
	// is in the way.
	SkipHardening []string

	// Logger learns of starts, stops, refusals and faults; at Info and above
	// nothing of a program or its data. Default: nothing is logged.
	Logger *slog.Logger
	// Observer is told of runs and host calls, for metrics and traces.
	Observer Observer
}

// Defaults of SPEC section 2, but for the concurrency.
const (
	defaultQueue        = 32
	defaultQueueTimeout = 5 * time.Second
	defaultMaxCalls     = 64
	mostMaxCalls        = 1 << 16
	mostMaxLease        = math.MaxInt32 * time.Millisecond
)

func (o Options) withDefaults() (Options, error) {
	if err := o.Limits.Validate(); err != nil {
		return o, err
	}
	switch {
	case o.Isolation > Process:
		return o, fmt.Errorf("%w: Options.Isolation is %d; use InProcess or Process", contract.ErrInvalid, o.Isolation)
	case o.MaxCalls < 0:
		return o, fmt.Errorf("%w: Options.MaxCalls is negative; zero means %d", contract.ErrInvalid, defaultMaxCalls)
	case o.MaxCalls > mostMaxCalls:
		return o, fmt.Errorf("%w: Options.MaxCalls is %d; at most %d are possible", contract.ErrInvalid, o.MaxCalls, mostMaxCalls)
	case o.MaxLease < 0 || o.MaxLease > mostMaxLease:
		return o, fmt.Errorf("%w: Options.MaxLease is %s; use zero for no limit, or at most 2,147,483,647 milliseconds", contract.ErrInvalid, o.MaxLease)
	case o.MaxQueueSize < NoQueue:
		return o, fmt.Errorf("%w: Options.MaxQueueSize is %d; use NoQueue to let nobody wait", contract.ErrInvalid, o.MaxQueueSize)
	case o.Isolation == InProcess && o.ChildPath != "":
		return o, fmt.Errorf("%w: Options.ChildPath is set without Isolation: Process", contract.ErrInvalid)
	case o.Isolation == InProcess && len(o.SkipHardening) > 0:
		return o, fmt.Errorf("%w: Options.SkipHardening is set without Isolation: Process", contract.ErrInvalid)
	}
	for _, name := range o.SkipHardening {
		if !slices.Contains(child.StepNames, name) {
			return o, fmt.Errorf("%w: Options.SkipHardening names %q; use %q or some of %q", contract.ErrInvalid, name, "all", child.StepNames[1:])
		}
	}
	o.Limits = o.Limits.Or(contract.DefaultLimits())
	if o.Name = contract.SanitizeName(o.Name); o.Name == "" {
		o.Name = "guestjs"
	}
	if o.Concurrency == 0 {
		o.Concurrency = runtime.GOMAXPROCS(0)
	}
	switch o.MaxQueueSize {
	case 0:
		o.MaxQueueSize = defaultQueue
	case NoQueue:
		o.MaxQueueSize = 0
	}
	if o.QueueTimeout == 0 {
		o.QueueTimeout = defaultQueueTimeout
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = defaultMaxCalls
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

func (o Options) admission() admission.Options {
	return admission.Options{
		Concurrency: o.Concurrency, MaxQueueSize: o.MaxQueueSize,
		QueueTimeout: o.QueueTimeout, RetryAfter: o.RetryAfter, MaxDuration: o.MaxLease,
	}
}
