package contracttest

import (
	"errors"
	"testing"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Check is one thing that callers of an executor rely on.
type Check struct {
	// Name says what, in a few words.
	Name string
	run  func(*trial) error
}

// patience is how long a check waits for what must happen. It is there to turn
// a hang into a message.
const patience = 30 * time.Second

// Run runs every check as a subtest. Make returns a new executor with its own
// defaults; the suite closes it if it can be closed. It is called on the
// subtest's goroutine, several times in some checks.
func Run(t *testing.T, make func(t testing.TB) contract.Executor) {
	for _, c := range Checks() {
		t.Run(c.Name, func(t *testing.T) {
			err := c.Run(func() contract.Executor { return make(t) })
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Run makes executors with make and returns the first breach it finds, or nil.
// An error that unwraps to errors.ErrUnsupported says that the executor lacks
// the optional power this check is about.
func (c Check) Run(make func() contract.Executor) error { return c.within(patience, make) }

func (c Check) within(patience time.Duration, make func() contract.Executor) error {
	t := &trial{make: make, patience: patience}
	err := c.run(t)
	return errors.Join(err, t.cleanUp())
}

// Checks returns all checks, in an order in which the simple come first.
func Checks() []Check {
	var all []Check
	all = append(all, runChecks...)
	all = append(all, hostChecks...)
	all = append(all, endChecks...)
	all = append(all, leaseChecks...)
	all = append(all, closeChecks...)
	return all
}
