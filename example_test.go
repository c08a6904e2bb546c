package guestjs_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

func total(ctx context.Context, program string) (json.RawMessage, error) {
	ex, err := executor.New(executor.Options{}) // once, for all programs
	if err != nil {
		return nil, err
	}
	defer ex.Close(ctx)
	price := contract.Func(func(ctx context.Context, sku string) (int, error) {
		if cents, ok := map[string]int{"lamp": 8900, "rug": 24900}[sku]; ok {
			return cents, nil
		}
		return 0, &contract.Failure{Code: "unknown_sku", Message: "no such product: " + sku}
	})
	out, err := ex.Execute(ctx, contract.Program{Source: program, Providers: []contract.Provider{
		{Name: "shop", Functions: map[string]contract.HostFunc{"price": price}},
	}})
	if err != nil {
		return nil, err // not let in, or torn down: overloaded, closed, cancelled
	}
	return out.Value, out.Err // the program's value, or what it threw, or the limit that ended it
}

func Example() {
	for _, program := range []string{
		`(await Promise.all(["lamp", "rug"].map(shop.price))).reduce((a, b) => a + b)`,
		`await shop.price("sofa")`,
		`for (;;);`,
	} {
		value, err := total(context.Background(), program)
		fmt.Println(string(value), err)
	}
	// Output:
	// 33800 <nil>
	//  no such product: sofa
	//  Execution exceeded the 250ms guest CPU budget.
}
