package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/contract"
)

// A typed Go function becomes a host function.
func ExampleFunc() {
	type query struct{ Table string }
	rows := contract.Func(func(_ context.Context, q query) ([]string, error) {
		if q.Table != "cities" {
			return nil, &contract.Failure{Code: "no_table", Message: "There is no table " + q.Table + "."}
		}
		return []string{"Rome", "Oslo"}, nil
	})

	for _, args := range []string{`[{"Table":"cities"}]`, `[{"Table":"users"}]`, `["cities"]`} {
		reply, err := rows(context.Background(), json.RawMessage(args))
		fmt.Println(string(reply), err)
	}
	// Output:
	// ["Rome","Oslo"] <nil>
	//  There is no table users.
	//  argument 1: must be an object, not string
}

// somebodyElses is an executor that knows nothing of this contract.
type somebodyElses struct{}

func (somebodyElses) Execute(context.Context, contract.Program) (contract.Outcome, error) {
	return contract.Outcome{Value: json.RawMessage(`42`)}, nil
}

func ExampleCustom() {
	fmt.Println(errors.Is(contract.Check(somebodyElses{}), contract.ErrInvalid))

	executor, err := contract.Custom(somebodyElses{}, contract.SelfManaged)
	if err != nil {
		panic(err)
	}
	fmt.Println(contract.Check(executor))
	lifecycle, _ := contract.LifecycleOf(executor)
	fmt.Println(lifecycle)
	// Output:
	// true
	// <nil>
	// self-managed
}

// What ended a run is asked of Outcome.Err, never read from its text.
func ExampleInterruptError() {
	out := contract.Outcome{
		Err:       &contract.InterruptError{Interrupt: contract.InterruptCPU, Budget: 250e6},
		Interrupt: contract.InterruptCPU,
	}
	fmt.Println(out.Err)
	fmt.Println(errors.Is(out.Err, contract.InterruptCPU), errors.Is(out.Err, contract.InterruptWall))
	// Output:
	// Execution exceeded the 250ms guest CPU budget.
	// true false
}

func ExampleFailure() {
	err := fmt.Errorf("reading the table: %w", &contract.Failure{
		Code: "busy", Message: "Try again.", Retryable: true, RetryAfter: 2e9,
		Details: map[string]any{"table": "cities"},
	})
	var failure *contract.Failure
	if errors.As(err, &failure) {
		record, _ := json.Marshal(failure)
		fmt.Println(string(record))
	}
	// Output:
	// {"code":"busy","message":"Try again.","retryAfterMs":2000,"retryable":true,"table":"cities"}
}
