package contract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// DefaultName is the file name a program goes by in errors when Program.Name
// is empty.
const DefaultName = "program.js"

// Unlimited lifts a limit. It has to be written; zero always means the
// documented default.
const Unlimited = math.MaxInt64

// ErrInvalid is what every error about a wrong argument unwraps to.
var ErrInvalid = errors.New("contract: invalid argument")

// Program is one guest program and everything it may use. It is not changed
// by running it, and may run any number of times.
type Program struct {
	// Source is the text of the program: an expression (a function is called),
	// the body of an async function, or a module with one default export
	// (SPEC section 5). It must be UTF-8.
	Source string

	// Name is the file name shown in errors. Empty means DefaultName.
	Name string

	// Globals are JSON texts placed on the global object under their names,
	// before any prelude runs. A name must be an identifier that is not a
	// global yet.
	Globals map[string]json.RawMessage

	// Providers are the namespaces of host functions the program can call.
	Providers []Provider

	// Limits bound this run. A zero field takes the executor's own limit; a
	// field that the executor cannot honour (more memory or stack than it was
	// built with) is refused.
	Limits Limits

	// Clock, when not zero, is the instant that Date sees for the whole run.
	Clock time.Time

	// Seed, when not zero, makes Math.random repeat the same sequence.
	Seed uint64

	// OnLog, when set, receives each kept log entry as it is captured. It is
	// called on the goroutine that drives the guest, with the run's clocks
	// going, so it must not block.
	OnLog func(entry string)

	// OnCall, when set, receives each host call once, when it has ended or when
	// the run ends before it. Calls are made one at a time, on the goroutine
	// that drives the run; it must not block.
	OnCall func(Call)
}

// Limits bound one run. Zero means the default named at each field, or, in a
// Program, the limit of the executor. Use Unlimited to lift a time limit.
type Limits struct {
	// Wall is the time from the start of the run to its end, host waits
	// included. Default 30 s.
	Wall time.Duration
	// CPU is the processor time of guest code: the guest thread's own clock on
	// Linux, elapsed driving time elsewhere. Host waits cost nothing. Elapsed
	// time, which never shows less and costs nothing to read, may stand for up to
	// an eighth of it on Linux too. Default 250 ms.
	CPU time.Duration
	// Memory is the size of the guest's heap in bytes, the engine's own state
	// of about 256 KiB included. Default 64 MiB, at least 1 MiB and at most 1 TiB.
	Memory int64
	// Stack is the guest's stack in bytes, of which a plain call takes about
	// 200. Default 1 MiB, at least 64 KiB and at most 8 MiB.
	Stack int64
	// Source is the largest source text in bytes, of the program and of each
	// text it compiles itself. Default 1 MiB.
	Source int64
	// HostCalls is how many host calls one run may make. Default 100,000.
	HostCalls int64
}

// DefaultLimits returns the limits that a zero Limits stands for.
func DefaultLimits() Limits {
	return Limits{
		Wall:      30 * time.Second,
		CPU:       250 * time.Millisecond,
		Memory:    64 << 20,
		Stack:     1 << 20,
		Source:    1 << 20,
		HostCalls: 100_000,
	}
}

const (
	minMemory = 1 << 20
	maxMemory = 1 << 40
	minStack  = 64 << 10
	maxStack  = 8 << 20
)

// Or returns l with each zero field replaced by that of base.
func (l Limits) Or(base Limits) Limits {
	if l.Wall == 0 {
		l.Wall = base.Wall
	}
	if l.CPU == 0 {
		l.CPU = base.CPU
	}
	if l.Memory == 0 {
		l.Memory = base.Memory
	}
	if l.Stack == 0 {
		l.Stack = base.Stack
	}
	if l.Source == 0 {
		l.Source = base.Source
	}
	if l.HostCalls == 0 {
		l.HostCalls = base.HostCalls
	}
	return l
}

// Validate reports the first field that no run can honour: one that is
// negative, or outside the range named at the field. Zero fields pass.
func (l Limits) Validate() error {
	for _, f := range []struct {
		name  string
		value int64
	}{
		{"Wall", int64(l.Wall)}, {"CPU", int64(l.CPU)}, {"Memory", l.Memory},
		{"Stack", l.Stack}, {"Source", l.Source}, {"HostCalls", l.HostCalls},
	} {
		if f.value < 0 {
			return fmt.Errorf("%w: Limits.%s is negative; zero means the default", ErrInvalid, f.name)
		}
	}
	switch {
	case l.Memory != 0 && l.Memory < minMemory:
		return fmt.Errorf("%w: Limits.Memory is %d bytes; at least %d are needed", ErrInvalid, l.Memory, minMemory)
	case l.Memory > maxMemory:
		return fmt.Errorf("%w: Limits.Memory is %d bytes; at most %d are possible", ErrInvalid, l.Memory, int64(maxMemory))
	case l.Stack != 0 && l.Stack < minStack:
		return fmt.Errorf("%w: Limits.Stack is %d bytes; at least %d are needed", ErrInvalid, l.Stack, minStack)
	case l.Stack > maxStack:
		return fmt.Errorf("%w: Limits.Stack is %d bytes; at most %d are possible", ErrInvalid, l.Stack, maxStack)
	}
	return nil
}
