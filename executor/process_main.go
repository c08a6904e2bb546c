package executor

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/guestjs/guestjs/executor/internal/child"
)

// ChildMain turns a process that an executor started as a child into one. Make
// it the first statement of main in every binary that uses process isolation:
//
//	func main() {
//		executor.ChildMain()
//		...
//	}
//
// It returns at once in any other process. In a child it never returns: it
// serves runs until the parent is gone, then exits. A child is recognised by its
// first argument and the two pipes it was handed; it has no environment.
// Without ChildMain in main a run fails with an error that unwraps to
// [ErrNoChildMain].
func ChildMain() { childMain(child.NewSandbox) }

func childMain(factory child.Factory) {
	cfg, is, err := child.FromArgs(os.Args)
	if !is {
		return
	}
	unclaimed.Stop()
	in, out, pipeErr := inherited(firstInherited)
	if err == nil {
		err = pipeErr
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "executor:", err)
		os.Exit(child.ExitStart)
	}
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), childProcs))
	os.Exit(child.Main(in, out, os.Stderr, cfg, factory))
}

// childProcs is how many processors a child may use at once: one for the guest,
// and one for what watches it, reads, and collects garbage.
const childProcs = 2

// unclaimedAfter is how long a child's package initialisation may take until
// main must have called ChildMain.
const unclaimedAfter = 2 * time.Second

// unclaimed ends a child whose main goes about its own business: it would be a
// second instance of the caller's program, which nobody asked for. Nil in any
// process that is not a child.
var unclaimed = func() *time.Timer {
	if _, is, _ := child.FromArgs(os.Args); !is {
		return nil
	}
	return time.AfterFunc(unclaimedAfter, func() {
		fmt.Fprintln(os.Stderr, ErrNoChildMain)
		os.Exit(child.ExitUnclaimed)
	})
}()
