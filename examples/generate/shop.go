package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

type shop struct {
	Name      string
	Currency  string
	Rates     map[string]float64 // the price of one in Currency
	Customers []customer
	Orders    []order
}

type customer struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Email   string  `json:"email"`
	Since   string  `json:"since"`
	Address address `json:"address"`
}

type address struct {
	Street   string `json:"street"`
	City     string `json:"city"`
	Postcode string `json:"postcode"`
	Country  string `json:"country"`
}

// Amounts are in the smallest unit of the order's currency.
type order struct {
	ID       string    `json:"id"`
	PlacedAt time.Time `json:"placedAt"`
	Customer string    `json:"customer"`
	Currency string    `json:"currency"`
	ShipTo   *address  `json:"shipTo"` // null: the customer's own address
	Lines    []item    `json:"lines"`
	Shipping int       `json:"shipping"`
	Payment  payment   `json:"payment"`
	Refunds  []refund  `json:"refunds,omitempty"`
}

type item struct {
	SKU      string `json:"sku"`
	Title    string `json:"title"`
	Quantity int    `json:"quantity"`
	Price    int    `json:"price"`
	Discount int    `json:"discountPercent,omitempty"`
}

type payment struct {
	Method      string `json:"method"`
	CardCountry string `json:"cardCountry,omitempty"`
	Attempts    int    `json:"attempts"`
}

type refund struct {
	At     time.Time `json:"at"`
	SKU    string    `json:"sku"`
	Amount int       `json:"amount"`
	Reason string    `json:"reason"`
}

func makeCustomer(r *rand.Rand, i int) customer {
	first, last := firstNames[(i*7)%len(firstNames)], lastNames[(i*11)%len(lastNames)]
	return customer{
		ID:      fmt.Sprintf("C-%03d", i+1),
		Name:    first + " " + last,
		Email:   strings.ToLower(first) + "." + strings.ToLower(last) + "@mail.example",
		Since:   time.Date(2019+r.IntN(6), time.Month(1+r.IntN(12)), 1+r.IntN(28), 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		Address: makeAddress(r, places[pick(r, len(places))]),
	}
}

func makeAddress(r *rand.Rand, p place) address {
	return address{
		Street:   fmt.Sprintf("%s %d", p.streets[r.IntN(len(p.streets))], 1+r.IntN(140)),
		City:     p.city,
		Postcode: fmt.Sprintf("%05d", 10000+r.IntN(89999)),
		Country:  p.country,
	}
}

func makeOrder(r *rand.Rand, i int, at time.Time, c customer) order {
	o := order{
		ID: fmt.Sprintf("O-%d", 10001+i), PlacedAt: at, Customer: c.ID,
		Currency: currencyOf[c.Address.Country],
		Payment:  payment{Method: methods[pick(r, len(methods))], Attempts: 1},
	}
	if r.IntN(12) == 0 { // a present
		a := makeAddress(r, places[pick(r, len(places))])
		o.ShipTo = &a
	}
	if o.Payment.Method == "card" {
		o.Payment.CardCountry = c.Address.Country
		if r.IntN(9) == 0 {
			o.Payment.Attempts = 2
		}
	}
	for _, p := range r.Perm(len(products))[:1+pick(r, 4)] {
		it := item{SKU: products[p].sku, Title: products[p].title, Quantity: 1 + pick(r, 3), Price: priceIn(products[p].cents, o.Currency)}
		if r.IntN(6) == 0 {
			it.Discount = 5 * (1 + r.IntN(4))
		}
		o.Lines = append(o.Lines, it)
	}
	if sum := o.total(); sum < priceIn(8000, o.Currency) {
		o.Shipping = priceIn(590, o.Currency)
	}
	if r.IntN(11) == 0 {
		back := o.Lines[r.IntN(len(o.Lines))]
		o.Refunds = []refund{{At: at.Add(time.Duration(3+r.IntN(20)) * 24 * time.Hour), SKU: back.SKU, Amount: back.total(), Reason: reasons[r.IntN(len(reasons))]}}
	}
	return o
}

// spoil makes an order one to look at twice.
func spoil(r *rand.Rand, n int, o *order) {
	switch n % 3 {
	case 0: // somebody else's card, tried until it worked
		o.Payment = payment{Method: "card", CardCountry: "BR", Attempts: 4 + r.IntN(4)}
	case 1: // more of one thing than a household needs
		o.Lines[0].Quantity = 14 + r.IntN(10)
	default: // more money back than ever came in
		o.Refunds = append(o.Refunds, refund{At: o.PlacedAt.Add(26 * time.Hour), SKU: o.Lines[0].SKU, Amount: o.total() + 2500, Reason: "other"})
	}
}

func (o order) total() (sum int) {
	for _, it := range o.Lines {
		sum += it.total()
	}
	return sum
}

func (it item) total() int { return it.Quantity * it.Price * (100 - it.Discount) / 100 }

// priceIn turns euro cents into a round price in another currency.
func priceIn(cents int, currency string) int {
	switch currency {
	case "USD":
		return (cents*11/10)/100*100 + 99
	case "GBP":
		return (cents*9/10)/100*100 + 95
	case "SEK":
		return cents * 11 / 1000 * 1000
	}
	return cents
}
