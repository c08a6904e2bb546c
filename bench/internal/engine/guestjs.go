package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

// Guestjs is this library: one sandbox, in which every program starts from the
// same bytes, with all limits on.
func Guestjs() Engine { return guestjs{} }

type guestjs struct{}

// limits are the defaults, with room for the longest program on a machine that
// is busy with other things.
var limits = contract.Limits{CPU: 10 * time.Second}

func (guestjs) Name() string { return "guestjs" }

// Isolated is Open: no run in a sandbox sees anything of another.
func (g guestjs) Isolated() (Session, error) { return g.Open() }

func (guestjs) Open() (Session, error) {
	s, err := bridge.NewSandbox(bridge.Options{Limits: limits})
	if err != nil {
		return nil, err
	}
	return &guestjsSession{s.Run, s.Close}, nil
}

// Executed returns a function that opens an isolated session whose programs go
// through an executor: in this process, or in a child. A binary that wants the
// child must call executor.ChildMain first.
func Executed(isolation executor.Isolation) func() (Session, error) {
	return func() (Session, error) {
		ex, err := executor.New(executor.Options{Isolation: isolation, Limits: limits})
		if err != nil {
			return nil, err
		}
		return &guestjsSession{ex.Execute, func() error { return ex.Close(context.Background()) }}, nil
	}
}

type guestjsSession struct {
	run   func(context.Context, contract.Program) (contract.Outcome, error)
	close func() error
}

func (s *guestjsSession) Eval(source string) (json.RawMessage, error) {
	return s.value(contract.Program{Source: source})
}

func (s *guestjsSession) Await(source string) (json.RawMessage, error) {
	return s.value(contract.Program{Source: source, Providers: Host})
}

func (s *guestjsSession) Parse(text json.RawMessage, source string) (json.RawMessage, error) {
	return s.value(contract.Program{Source: source, Globals: map[string]json.RawMessage{"data": text}})
}

func (s *guestjsSession) Close() error { return s.close() }

func (s *guestjsSession) value(p contract.Program) (json.RawMessage, error) {
	out, err := s.run(context.Background(), p)
	if err != nil {
		return nil, err
	}
	return out.Value, out.Err
}

// Host is the host object as a provider.
var Host = []contract.Provider{{
	Name: "host",
	Functions: map[string]contract.HostFunc{
		"add": contract.Func2(sum),
		"fetch": contract.Func(func(_ context.Context, query struct{ Table string }) (json.RawMessage, error) {
			return Fetched(query.Table), nil
		}),
		"save": contract.Func(func(context.Context, json.RawMessage) (json.RawMessage, error) { return bench.Saved, nil }),
	},
	Immediate: map[string]contract.HostFunc{"now": contract.Func2(sum)},
}}

func sum(_ context.Context, a, b int) (int, error) { return a + b, nil }
