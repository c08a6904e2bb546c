package conform

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// Judge knows what else than the expectation is right. It may be used by
// several goroutines.
type Judge struct {
	byID, byText Object
	deviations   []deviation

	mu   sync.Mutex
	used map[string]bool // rows that stood for something
}

// NewJudge reads what quirks may be (a file like testdata/better.json) and the
// list of deviations (a file like DEVIATIONS.md).
func NewJudge(better, deviations string) (*Judge, error) {
	text, err := os.ReadFile(better)
	if err != nil {
		return nil, err
	}
	v, err := Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", better, err)
	}
	o, _ := v.(Object)
	j := &Judge{used: map[string]bool{}}
	for _, m := range o {
		section, ok := m.Value.(Object)
		switch {
		case ok && m.Key == "ids":
			j.byID = section
		case ok && m.Key == "texts":
			j.byText = section
		default:
			return nil, fmt.Errorf("%s: unexpected member %q", better, m.Key)
		}
	}
	if j.deviations, err = readDeviations(deviations); err != nil {
		return nil, err
	}
	return j, nil
}

// Better returns the ids that better.json speaks of.
func (j *Judge) Better() []string {
	var ids []string
	for _, m := range j.byID {
		ids = append(ids, m.Key)
	}
	return ids
}

// Unused returns the rows of the list, of ids that start with prefix, that no
// verdict so far was based on.
func (j *Judge) Unused(prefix string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var ids []string
	for _, d := range j.deviations {
		if !j.used[d.row] && strings.HasPrefix(d.id, prefix) {
			ids = append(ids, d.row)
		}
	}
	return ids
}

// Verdict is what became of one vector or case.
type Verdict struct {
	State State
	// Why is what differs, or the reason of a deviation.
	Why string
}

// State is one of the three.
type State int

// The states of a Verdict.
const (
	Passed State = iota
	Failed
	Deviating
)

// Vector judges the result of a vector.
func (j *Judge) Vector(v Vector, got Value) Verdict {
	return j.Verdict(v.ID, j.vector(v, got), v.Expected, got)
}

// Verdict turns what differs ("" for nothing) into a verdict by the list of
// deviations.
func (j *Judge) Verdict(id, why string, expected, got Value) Verdict {
	for _, d := range j.deviations {
		if why == "" && d.id == id {
			return Verdict{Failed, "passes, but is listed in DEVIATIONS.md; take it off the list"}
		}
		if why != "" && d.covers(id, expected, got) {
			j.mu.Lock()
			j.used[d.row] = true
			j.mu.Unlock()
			return Verdict{Deviating, d.reason + "\n" + why}
		}
	}
	if why != "" {
		return Verdict{Failed, why}
	}
	return Verdict{State: Passed}
}

func (j *Judge) vector(v Vector, got Value) string {
	why := Diff(v.Expected, got)
	if why == "" {
		return ""
	}
	if v.Quirk {
		return j.quirk(v, got, why)
	}
	if v.EngineDependent || v.HostDependent {
		return Shape(v.Expected, got)
	}
	return why
}

// quirk asks what the vector's `better` says; why is how got differs from the
// reference.
func (j *Judge) quirk(v Vector, got Value, why string) string {
	want, ok := j.byID.Get(v.ID)
	if !ok {
		want, ok = j.byText.Get(v.Better)
	}
	if !ok {
		return wellFormed(got)
	}
	if d := Diff(want, got); d != "" {
		return fmt.Sprintf("%s\nand not better either: %s", why, d)
	}
	return ""
}

// wellFormed reports what keeps got from being {outcome, timedOut?} of a run:
// a result or an error, never both, and a failure record only with an error.
func wellFormed(got Value) string {
	o, _ := got.(Object)
	if o == nil {
		return "not an object: " + show(got)
	}
	v, ok := o.Get("outcome")
	outcome, isObject := v.(Object)
	if !ok || !isObject {
		return "" // a pure function: nothing is known
	}
	_, hasResult := outcome.Get("result")
	text, hasError := outcome.Get("error")
	_, hasFailure := outcome.Get("failure")
	switch {
	case hasResult && hasError:
		return "both a result and an error"
	case hasFailure && !hasError:
		return "a failure record without an error"
	}
	if _, ok := text.(string); hasError && !ok {
		return "the error is not a text"
	}
	return ""
}
