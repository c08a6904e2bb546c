package bench

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Size is an amount of JSON text by the name it has in benchmarks.
type Size struct {
	// Name is the value of the size= part.
	Name string
	// Rows is how many records make about that much text.
	Rows int
}

// Sizes are the amounts that the JSON subjects move.
var Sizes = []Size{{"1KB", 5}, {"256KB", 1160}, {"4MB", 18_500}}

// Row is one record as JSON: short strings, numbers of both kinds, nesting, and
// characters beyond ASCII.
var Row = string(data("record"))

// rowID is the number in Row that Rows counts up.
const rowID = "4711"

// Rows is a JSON array of n records numbered from 0. It is always the same
// text.
func Rows(n int) json.RawMessage {
	before, after, _ := strings.Cut(Row, rowID)
	var b strings.Builder
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(before + strconv.Itoa(i) + after)
	}
	b.WriteByte(']')
	return json.RawMessage(b.String())
}

// Customer, Orders and Saved are what the host answers in testdata/calls.js: to
// a fetch of the table customers, to one of any other table, and to save.
var (
	Customer = data("customer")
	Orders   = data("orders")
	Saved    = data("saved")
)

func data(name string) json.RawMessage {
	text, err := files.ReadFile("testdata/" + name + ".json")
	if err != nil {
		panic("bench: " + err.Error()) // the set is fixed when the package is compiled
	}
	return text
}
