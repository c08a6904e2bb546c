package contracttest

import (
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Within runs a check that is expected to fail, so with little patience.
func (c Check) Within(patience time.Duration, make func() contract.Executor) error {
	return c.within(patience, make)
}
