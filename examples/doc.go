// Package examples holds programs to read and to run.
//
// orders.js is a guest program: a report on orders.json, the orders of a shop
// that does not exist.
//
//	go run ./cmd/guestjs run --input examples/orders.json examples/orders.js
//
// Directory embed is a Go program that runs guest code with host functions of its
// own; generate writes orders.json, the same every time.
package examples

//go:generate go run ./generate orders.json
