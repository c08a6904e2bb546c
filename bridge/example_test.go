package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// One program with two host functions. One of them refuses, and the program
// handles that.
func Example() {
	box, err := bridge.NewSandbox(bridge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()

	out, err := box.Run(context.Background(), contract.Program{
		Source: `
const user = await crm.user(7)
try {
  await crm.remove(user.id)
} catch (e) {
  console.log(e.code, e.retryable)
}
return { hello: user.name }`,
		Providers: []contract.Provider{{
			Name: "crm",
			Functions: map[string]contract.HostFunc{
				"user": contract.Func(func(_ context.Context, id int) (map[string]any, error) {
					return map[string]any{"id": id, "name": "Ada"}, nil
				}),
				"remove": contract.Func(func(_ context.Context, id int) (struct{}, error) {
					return struct{}{}, &contract.Failure{Code: "read_only", Message: "Nothing may be removed."}
				}),
			},
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(out.Value), out.Err, out.Logs)
	for _, c := range out.Calls {
		fmt.Println(c.Number, c.Name, c.State)
	}
	// Output:
	// {"hello":"Ada"} <nil> [read_only false]
	// 1 crm.user completed
	// 2 crm.remove failed
}

// A program that does not end is ended; the sandbox runs the next one.
func ExampleSandbox_Run_limits() {
	box, err := bridge.NewSandbox(bridge.Options{Limits: contract.Limits{CPU: 100 * time.Millisecond}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()

	for _, source := range []string{"for (;;);", "null.x", "6 * 7"} {
		out, err := box.Run(context.Background(), contract.Program{Source: source})
		if err != nil {
			fmt.Println(err)
			return
		}
		var thrown *contract.GuestError
		switch {
		case errors.Is(out.Err, contract.InterruptCPU):
			fmt.Println("stopped:", out.Err)
		case errors.As(out.Err, &thrown):
			fmt.Printf("failed in line %d, column %d: %v\n", thrown.Line, thrown.Column, thrown)
		default:
			fmt.Println("value:", string(out.Value))
		}
	}
	// Output:
	// stopped: Execution exceeded the 100ms guest CPU budget.
	// failed in line 1, column 5: TypeError: cannot read property 'x' of null
	// value: 42
}

// Check compiles a program and says where it is wrong, without running it.
func ExampleSandbox_Check() {
	box, err := bridge.NewSandbox(bridge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()

	err = box.Check(context.Background(), contract.Program{Source: "const total = 0\nreturn total +"})
	var thrown *contract.GuestError
	if errors.As(err, &thrown) {
		fmt.Println(thrown.Name, thrown.Line, thrown.Column)
	}
	// Output:
	// SyntaxError 2 15
}

// Data go in as globals, and an immediate function spares a goroutine.
func ExampleSandbox_Run_data() {
	box, err := bridge.NewSandbox(bridge.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer box.Close()

	rates := map[string]float64{"EUR": 1, "USD": 1.25}
	out, err := box.Run(context.Background(), contract.Program{
		Source:  "let sum = 0; for (const o of orders) sum += o.total / await rates.of(o.currency); sum",
		Globals: map[string]json.RawMessage{"orders": json.RawMessage(`[{"total":10,"currency":"EUR"},{"total":10,"currency":"USD"}]`)},
		Providers: []contract.Provider{{
			Name: "rates",
			Immediate: map[string]contract.HostFunc{
				"of": contract.Func(func(_ context.Context, currency string) (float64, error) { return rates[currency], nil }),
			},
		}},
	})
	fmt.Println(string(out.Value), out.Err, err)
	// Output:
	// 18 <nil> <nil>
}
