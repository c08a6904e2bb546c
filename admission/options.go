package admission

import (
	"fmt"
	"math"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// RetryAtOnce as Options.RetryAfter tells refused callers to wait no time at
// all: zero there means the default.
const RetryAtOnce time.Duration = math.MinInt64

// Options configure a Controller (SPEC section 3.1).
type Options struct {
	// Concurrency is the number of slots; at least 1.
	Concurrency int
	// MaxQueueSize is how many callers may wait. Zero: nobody waits.
	MaxQueueSize int
	// QueueTimeout is how long a caller may wait; more than zero. Messages show
	// it in whole milliseconds.
	QueueTimeout time.Duration
	// RetryAfter is what an overloaded caller is told to wait before it tries
	// again, cut to whole milliseconds. Zero means QueueTimeout; RetryAtOnce
	// means none.
	RetryAfter time.Duration
	// MaxDuration is how long a lease lives at most, from when it was granted,
	// if somebody else needs the slot. Zero means for ever; at most
	// 2,147,483,647 milliseconds.
	MaxDuration time.Duration
}

const maxLease = math.MaxInt32 * time.Millisecond

// resolve checks o in the order SPEC gives and fills in the default.
func (o Options) resolve() (Options, error) {
	switch {
	case o.Concurrency < 1:
		return o, invalid("Concurrency must be a positive whole number.")
	case o.MaxQueueSize < 0:
		return o, invalid("MaxQueueSize must be a non-negative whole number.")
	case o.QueueTimeout <= 0:
		return o, invalid("QueueTimeout must be a positive whole number.")
	case o.RetryAfter < 0 && o.RetryAfter != RetryAtOnce:
		return o, invalid("RetryAfter must be a non-negative whole number.")
	case o.MaxDuration < 0:
		return o, invalid("MaxDuration must be a positive whole number.")
	case o.MaxDuration > maxLease:
		return o, invalid("MaxDuration must be at most 2,147,483,647 milliseconds.")
	}
	switch o.RetryAfter {
	case 0:
		o.RetryAfter = o.QueueTimeout
	case RetryAtOnce:
		o.RetryAfter = 0
	}
	o.RetryAfter = o.RetryAfter.Truncate(time.Millisecond)
	return o, nil
}

func invalid(text string) error { return fmt.Errorf("%w: %s", contract.ErrInvalid, text) }
