package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/bench"
	"modernc.org/quickjs"
)

// Modernc is modernc.org/quickjs, the same engine behind another door: a new
// VM for each program it does not trust, and an event loop written by hand,
// since the package has none.
func Modernc() Engine { return modernc{} }

type modernc struct{}

func (modernc) Name() string { return "modernc" }

func (m modernc) Open() (Session, error) { return m.open(true) }

func (m modernc) Isolated() (Session, error) {
	return PerRun{
		Bare: func() (Session, error) { return m.open(false) },
		Full: m.Open,
	}, nil
}

func (modernc) open(host bool) (Session, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	s := &moderncSession{vm: vm}
	if host {
		if err := s.install(); err != nil {
			return nil, errors.Join(err, vm.Close())
		}
	}
	return s, nil
}

type moderncSession struct {
	vm      *quickjs.VM
	settled chan func() // settlements, run on the session's goroutine
}

// install makes the host object out of plain functions.
func (s *moderncSession) install() error {
	s.settled = make(chan func(), 256)
	for name, f := range map[string]any{
		"_add":   func(a, b int) quickjs.Value { return s.later(func() any { return a + b }) },
		"_now":   func(a, b int) quickjs.Value { return s.promise(a + b) },
		"_fetch": func(table string) quickjs.Value { return s.later(func() any { return Fetched(table) }) },
		"_save":  func(string) quickjs.Value { return s.later(func() any { return bench.Saved }) },
	} {
		if err := s.vm.RegisterFunc(name, f, false); err != nil {
			return fmt.Errorf("engine: modernc: %s: %w", name, err)
		}
	}
	_, err := s.vm.Eval(`var host = {
		add: _add, now: _now,
		fetch: (query) => _fetch(query.table),
		save: (report) => _save(JSON.stringify(report)),
	};
	var data, _data = (text) => { data = JSON.parse(text); };`, quickjs.EvalGlobal)
	return err
}

// later returns a promise that is settled by the event loop once f has run on
// a goroutine of its own.
func (s *moderncSession) later(f func() any) quickjs.Value {
	pc, err := s.vm.NewPromiseCapability()
	if err != nil {
		return quickjs.UndefinedValue
	}
	go func() {
		v := f()
		s.settled <- func() { settle(pc, v) }
	}()
	return pc.Promise
}

// promise returns a promise that is fulfilled already.
func (s *moderncSession) promise(v any) quickjs.Value {
	pc, err := s.vm.NewPromiseCapability()
	if err != nil {
		return quickjs.UndefinedValue
	}
	p := pc.Promise
	settle(pc, v)
	return p
}

// settle fulfils a promise whose own handle the guest holds.
func settle(pc *quickjs.PromiseCapability, v any) {
	// A resolving function only fails when the guest is out of memory.
	_, _ = pc.Resolve.Call(quickjs.UndefinedValue, v)
	pc.Resolve.Free()
	pc.Reject.Free()
}

func (s *moderncSession) Eval(source string) (json.RawMessage, error) {
	v, err := s.vm.Eval(source, quickjs.EvalGlobal)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

func (s *moderncSession) Await(source string) (json.RawMessage, error) {
	p, err := s.vm.EvalValue(source, quickjs.EvalGlobal)
	if err != nil {
		return nil, err
	}
	defer p.Free()
	var out json.RawMessage
	var failed error
	done := false
	next, err := p.Then(
		func(v quickjs.Value) { out, failed = v.MarshalJSON(); done = true },
		func(v quickjs.Value) { failed = quickjs.ErrorFromValue(v); done = true },
	)
	if err != nil {
		return nil, err
	}
	defer next.Free()
	for {
		if _, err := s.vm.ExecutePendingJobs(); err != nil {
			return nil, err
		}
		if done {
			return out, failed
		}
		(<-s.settled)()
	}
}

func (s *moderncSession) Parse(text json.RawMessage, source string) (json.RawMessage, error) {
	if _, err := s.vm.Call("_data", string(text)); err != nil {
		return nil, err
	}
	return s.Eval(source)
}

func (s *moderncSession) Close() error { return s.vm.Close() }
