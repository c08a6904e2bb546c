package conform

import (
	"fmt"
	"strings"
)

// Expand writes out the generators in an input (FORMAT.md): $repeat, $concat,
// $fill, $undefined and $units.
func Expand(v Value) (Value, error) {
	switch v := v.(type) {
	case []Value:
		list := make([]Value, len(v))
		for i, item := range v {
			var err error
			if list[i], err = Expand(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case Object:
		if len(v) == 1 && strings.HasPrefix(v[0].Key, "$") {
			return generate(v[0].Key, v[0].Value)
		}
		o := make(Object, len(v))
		for i, m := range v {
			x, err := Expand(m.Value)
			if err != nil {
				return nil, err
			}
			o[i] = Member{m.Key, x}
		}
		return o, nil
	}
	return v, nil
}

func generate(name string, arg Value) (Value, error) {
	arg, err := Expand(arg)
	if err != nil {
		return nil, err
	}
	list, _ := arg.([]Value)
	switch name {
	case "$undefined":
		return Undefined{}, nil
	case "$repeat":
		if text, n, ok := counted(list); ok {
			if s, ok := text.(string); ok {
				return rejoin(strings.Repeat(s, n)), nil
			}
		}
	case "$fill":
		if item, n, ok := counted(list); ok {
			out := make([]Value, n)
			for i := range out {
				out[i] = item
			}
			return out, nil
		}
	case "$concat":
		var b strings.Builder
		for _, item := range list {
			s, ok := item.(string)
			if !ok {
				return nil, fmt.Errorf("conform: $concat of a %T", item)
			}
			b.WriteString(s)
		}
		return rejoin(b.String()), nil
	case "$units":
		units := make([]uint16, len(list))
		for i, item := range list {
			n, _ := item.(float64)
			units[i] = uint16(n)
		}
		return FromUnits(units), nil
	}
	return nil, fmt.Errorf("conform: generator %s does not take %s", name, Stringify(arg))
}

func counted(list []Value) (Value, int, bool) {
	if len(list) != 2 {
		return nil, 0, false
	}
	n, ok := list[1].(float64)
	return list[0], int(n), ok
}

// rejoin makes pairs of halves that came to stand side by side.
func rejoin(s string) string {
	if !strings.Contains(s, "\xED") {
		return s
	}
	return FromUnits(Units(s))
}
