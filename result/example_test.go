package result_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/guestjs/guestjs/result"
)

func ExampleGuard() {
	guard := result.Guard{MaxUnits: 180, HintPrefix: "Saved as r1."}
	if err := guard.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	rows := json.RawMessage(`["` + strings.Repeat("row,", 500) + `"]`)
	shown, truncated, err := guard.Apply(rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(truncated, result.Units(string(shown)))
	fmt.Println(string(shown))
	// Output:
	// true 172
	// {"truncated":true,"preview":"[\"row,row,row,row,row,row,ro","totalChars":2004,"hint":"Saved as r1. filter/map/slice data inside execute_code and return only what you need"}
}

func ExampleCutText() {
	fmt.Println(result.CutText("a long line", 6))
	// Output:
	// a long
	// --- TRUNCATED (11 chars total) — filter/map/slice data inside your code and return only what you need ---
}
