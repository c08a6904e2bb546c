package peers

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dop251/goja"
	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bench/internal/engine"
)

// Goja is github.com/dop251/goja: a new Runtime for each program it does not
// trust, and an event loop written by hand. It bounds no memory.
func Goja() engine.Engine { return gojaEngine{} }

type gojaEngine struct{}

func (gojaEngine) Name() string { return "goja" }

func (gojaEngine) Open() (engine.Session, error) {
	s := &gojaSession{vm: goja.New()}
	return s, s.install()
}

func (g gojaEngine) Isolated() (engine.Session, error) {
	return engine.PerRun{
		Bare: func() (engine.Session, error) { return &gojaSession{vm: goja.New()}, nil },
		Full: g.Open,
	}, nil
}

type gojaSession struct {
	vm      *goja.Runtime
	parse   goja.Callable
	settled chan func() error // settlements, run on the session's goroutine
}

func (s *gojaSession) install() error {
	s.settled = make(chan func() error, 256)
	parse, ok := goja.AssertFunction(s.vm.Get("JSON").ToObject(s.vm).Get("parse"))
	if !ok {
		return errors.New("peers: goja: no JSON.parse")
	}
	s.parse = parse
	host := s.vm.NewObject()
	sum := func(call goja.FunctionCall) goja.Value {
		return s.vm.ToValue(call.Argument(0).ToInteger() + call.Argument(1).ToInteger())
	}
	return errors.Join(
		host.Set("add", func(call goja.FunctionCall) goja.Value {
			a, b := call.Argument(0).ToInteger(), call.Argument(1).ToInteger()
			return s.later(func() any { return a + b })
		}),
		host.Set("now", func(call goja.FunctionCall) goja.Value {
			p, resolve, _ := s.vm.NewPromise()
			if err := resolve(sum(call)); err != nil {
				panic(s.vm.NewGoError(err))
			}
			return s.vm.ToValue(p)
		}),
		host.Set("fetch", func(call goja.FunctionCall) goja.Value {
			table := call.Argument(0).ToObject(s.vm).Get("table").String()
			return s.later(func() any { return engine.Fetched(table) })
		}),
		host.Set("save", func(call goja.FunctionCall) goja.Value {
			if _, err := gojaJSON(call.Argument(0)); err != nil {
				panic(s.vm.NewGoError(err))
			}
			return s.later(func() any { return bench.Saved })
		}),
		s.vm.Set("host", host),
	)
}

// later returns a promise that the event loop settles once f has run on a
// goroutine of its own.
func (s *gojaSession) later(f func() any) goja.Value {
	p, resolve, reject := s.vm.NewPromise()
	go func() {
		v := f()
		s.settled <- func() error {
			text, ok := v.(json.RawMessage)
			if !ok {
				return resolve(v)
			}
			parsed, err := s.parse(goja.Undefined(), s.vm.ToValue(string(text)))
			if err != nil {
				return reject(err)
			}
			return resolve(parsed)
		}
	}()
	return s.vm.ToValue(p)
}

func (s *gojaSession) Eval(source string) (json.RawMessage, error) {
	v, err := s.vm.RunString(source)
	if err != nil {
		return nil, err
	}
	return gojaJSON(v)
}

func (s *gojaSession) Await(source string) (json.RawMessage, error) {
	v, err := s.vm.RunString(source)
	if err != nil {
		return nil, err
	}
	p, ok := v.Export().(*goja.Promise)
	if !ok {
		return nil, fmt.Errorf("peers: goja: the value is a %T, not a promise", v.Export())
	}
	for p.State() == goja.PromiseStatePending {
		if err := (<-s.settled)(); err != nil {
			return nil, err
		}
	}
	if p.State() == goja.PromiseStateRejected {
		return nil, errors.New(p.Result().String())
	}
	return gojaJSON(p.Result())
}

func (s *gojaSession) Parse(text json.RawMessage, source string) (json.RawMessage, error) {
	v, err := s.parse(goja.Undefined(), s.vm.ToValue(string(text)))
	if err != nil {
		return nil, err
	}
	if err := s.vm.Set("data", v); err != nil {
		return nil, err
	}
	return s.Eval(source)
}

func (s *gojaSession) Close() error { return nil }

// gojaJSON writes a value by the engine's own JSON rules.
func gojaJSON(v goja.Value) (json.RawMessage, error) {
	if o, ok := v.(*goja.Object); ok {
		return o.MarshalJSON()
	}
	return json.Marshal(v.Export())
}
