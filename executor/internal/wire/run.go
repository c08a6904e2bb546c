package wire

import (
	"encoding/json"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Run is the body of a run message: a program without its functions.
type Run struct {
	Code      string                     `json:"code"`
	Name      string                     `json:"name,omitempty"`
	Globals   map[string]json.RawMessage `json:"globals,omitempty"`
	Providers []Provider                 `json:"providers,omitempty"`
	Options   RunOptions                 `json:"options"`
}

// Provider is one namespace. Functions are the names it has; a call of any
// other is refused on both sides.
type Provider struct {
	Name      string   `json:"name"`
	Functions []string `json:"functions,omitempty"`
	Prelude   string   `json:"prelude,omitempty"`
}

// RunOptions are the limits and settings of one run.
type RunOptions struct {
	Limits contract.Limits `json:"limits"`
	Clock  *time.Time      `json:"clock,omitempty"`
	Seed   uint64          `json:"seed,omitempty,string"`
	OnCall bool            `json:"onCall,omitempty"` // send a call message for each ended host call
}

// NewRun makes the body for p. Limits are those of the run, defaults filled in.
func NewRun(p contract.Program, limits contract.Limits) Run {
	run := Run{
		Code: p.Source, Name: p.Name, Globals: p.Globals,
		Options: RunOptions{Limits: limits, Seed: p.Seed, OnCall: p.OnCall != nil},
	}
	if !p.Clock.IsZero() {
		run.Options.Clock = &p.Clock
	}
	for _, provider := range p.Providers {
		run.Providers = append(run.Providers, newProvider(provider))
	}
	return run
}

func newProvider(p contract.Provider) Provider {
	names := make([]string, 0, len(p.Functions)+len(p.Immediate))
	for name := range p.Functions {
		names = append(names, name)
	}
	for name := range p.Immediate {
		if p.Functions[name] == nil {
			names = append(names, name)
		}
	}
	return Provider{Name: p.Name, Functions: names, Prelude: p.Prelude}
}

// Program makes the program that the far side runs. Call makes the function
// that stands for a provider's.
func (r Run) Program(call func(namespace, function string) contract.HostFunc) contract.Program {
	p := contract.Program{
		Source: r.Code, Name: r.Name, Globals: r.Globals,
		Limits: r.Options.Limits, Seed: r.Options.Seed,
	}
	if r.Options.Clock != nil {
		p.Clock = *r.Options.Clock
	}
	for _, provider := range r.Providers {
		functions := make(map[string]contract.HostFunc, len(provider.Functions))
		for _, name := range provider.Functions {
			functions[name] = call(provider.Name, name)
		}
		p.Providers = append(p.Providers, contract.Provider{
			Name: provider.Name, Functions: functions, Prelude: provider.Prelude,
		})
	}
	return p
}
