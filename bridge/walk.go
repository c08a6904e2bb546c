package bridge

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/quickjs"
)

// A walk looks at plain data without running guest code: own data properties of
// objects that are no proxies. It is bounded, and gives up rather than guess.

const (
	maxWalk      = 20_000 // objects and members visited
	maxWalkDepth = 200
	maxWalkNames = 4 << 20 // UTF-16 units of all names together
	maxPath      = 500     // UTF-16 units of where something was found
)

var errWalkEnds = errors.New("bridge: walk ends")

type walker struct {
	left  int
	units int
	path  []string
	above []uintptr // the objects we are inside of
	visit func(w *walker, v quickjs.Value) error
}

func (w *walker) walk(v quickjs.Value) error {
	if w.left--; w.left < 0 || len(w.above) > maxWalkDepth {
		return errWalkEnds
	}
	if err := w.visit(w, v); err != nil {
		return err
	}
	if v.Kind() != quickjs.KindObject || v.IsProxy() || v.IsFunction() {
		return nil
	}
	names, array, err := memberNames(v, w.left, w.units)
	if errors.Is(err, quickjs.ErrTooLarge) {
		return errWalkEnds
	}
	if err != nil {
		return err
	}
	if !array {
		for _, name := range names {
			w.units -= len(name)
		}
		w.units = max(w.units, 0)
	}
	w.above = append(w.above, v.Identity())
	for _, name := range names {
		p, ok, err := ownData(v, name)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		w.path = append(w.path, step(name, array))
		if err := w.walk(p); err != nil {
			return err
		}
		w.path = w.path[:len(w.path)-1]
		p.Free()
	}
	w.above = w.above[:len(w.above)-1]
	return nil
}

// memberNames lists at most max own enumerable members, with at most so many
// UTF-16 units in all their names. An array is listed by its length, since asking
// the engine for the names of a large one takes memory.
func memberNames(v quickjs.Value, max, units int) (names []string, array bool, err error) {
	if !v.IsArray() {
		names, err = v.OwnKeysMax(true, max, units)
		return names, false, err
	}
	length, ok, err := ownData(v, "length")
	if err != nil || !ok {
		return nil, true, err
	}
	n, _ := length.Float()
	for i := range min(int(n), max) {
		names = append(names, strconv.Itoa(i))
	}
	return names, true, nil
}

// step writes one member as a program would.
func step(name string, array bool) string {
	switch {
	case array:
		return "[" + name + "]"
	case isIdentifier(name):
		return "." + name
	}
	return "[" + strconv.Quote(units.Cut(name, maxPath)) + "]"
}

func (w *walker) where() string {
	s := ""
	for _, p := range w.path {
		s += p
	}
	return s
}

// find walks v until seen says why to stop. An error is the engine's: what was
// not looked at may hold anything.
func find(v quickjs.Value, seen func(w *walker, v quickjs.Value) string) (path, reason string, found bool, err error) {
	w := &walker{left: maxWalk, units: maxWalkNames}
	w.visit = func(w *walker, v quickjs.Value) error {
		if reason = seen(w, v); reason != "" {
			path, found = units.Cut(w.where(), maxPath), true
			return errWalkEnds
		}
		return nil
	}
	err = w.walk(v)
	if errors.Is(err, errWalkEnds) {
		err = nil
	}
	return path, reason, found, err
}

// findPromise finds a promise inside a value.
func findPromise(v quickjs.Value) (path string, found bool, err error) {
	path, _, found, err = find(v, func(_ *walker, v quickjs.Value) string {
		if v.IsPromise() {
			return "promise"
		}
		return ""
	})
	return path, found, err
}

// findUnwritable finds a cycle or a BigInt inside a value.
func findUnwritable(v quickjs.Value) (path, reason string, found bool, err error) {
	return find(v, func(w *walker, v quickjs.Value) string {
		if v.Kind() == quickjs.KindBigInt {
			return bigIntReason
		}
		if id := v.Identity(); id != 0 {
			for _, a := range w.above {
				if a == id {
					return "circular reference"
				}
			}
		}
		return ""
	})
}

var errNotPlain = errors.New("bridge: not plain data")

// plainJSON writes a value that is plain data as JSON text of at most max bytes,
// without running guest code. It reports whether it could.
func plainJSON(v quickjs.Value, max int) (text json.RawMessage, ok bool, err error) {
	text, err = appendPlain(nil, v, max, 0)
	if errors.Is(err, errNotPlain) {
		return nil, false, nil
	}
	return text, err == nil, err
}

func appendPlain(b []byte, v quickjs.Value, max, depth int) ([]byte, error) {
	if len(b) > max || depth > 8 {
		return nil, errNotPlain
	}
	switch v.Kind() {
	case quickjs.KindNull, quickjs.KindUndefined:
		return append(b, "null"...), nil
	case quickjs.KindBool:
		return strconv.AppendBool(b, v.Bool()), nil
	case quickjs.KindNumber:
		f, _ := v.Float()
		n, err := json.Marshal(f)
		if err != nil {
			return append(b, "null"...), nil // not finite
		}
		return append(b, n...), nil
	case quickjs.KindString:
		s, cut, _ := v.TextMax(max)
		if cut {
			return nil, errNotPlain
		}
		return appendString(b, s), nil
	case quickjs.KindObject:
		return appendObject(b, v, max, depth)
	}
	return nil, errNotPlain
}

func appendString(b []byte, s string) []byte { return append(b, jsonText(s)...) }

func appendObject(b []byte, v quickjs.Value, max, depth int) ([]byte, error) {
	if v.IsProxy() || v.IsFunction() || v.IsPromise() || v.IsError() {
		return nil, errNotPlain
	}
	names, array, err := memberNames(v, max+1, max)
	if errors.Is(err, quickjs.ErrTooLarge) {
		return nil, errNotPlain
	}
	if err != nil {
		return nil, err
	}
	if len(names) > max {
		return nil, errNotPlain
	}
	open, end := byte('{'), byte('}')
	if array {
		open, end = '[', ']'
	}
	b = append(b, open)
	for i, name := range names {
		p, ok, err := ownData(v, name)
		if err != nil {
			return nil, err
		}
		if !ok || array && name != strconv.Itoa(i) {
			return nil, errNotPlain
		}
		if i > 0 {
			b = append(b, ',')
		}
		if !array {
			b = append(appendString(b, name), ':')
		}
		if b, err = appendPlain(b, p, max, depth+1); err != nil {
			return nil, err
		}
		p.Free()
	}
	return append(b, end), nil
}
