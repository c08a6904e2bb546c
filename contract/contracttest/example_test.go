package contracttest_test

import (
	"fmt"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
)

// Without a *testing.T, a check tells what it found.
func ExampleCheck_Run() {
	undeclared := func() contract.Executor {
		return struct{ contract.Executor }{contracttest.NewFake()}
	}
	for _, c := range contracttest.Checks()[:3] {
		switch err := c.Run(undeclared); {
		case err == nil:
			fmt.Println("ok:", c.Name)
		default:
			fmt.Printf("not ok: %s: %.70s...\n", c.Name, err)
		}
	}
	// Output:
	// not ok: the lifecycle is declared: contract: invalid argument: an executor must declare its lifecycle, an...
	// not ok: the name is clean: unsupported operation: struct { contract.Executor } is no contract.Nam...
	// ok: a value comes back
}
