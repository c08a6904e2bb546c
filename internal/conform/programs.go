package conform

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// Case is one line of programs.jsonl.
type Case struct {
	ID, Kind, Source string
	Host             Object
	Limits           Object
	Expected         Object
}

// Programs reads programs.jsonl of a directory.
func Programs(dir string) ([]Case, error) {
	var cases []Case
	err := eachLine(filepath.Join(dir, "programs.jsonl"), func(o Object) error {
		c := Case{ID: o.Text("id"), Kind: o.Text("kind"), Source: o.Text("program")}
		for name, into := range map[string]*Object{"host": &c.Host, "limits": &c.Limits, "expected": &c.Expected} {
			v, _ := o.Get(name)
			var ok bool
			if *into, ok = v.(Object); !ok {
				return fmt.Errorf("%s: no %s", c.ID, name)
			}
		}
		if c.ID == "" {
			return fmt.Errorf("a case without an id")
		}
		cases = append(cases, c)
		return nil
	})
	return cases, err
}

// Program makes the program of a case with the memory limit memory, or, when
// that is zero, the case's own. Where a case names a wall budget only, the
// processor budget is the same: what it is about is that one of them ends it.
func (c Case) Program(host *Host, memory int64) (contract.Program, error) {
	p := contract.Program{Source: utf8Text(c.Source)}
	for _, m := range c.Limits {
		n, _ := m.Value.(float64)
		switch m.Key {
		case "wallMs":
			p.Limits.Wall, p.Limits.CPU = ms(n), ms(n)
		case "memoryMiB":
			p.Limits.Memory = int64(n) << 20
		case "maxHostCalls":
			p.Limits.HostCalls = int64(n)
		case "seed":
			p.Seed = uint64(n)
		case "clock":
			text, _ := m.Value.(string)
			clock, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return p, fmt.Errorf("%s: %w", c.ID, err)
			}
			p.Clock = clock
		case "goroutines", "repeat": // how it is run, not what
		default:
			return p, fmt.Errorf("%s: unknown limit %q", c.ID, m.Key)
		}
	}
	if memory != 0 {
		p.Limits.Memory = memory
	}
	byName := map[string]map[string]contract.HostFunc{}
	var order []string
	for _, m := range c.Host {
		namespace, function, ok := strings.Cut(m.Key, ".")
		if !ok {
			return p, fmt.Errorf("%s: host function %q has no namespace", c.ID, m.Key)
		}
		spec, _ := m.Value.(Object)
		f, err := host.function(spec)
		if err != nil {
			return p, fmt.Errorf("%s: %s: %w", c.ID, m.Key, err)
		}
		if byName[namespace] == nil {
			byName[namespace] = map[string]contract.HostFunc{}
			order = append(order, namespace)
		}
		byName[namespace][function] = f
	}
	for _, namespace := range order {
		p.Providers = append(p.Providers, contract.Provider{Name: namespace, Functions: byName[namespace]})
	}
	return p, nil
}

// Problems returns every expectation of the case that an outcome breaks. Those
// that need more than one run, or a look at the process, are the caller's.
func (c Case) Problems(out contract.Outcome, host *Host, took time.Duration) []string {
	r := report{c: c, out: out, host: host}
	r.outcome()
	for _, m := range c.Expected {
		r.member(m.Key, m.Value, took)
	}
	return r.problems
}

type report struct {
	c        Case
	out      contract.Outcome
	host     *Host
	problems []string
}

func (r *report) fail(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// outcome checks value, error or either, and the class of the error.
func (r *report) outcome() {
	want := r.c.Expected.Text("outcome")
	switch {
	case r.out.Err == nil && want == "error":
		r.fail("a value, %s, where an error is expected", r.out.Value)
	case r.out.Err != nil && want == "value":
		r.fail("an error where a value is expected: %v", r.out.Err)
	}
	if r.out.Err == nil {
		r.value()
		return
	}
	var classes []string
	if class := r.c.Expected.Text("class"); class != "" {
		classes = []string{class}
	}
	if v, ok := r.c.Expected.Get("anyClass"); ok {
		list, _ := v.([]Value)
		for _, item := range list {
			class, _ := item.(string)
			classes = append(classes, class)
		}
	}
	for _, class := range classes {
		ok, err := inClass(class, r.out, r.host)
		if err != nil {
			r.fail("%v", err)
		}
		if ok {
			return
		}
	}
	if len(classes) > 0 {
		r.fail("%T %q is not of class %s", r.out.Err, r.out.Err, strings.Join(classes, " or "))
	}
}

func (r *report) value() {
	want, ok := r.c.Expected.Get("value")
	if !ok {
		return
	}
	if len(r.out.Value) == 0 {
		if want != nil { // no value stands for null
			r.fail("no value, expected %s", show(want))
		}
		return
	}
	got, err := Parse(string(r.out.Value))
	if err != nil {
		r.fail("the value is not JSON: %v", err)
		return
	}
	if d := Diff(want, got); d != "" {
		r.fail("%s", d)
	}
}

// member checks one member of the expectation.
func (r *report) member(name string, want Value, took time.Duration) {
	text, _ := want.(string)
	switch name {
	case "outcome", "class", "anyClass", "value", "note":
		// checked above, or a word to the reader
	case "processSurvives", "nextRunWorks", "then", "sameTwice", "everyRun", "alsoAtMiB",
		"maxRssGrowthMiB", "raceDetectorClean":
		// the caller's
	case "withinMs":
		if n, _ := want.(float64); took > ms(n) {
			r.fail("took %v, more than %v", took, ms(n))
		}
	case "never":
		r.never(want)
	case "hostContextCancelled":
		if !r.host.Cancelled() {
			r.fail("the host function's context did not end")
		}
	case "reportedHostCalls":
		r.calls(want)
	case "reportMentions", "unhandledRejectionMentions":
		if all := strings.Join(append(r.out.Unhandled, r.out.Logs...), "\n"); !strings.Contains(all, text) {
			r.fail("neither the lost rejections nor the logs mention %q: %q", text, all)
		}
	default:
		if r.out.Err != nil { // all that follow are about an error
			r.errorMember(name, want, text)
		}
	}
}

func (r *report) never(want Value) {
	list, _ := want.([]Value)
	got, _ := Parse(string(r.out.Value))
	for _, item := range list {
		text, isText := item.(string)
		switch {
		case r.out.Err == nil && Diff(item, got) == "":
			r.fail("the value is %s", show(item))
		case r.out.Err != nil && isText && strings.Contains(r.out.Err.Error(), text):
			r.fail("the error says %q", text)
		}
	}
}

func (r *report) calls(want Value) {
	list, _ := want.([]Value)
	if len(list) != len(r.out.Calls) {
		r.fail("%d calls reported, expected %d", len(r.out.Calls), len(list))
		return
	}
	for i, item := range list {
		o, _ := item.(Object)
		if got := r.out.Calls[i]; got.Name != o.Text("name") || string(got.State) != o.Text("state") {
			r.fail("call %d is %s, %s; expected %s", i+1, got.Name, got.State, show(item))
		}
	}
}

func (r *report) errorMember(name string, want Value, text string) {
	guest := guestError(r.out.Err)
	said := r.out.Err.Error()
	switch name {
	case "description":
		if said != text {
			r.fail("described as %q, expected %q", said, text)
		}
	case "descriptionNotEmpty":
		if said == "" {
			r.fail("the description is empty")
		}
	case "messageContains":
		if !strings.Contains(strings.ToLower(said), strings.ToLower(text)) {
			r.fail("%q does not contain %q", said, text)
		}
	case "printedOnce":
		if n := strings.Count(said, text); n != 1 {
			r.fail("%q has %q %d times", said, text, n)
		}
	case "neverClass":
		if ok, _ := inClass(text, r.out, r.host); ok {
			r.fail("it is of class %s", text)
		}
	case "errorsIs":
		if ok, _ := inClass("host", r.out, r.host); !ok {
			r.fail("errors.Is does not reach %s", text)
		}
	case "line":
		if r.out.Failure == nil || Value(float64(r.out.Failure.Line)) != want {
			r.fail("the failure record is %+v, expected line %v", r.out.Failure, want)
		}
	case "name", "message", "properties", "causeReported", "hintMentions":
		if guest == nil {
			if name != "hintMentions" {
				r.fail("%s: not a guest error: %T", name, r.out.Err)
			}
			return
		}
		r.guestMember(guest, name, want, text)
	default:
		r.fail("unknown expectation %q", name)
	}
}

func (r *report) guestMember(guest *contract.GuestError, name string, want Value, text string) {
	switch name {
	case "name":
		if guest.Name != text {
			r.fail("name %q, expected %q", guest.Name, text)
		}
	case "message":
		if guest.Message != text {
			r.fail("message %q, expected %q", guest.Message, text)
		}
	case "causeReported":
		if guest.Cause == nil {
			r.fail("no cause")
		}
	case "hintMentions":
		if !strings.Contains(strings.ToLower(guest.Hint), strings.ToLower(text)) {
			r.fail("hint %q does not mention %q", guest.Hint, text)
		}
	case "properties":
		members, _ := want.(Object)
		for _, m := range members {
			got, err := Parse(string(guest.Properties[m.Key]))
			if err != nil {
				got = json.RawMessage(guest.Properties[m.Key])
			}
			if d := Diff(m.Value, got); d != "" {
				r.fail("property %s: %s", m.Key, d)
			}
		}
	}
}
