package wire

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Run is the body of a run message: a program without its functions.
type Run struct {
	Options   RunOptions                 `json:"options"`
	Code      string                     `json:"code"`
	Name      string                     `json:"name,omitempty"`
	Globals   map[string]json.RawMessage `json:"globals,omitempty"`
	Providers []Provider                 `json:"providers,omitempty"`
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
	Limits Limits     `json:"limits"`
	Clock  *time.Time `json:"clock,omitempty"`
	Seed   uint64     `json:"seed,omitempty,string"`
	OnCall bool       `json:"onCall,omitempty"` // send a call message for each ended host call
}

// Limits are contract.Limits in the order of their declaration: nanoseconds,
// bytes and counts.
type Limits [6]int64

func newLimits(l contract.Limits) Limits {
	return Limits{int64(l.Wall), int64(l.CPU), l.Memory, l.Stack, l.Source, l.HostCalls}
}

func (l Limits) contract() contract.Limits {
	return contract.Limits{
		Wall: time.Duration(l[0]), CPU: time.Duration(l[1]),
		Memory: l[2], Stack: l[3], Source: l[4], HostCalls: l[5],
	}
}

// NewRun makes the body for p. Limits are those of the run, defaults filled in.
func NewRun(p contract.Program, limits contract.Limits) Run {
	run := Run{
		Code: p.Source, Name: p.Name, Globals: p.Globals,
		Options: RunOptions{Limits: newLimits(limits), Seed: p.Seed, OnCall: p.OnCall != nil},
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

// simple reports whether r is limits and code alone, as most runs of a trivial
// program are. Those are written and read several times faster.
func (r Run) simple() bool {
	return r.Name == "" && r.Globals == nil && r.Providers == nil && r.Options.Clock == nil && r.Options.Seed == 0 && !r.Options.OnCall
}

const (
	runLimits = `{"options":{"limits":`
	runCode   = `},"code":`
)

// EncodeRun writes the body of a run message. The error is a [*BoundError] under
// label.
func EncodeRun(r Run, label string) ([]byte, error) {
	if !r.simple() {
		return Bounded(label, r, 0)
	}
	text := appendInts([]byte(runLimits), r.Options.Limits[:])
	text = append(AppendQuote(append(text, runCode...), r.Code), '}')
	return text, Within(label, len(text), MaxMessage)
}

// DecodeRun reads the body of a run message.
func DecodeRun(body string) (r Run, err error) {
	if rest, ok := strings.CutPrefix(body, runLimits); ok {
		if rest, ok = cutInts(rest, r.Options.Limits[:]); ok {
			if rest, ok = strings.CutPrefix(rest, runCode); ok {
				if rest, ok = strings.CutSuffix(rest, "}"); ok {
					if r.Code, ok = unquote([]byte(rest)); ok {
						return r, nil
					}
				}
			}
		}
	}
	r = Run{}
	err = json.Unmarshal([]byte(body), &r)
	return r, err
}

// Program makes the program that the far side runs. Call makes the function
// that stands for a provider's.
func (r Run) Program(call func(namespace, function string) contract.HostFunc) contract.Program {
	p := contract.Program{
		Source: r.Code, Name: r.Name, Globals: r.Globals,
		Limits: r.Options.Limits.contract(), Seed: r.Options.Seed,
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
