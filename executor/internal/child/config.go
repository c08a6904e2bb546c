package child

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Arg is the first argument of a process that is a child. Its second is a
// [Config] as JSON; the environment is empty and says nothing.
const Arg = "guestjs-child/1"

// Config is what a child is told before it starts. It holds nothing secret:
// anyone who may list processes can read it.
type Config struct {
	// Limits are the most that any run of this child may use.
	Limits contract.Limits `json:"limits"`
	// MaxCalls bounds host functions running at once in one run.
	MaxCalls int `json:"maxCalls,omitempty"`
	// NoEval and HostTimeZone are those of bridge.Options.
	NoEval       bool `json:"noEval,omitempty"`
	HostTimeZone bool `json:"hostTimeZone,omitempty"`
	// Skip names steps of hardening to leave out; "all" leaves out everything.
	Skip []string `json:"skip,omitempty"`
}

// Args are the arguments, after the name of the program, of a child with c.
func (c Config) Args() []string {
	text, err := json.Marshal(c)
	if err != nil { // numbers and strings always have a JSON form
		panic("child: " + err.Error())
	}
	return []string{Arg, string(text)}
}

// FromArgs reports whether args, those of the process with its name first, are
// those of a child, and reads its Config.
func FromArgs(args []string) (c Config, is bool, err error) {
	if len(args) < 2 || args[1] != Arg {
		return Config{}, false, nil
	}
	if len(args) != 3 {
		return Config{}, true, fmt.Errorf("child: %s takes one argument, a configuration; it has %d", Arg, len(args)-2)
	}
	if err := json.Unmarshal([]byte(args[2]), &c); err != nil {
		return Config{}, true, fmt.Errorf("child: configuration: %w", err)
	}
	return c, true, nil
}

// Runner runs programs one after another, each as if it were the first. Run may
// be called from any goroutine, never from two at once.
type Runner interface {
	Run(ctx context.Context, p contract.Program) (contract.Outcome, error)
}

// Factory makes the Runner of a child. It runs before the child gives anything
// up, so it may still read files and start threads.
type Factory func(Config) (Runner, error)

// InitialCPU is the processor time, since its start, that a child may use before
// its parent allows more.
const InitialCPU = 60 * time.Second
