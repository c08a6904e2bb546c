package engine

import (
	"encoding/json"
	"errors"

	"github.com/guestjs/guestjs/bench"
)

// Engine is a way to run JavaScript.
type Engine interface {
	// Name is the value of the engine= part.
	Name() string
	// Open returns a session that may keep its state from program to program.
	Open() (Session, error)
	// Isolated returns a session in which every program meets a state that no
	// other has touched: what a host pays for each program it does not trust.
	Isolated() (Session, error)
}

// Session runs programs one after another. In Await the global host has four
// functions, each of which returns a promise:
//
//	add(a, b)    the sum, worked out away from the guest's goroutine
//	now(a, b)    the sum, at once
//	fetch(query) one of two fixed texts as a value, away from the guest's goroutine
//	save(report) a fixed receipt, away from the guest's goroutine
type Session interface {
	// Eval evaluates source and gives its value as JSON. The host object need
	// not be there.
	Eval(source string) (json.RawMessage, error)
	// Await is Eval for a source whose value is a promise.
	Await(source string) (json.RawMessage, error)
	// Parse makes the value of text the global data and evaluates source.
	Parse(text json.RawMessage, source string) (json.RawMessage, error)
	// Close lets go of everything.
	Close() error
}

// Fetched is what host.fetch answers to a query of a table.
func Fetched(table string) json.RawMessage {
	if table == "customers" {
		return bench.Customer
	}
	return bench.Orders
}

// PerRun is an isolated session of an engine that has no other way to isolate
// than to be made anew for each program.
type PerRun struct {
	// Bare opens a session for a program without the host object, Full one with
	// it.
	Bare, Full func() (Session, error)
}

// Eval implements Session.
func (p PerRun) Eval(source string) (json.RawMessage, error) {
	return once(p.Bare, func(s Session) (json.RawMessage, error) { return s.Eval(source) })
}

// Await implements Session.
func (p PerRun) Await(source string) (json.RawMessage, error) {
	return once(p.Full, func(s Session) (json.RawMessage, error) { return s.Await(source) })
}

// Parse implements Session.
func (p PerRun) Parse(text json.RawMessage, source string) (json.RawMessage, error) {
	return once(p.Full, func(s Session) (json.RawMessage, error) { return s.Parse(text, source) })
}

// Close implements Session.
func (PerRun) Close() error { return nil }

func once(open func() (Session, error), f func(Session) (json.RawMessage, error)) (json.RawMessage, error) {
	s, err := open()
	if err != nil {
		return nil, err
	}
	out, err := f(s)
	return out, errors.Join(err, s.Close())
}

// All returns the engines of this package, ours first.
func All() []Engine { return []Engine{Guestjs(), Modernc()} }
