package peers

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/grafana/sobek"
	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bench/internal/engine"
)

// Sobek is github.com/grafana/sobek, a fork of goja: a new Runtime for each
// program it does not trust, and an event loop written by hand. It bounds no
// memory.
func Sobek() engine.Engine { return sobekEngine{} }

type sobekEngine struct{}

func (sobekEngine) Name() string { return "sobek" }

func (sobekEngine) Open() (engine.Session, error) {
	s := &sobekSession{vm: sobek.New()}
	return s, s.install()
}

func (e sobekEngine) Isolated() (engine.Session, error) {
	return engine.PerRun{
		Bare: func() (engine.Session, error) { return &sobekSession{vm: sobek.New()}, nil },
		Full: e.Open,
	}, nil
}

type sobekSession struct {
	vm      *sobek.Runtime
	parse   sobek.Callable
	settled chan func() error // settlements, run on the session's goroutine
}

func (s *sobekSession) install() error {
	s.settled = make(chan func() error, 256)
	parse, ok := sobek.AssertFunction(s.vm.Get("JSON").ToObject(s.vm).Get("parse"))
	if !ok {
		return errors.New("peers: sobek: no JSON.parse")
	}
	s.parse = parse
	host := s.vm.NewObject()
	sum := func(call sobek.FunctionCall) sobek.Value {
		return s.vm.ToValue(call.Argument(0).ToInteger() + call.Argument(1).ToInteger())
	}
	return errors.Join(
		host.Set("add", func(call sobek.FunctionCall) sobek.Value {
			a, b := call.Argument(0).ToInteger(), call.Argument(1).ToInteger()
			return s.later(func() any { return a + b })
		}),
		host.Set("now", func(call sobek.FunctionCall) sobek.Value {
			p, resolve, _ := s.vm.NewPromise()
			if err := resolve(sum(call)); err != nil {
				panic(s.vm.NewGoError(err))
			}
			return s.vm.ToValue(p)
		}),
		host.Set("fetch", func(call sobek.FunctionCall) sobek.Value {
			table := call.Argument(0).ToObject(s.vm).Get("table").String()
			return s.later(func() any { return engine.Fetched(table) })
		}),
		host.Set("save", func(call sobek.FunctionCall) sobek.Value {
			if _, err := sobekJSON(call.Argument(0)); err != nil {
				panic(s.vm.NewGoError(err))
			}
			return s.later(func() any { return bench.Saved })
		}),
		s.vm.Set("host", host),
	)
}

// later returns a promise that the event loop settles once f has run on a
// goroutine of its own.
func (s *sobekSession) later(f func() any) sobek.Value {
	p, resolve, reject := s.vm.NewPromise()
	go func() {
		v := f()
		s.settled <- func() error {
			text, ok := v.(json.RawMessage)
			if !ok {
				return resolve(v)
			}
			parsed, err := s.parse(sobek.Undefined(), s.vm.ToValue(string(text)))
			if err != nil {
				return reject(err)
			}
			return resolve(parsed)
		}
	}()
	return s.vm.ToValue(p)
}

func (s *sobekSession) Eval(source string) (json.RawMessage, error) {
	v, err := s.vm.RunString(source)
	if err != nil {
		return nil, err
	}
	return sobekJSON(v)
}

func (s *sobekSession) Await(source string) (json.RawMessage, error) {
	v, err := s.vm.RunString(source)
	if err != nil {
		return nil, err
	}
	p, ok := v.Export().(*sobek.Promise)
	if !ok {
		return nil, fmt.Errorf("peers: sobek: the value is a %T, not a promise", v.Export())
	}
	for p.State() == sobek.PromiseStatePending {
		if err := (<-s.settled)(); err != nil {
			return nil, err
		}
	}
	if p.State() == sobek.PromiseStateRejected {
		return nil, errors.New(p.Result().String())
	}
	return sobekJSON(p.Result())
}

func (s *sobekSession) Parse(text json.RawMessage, source string) (json.RawMessage, error) {
	v, err := s.parse(sobek.Undefined(), s.vm.ToValue(string(text)))
	if err != nil {
		return nil, err
	}
	if err := s.vm.Set("data", v); err != nil {
		return nil, err
	}
	return s.Eval(source)
}

func (s *sobekSession) Close() error { return nil }

// sobekJSON writes a value by the engine's own JSON rules.
func sobekJSON(v sobek.Value) (json.RawMessage, error) {
	if o, ok := v.(*sobek.Object); ok {
		return o.MarshalJSON()
	}
	return json.Marshal(v.Export())
}
