package contracttest_test

import (
	"testing"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
)

func TestFakePasses(t *testing.T) {
	contracttest.Run(t, func(testing.TB) contract.Executor { return contracttest.NewFake() })
}
