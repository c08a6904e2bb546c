package engine

import (
	"encoding/json"

	"github.com/guestjs/guestjs/bench"
)

// Engine is a way to run JavaScript.
type Engine interface {
	// Name is the value of the engine= part.
	Name() string
	// Fresh evaluates source in a state that no program has touched and keeps
	// nothing of it: what a host pays for each program it does not trust. The
	// value comes back as JSON.
	Fresh(source string) (json.RawMessage, error)
	// FreshAwait is Fresh with the host object in place, for a source whose
	// value is a promise.
	FreshAwait(source string) (json.RawMessage, error)
	// Open returns a session with the host object in place.
	Open() (Session, error)
}

// Session is a state in which programs run one after another. The global host
// has four functions, each of which returns a promise:
//
//	add(a, b)    the sum, worked out away from the guest's goroutine
//	now(a, b)    the sum, at once
//	fetch(query) one of two fixed texts as a value, away from the guest's goroutine
//	save(report) a fixed receipt, away from the guest's goroutine
type Session interface {
	// Eval evaluates source and gives its value as JSON.
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

// All returns the engines of this package, ours first.
func All() []Engine { return []Engine{Modernc()} }
