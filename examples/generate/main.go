// Command generate writes the orders that the examples report on: a shop with
// forty customers, a year of orders in four currencies, some refunds, and a few
// orders that deserve a second look. The same every time.
//
//	go run ./examples/generate examples/orders.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], text(makeShop()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// text writes one customer and one order a line, so that a change is a short
// difference.
func text(s shop) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n\"shop\": %s,\n\"currency\": %s,\n\"rates\": %s,\n\"customers\": [\n", line(s.Name), line(s.Currency), line(s.Rates))
	lines(&b, s.Customers)
	b.WriteString("],\n\"orders\": [\n")
	lines(&b, s.Orders)
	b.WriteString("]\n}\n")
	return b.Bytes()
}

func lines[T any](b *bytes.Buffer, list []T) {
	for i, v := range list {
		b.Write(line(v))
		if i < len(list)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
}

func line(v any) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // plain structs have a JSON form
	}
	return bytes.TrimSpace(text.Bytes())
}

const orderCount = 320

// makeShop makes everything, from one seed.
func makeShop() shop {
	r := rand.New(rand.NewPCG(20250101, 7))
	s := shop{Name: "Kestrel & Finch", Currency: "EUR", Rates: map[string]float64{"EUR": 1, "USD": 0.92, "GBP": 1.17, "SEK": 0.087}}
	for i := range 40 {
		s.Customers = append(s.Customers, makeCustomer(r, i))
	}
	at := time.Date(2025, 1, 1, 7, 0, 0, 0, time.UTC)
	for i := range orderCount {
		// More orders towards the end of the year, as shops have them.
		gap := 37 - 16*float64(i)/orderCount
		at = at.Add(time.Duration(r.ExpFloat64() * gap * float64(time.Hour))).Truncate(time.Second)
		s.Orders = append(s.Orders, makeOrder(r, i, at, s.Customers[pick(r, len(s.Customers))]))
	}
	for n, i := range []int{41, 97, 98, 160, 203, 287} {
		spoil(r, n, &s.Orders[i])
	}
	return s
}

// pick favours small numbers: some customers and products are bought more.
func pick(r *rand.Rand, n int) int { return min(r.IntN(n), r.IntN(n)) }
