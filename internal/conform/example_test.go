package conform_test

import (
	"fmt"

	"github.com/guestjs/guestjs/internal/conform"
)

func ExampleDiff() {
	want, err := conform.Parse(`{"outcome":{"error":{"$prefix":"TypeError: "},"failure":{"name":"TypeError","line":{"$any":true}}}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	got, err := conform.Parse(`{"outcome":{"error":"TypeError: x is null","failure":{"name":"RangeError","line":3}}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(conform.Diff(want, got))
	// Output: outcome.failure.name: got "RangeError", expected "TypeError"
}
