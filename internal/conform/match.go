package conform

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
)

// Diff compares got with an expectation that may hold the matchers of
// FORMAT.md, and returns "" or what differs first, and where. Of its own it
// knows {"$contains": text}, a value in which some string holds the text; only
// better.json uses that.
func Diff(want, got Value) string { return diff("", want, got) }

func diff(path string, want, got Value) string {
	switch want := want.(type) {
	case Object:
		if name, arg, ok := matcher(want); ok {
			return match(path, name, arg, got)
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
			if d := diff(path+"."+m.Key, m.Value, v); d != "" {
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
		return diffItems(path, want, list)
	}
	switch got.(type) {
	case Object, []Value:
		return differ(path, want, got)
	}
	if want != got {
		return differ(path, want, got)
	}
	return ""
}

func diffItems(path string, want, got []Value) string {
	for i := range want {
		if d := diff(fmt.Sprintf("%s[%d]", path, i), want[i], got[i]); d != "" {
			return d
		}
	}
	return ""
}

// matcher reports whether want is one, with its name and argument.
func matcher(want Object) (name string, arg Value, ok bool) {
	if len(want) != 1 || !strings.HasPrefix(want[0].Key, "$") {
		return "", nil, false
	}
	return want[0].Key, want[0].Value, true
}

func optional(want Value) bool {
	o, ok := want.(Object)
	if !ok {
		return false
	}
	name, _, ok := matcher(o)
	return ok && name == "$any"
}

func match(path, name string, arg, got Value) string {
	spec, _ := arg.(Object)
	switch name {
	case "$any":
		return ""
	case "$int":
		n, ok := got.(float64)
		if ok && n == math.Trunc(n) && n >= spec.Number("min") && n <= spec.Number("max") {
			return ""
		}
		return differ(path, Object{{name, arg}}, got)
	case "$prefix":
		s, ok := got.(string)
		prefix, _ := arg.(string)
		if ok && strings.HasPrefix(s, prefix) {
			return ""
		}
		return differ(path, Object{{name, arg}}, got)
	case "$contains":
		text, _ := arg.(string)
		if contains(got, text) {
			return ""
		}
		return differ(path, Object{{name, arg}}, got)
	case "$oneOf":
		list, _ := arg.([]Value)
		var all []string
		for _, want := range list {
			d := diff(path, want, got)
			if d == "" {
				return ""
			}
			all = append(all, d)
		}
		return "none of:\n\t" + strings.Join(all, "\n\t")
	case "$string":
		s, ok := got.(string)
		if !ok {
			return differ(path, Object{{name, arg}}, got)
		}
		return matchString(path, spec, s)
	case "$array":
		list, ok := got.([]Value)
		if !ok {
			return differ(path, Object{{name, arg}}, got)
		}
		return matchArray(path, spec, list)
	}
	return fmt.Sprintf("%s: unknown matcher %s", path, name)
}

func matchString(path string, spec Object, s string) string {
	units := Units(s)
	switch {
	case float64(len(units)) != spec.Number("length"):
		return fmt.Sprintf("%s: %d units, expected %v", path, len(units), spec.Number("length"))
	case !unitsPrefix(units, Units(spec.Text("prefix"))):
		return fmt.Sprintf("%s: starts %s, expected %s", path, show(s), show(spec.Text("prefix")))
	case !unitsSuffix(units, Units(spec.Text("suffix"))):
		return fmt.Sprintf("%s: ends %s, expected %s", path, show(tail(s)), show(spec.Text("suffix")))
	case digest(units) != spec.Text("sha256"):
		return path + ": the hash differs, though length and both ends are right"
	}
	return ""
}

func matchArray(path string, spec Object, list []Value) string {
	if float64(len(list)) != spec.Number("length") {
		return fmt.Sprintf("%s: %d items, expected %v", path, len(list), spec.Number("length"))
	}
	head, _ := spec.Get("head")
	if want, _ := head.([]Value); len(want) <= len(list) {
		if d := diffItems(path, want, list); d != "" {
			return d
		}
	}
	last, _ := spec.Get("tail")
	if want, _ := last.([]Value); len(want) <= len(list) {
		if d := diffItems(path+".tail", want, list[len(list)-len(want):]); d != "" {
			return d
		}
	}
	sum, ok := spec.Get("sha256")
	if !ok {
		return "" // a statement of better.json need not know every item
	}
	items := make([]string, len(list))
	for i, item := range list {
		if s, ok := item.(string); ok {
			items[i] = s
		} else {
			items[i] = Stringify(item)
		}
	}
	if digest(Units(strings.Join(items, "\n"))) != sum {
		return path + ": the hash differs, though length and both ends are right"
	}
	return ""
}

func digest(units []uint16) string {
	raw := make([]byte, 0, 2*len(units))
	for _, u := range units {
		raw = binary.LittleEndian.AppendUint16(raw, u)
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// The two work on units: half a pair at an end is not a prefix in bytes.
func unitsPrefix(units, prefix []uint16) bool {
	return len(units) >= len(prefix) && bytes.Equal(raw(units[:len(prefix)]), raw(prefix))
}

func unitsSuffix(units, suffix []uint16) bool {
	return len(units) >= len(suffix) && bytes.Equal(raw(units[len(units)-len(suffix):]), raw(suffix))
}

func raw(units []uint16) []byte {
	out := make([]byte, 0, 2*len(units))
	for _, u := range units {
		out = binary.LittleEndian.AppendUint16(out, u)
	}
	return out
}

func contains(v Value, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case []Value:
		for _, item := range v {
			if contains(item, text) {
				return true
			}
		}
	case Object:
		for _, m := range v {
			if contains(m.Value, text) {
				return true
			}
		}
	}
	return false
}

func differ(path string, want, got Value) string {
	if path == "" {
		path = "value"
	}
	return fmt.Sprintf("%s: got %s, expected %s", strings.TrimPrefix(path, "."), show(got), show(want))
}

const shown = 300

func show(v Value) string {
	if v == nil {
		return "null"
	}
	text := Stringify(v)
	if len(text) > shown {
		return text[:shown] + fmt.Sprintf("… (%d bytes)", len(text))
	}
	return text
}

func tail(s string) string {
	if len(s) > 60 {
		return s[len(s)-60:]
	}
	return s
}
