package conform

import (
	"fmt"
	"regexp"
)

// Shape compares got, a result of the form {outcome, timedOut?}, with an
// expectation whose words come from the script engine or the host language. The
// same members must be there; the error must be of the same class and name, and
// have a line if the expected one has; a value must have the same structure,
// with the same booleans and nulls. Numbers and the wording of strings may
// differ.
func Shape(want, got Value) string { return shape("", want, got) }

// class is the error class that a text begins with.
var class = regexp.MustCompile(`^[A-Z][A-Za-z]*(?:Error)?: `)

func shape(path string, want, got Value) string {
	switch want := want.(type) {
	case Object:
		if name, arg, ok := matcher(want); ok {
			return shapeMatcher(path, name, arg, got)
		}
		o, ok := got.(Object)
		if !ok {
			return differ(path, want, got)
		}
		for _, m := range want {
			v, ok := o.Get(m.Key)
			if !ok && !optional(m.Value) {
				return fmt.Sprintf("%s: missing, expected %s", path+"."+m.Key, show(m.Value))
			}
			if d := shapeMember(path+"."+m.Key, m.Value, v); d != "" {
				return d
			}
		}
		for _, m := range o {
			if _, ok := want.Get(m.Key); !ok {
				return fmt.Sprintf("%s: unexpected %s", path+"."+m.Key, show(m.Value))
			}
		}
		return ""
	case []Value:
		list, ok := got.([]Value)
		if !ok || len(list) != len(want) {
			return differ(path, want, got)
		}
		for i := range want {
			if d := shape(fmt.Sprintf("%s[%d]", path, i), want[i], list[i]); d != "" {
				return d
			}
		}
		return ""
	case string:
		if _, ok := got.(string); ok {
			return ""
		}
	case float64:
		if _, ok := got.(float64); ok {
			return ""
		}
	default:
		if want == got {
			return ""
		}
	}
	return differ(path, want, got)
}

// shapeMember compares what the host decides, and so is the same everywhere.
func shapeMember(path string, want, got Value) string {
	switch path {
	case ".timedOut", ".outcome.failure.name", ".outcome.failure.call", ".outcome.failure.timeout":
		return diff(path, want, got)
	case ".outcome.error":
		w, wok := want.(string)
		g, gok := got.(string)
		if wok && gok {
			if a, b := class.FindString(w), class.FindString(g); a != b {
				return fmt.Sprintf("%s: class %q, expected %q", path, b, a)
			}
			return ""
		}
	}
	return shape(path, want, got)
}

func shapeMatcher(path, name string, arg, got Value) string {
	switch name {
	case "$string":
		if _, ok := got.(string); ok {
			return ""
		}
		return differ(path, Object{{name, arg}}, got)
	case "$oneOf":
		list, _ := arg.([]Value)
		for _, want := range list {
			if shape(path, want, got) == "" {
				return ""
			}
		}
		return differ(path, Object{{name, arg}}, got)
	}
	return match(path, name, arg, got)
}
