package bridge

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/quickjs"
)

// Bounds of what is read of a thrown error, in UTF-16 units (SPEC section 2).
const (
	maxName  = 64
	maxStack = 16_000

	thrownText = "Program threw a value."
)

// rejected describes the reason a program ended with. The budgets are looked at
// before and after: what a program throws after its deadline is a timeout.
func (r *run) rejected(reason quickjs.Value) error {
	rt := r.guest.rt
	if cause := rt.Expired(time.Now()); cause != nil {
		return &quickjs.InterruptError{Cause: cause}
	}
	e, err := r.describe(reason)
	if err != nil {
		return err
	}
	record := &contract.FailureRecord{Name: e.Name, Line: e.Line, Column: e.Column}
	if id := reason.Identity(); id != 0 {
		if kept, ok := r.retained[id]; ok {
			e.Host, record.Call = kept.err, kept.failure
		}
	}
	e.Hint = r.hint(e)
	r.lost.describe(r, reason)
	if cause := rt.Expired(time.Now()); cause != nil {
		return &quickjs.InterruptError{Cause: cause}
	}
	r.out.Err, r.out.Failure, r.settled = e, record, true
	return nil
}

// describe turns any thrown value into inert data. It calls the engine only:
// the native error brand, which no proxy has, own data properties, the identity
// of the prototype. Nothing of the guest runs (SPEC section 10).
func (r *run) describe(v quickjs.Value) (*contract.GuestError, error) {
	e := &contract.GuestError{Name: "Error", Message: thrownText}
	switch v.Kind() {
	case quickjs.KindString:
		e.Message, _, _ = v.TextMax(maxText)
	case quickjs.KindNumber:
		f, _ := v.Float()
		e.Message = numberText(f)
	case quickjs.KindUndefined:
		e.Message = "undefined"
	case quickjs.KindNull:
		e.Message = "null"
	case quickjs.KindBool:
		e.Message = strconv.FormatBool(v.Bool())
	case quickjs.KindObject:
		if v.IsError() {
			return e, r.describeError(v, e, 0)
		}
	}
	return e, nil
}

// maxCauses bounds how deep a chain of causes is followed.
const maxCauses = 4

func (r *run) describeError(v quickjs.Value, e *contract.GuestError, depth int) error {
	var err error
	if e.Name, err = ownText(v, "name", maxName); err != nil {
		return err
	}
	if e.Name == "" { // an empty one says nothing
		if e.Name = v.NativeErrorName(); e.Name == "InternalError" {
			e.Name = "Error"
		}
	}
	message, ok, err := ownData(v, "message")
	if err != nil {
		return err
	}
	e.Message = thrownText
	if ok {
		if s, _, is := message.TextMax(maxText); is {
			e.Message = s
		}
		message.Free()
	}
	if e.Line, e.Column = r.place(v.Backtrace(maxStack)); e.Line == 0 && r.refused && depth == 0 {
		e.Line, e.Column = r.source.failsAt()
	}
	if err := r.properties(v, e); err != nil || depth >= maxCauses {
		return err
	}
	cause, ok, err := ownData(v, "cause")
	if err != nil || !ok {
		return err
	}
	if cause.IsError() {
		e.Cause = &contract.GuestError{}
		err = r.describeError(cause, e.Cause, depth+1)
	}
	cause.Free()
	return err
}

// ownText reads an own data property that is a string; empty when there is none.
func ownText(v quickjs.Value, name string, max int) (string, error) {
	p, ok, err := ownData(v, name)
	if err != nil || !ok {
		return "", err
	}
	s, _, _ := p.TextMax(max)
	p.Free()
	return s, nil
}

// ownData reads an own data property of an object that is no proxy. An accessor
// counts as absent.
func ownData(v quickjs.Value, name string) (quickjs.Value, bool, error) {
	p, ok, err := v.OwnProperty(name)
	if err != nil || !ok {
		return quickjs.Value{}, false, err
	}
	if p.Accessor {
		p.Free()
		return quickjs.Value{}, false, nil
	}
	return p.Value, true, nil
}

// Bounds of the other own members that an error's description carries.
const (
	maxProperties    = 32
	maxPropertyBytes = 8 << 10
)

var describedElsewhere = map[string]bool{
	"name": true, "message": true, "stack": true, "cause": true,
	"fileName": true, "lineNumber": true, "columnNumber": true,
}

// properties copies an error's other own data members that are plain data.
func (r *run) properties(v quickjs.Value, e *contract.GuestError) error {
	names, err := v.OwnKeysMax(true, 4*maxProperties, 8*maxPropertyBytes)
	if err != nil && !errors.Is(err, quickjs.ErrTooLarge) {
		return err
	}
	size := 0
	for _, name := range names {
		if describedElsewhere[name] {
			continue
		}
		if len(e.Properties) == maxProperties {
			break
		}
		p, ok, err := ownData(v, name)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		text, plain, err := plainJSON(p, maxPropertyBytes-size)
		p.Free()
		if err != nil {
			return err
		}
		if !plain || size+len(name)+len(text) > maxPropertyBytes {
			continue
		}
		size += len(name) + len(text)
		if e.Properties == nil {
			e.Properties = map[string]json.RawMessage{}
		}
		e.Properties[name] = text
	}
	return nil
}

func numberText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case f == 0:
		return "0"
	}
	b, _ := json.Marshal(f)
	return string(b)
}

// place finds the innermost frame that lies in the program's own text and
// returns its line and column there, from 1; zeros when there is none.
func (r *run) place(backtrace string) (line, column int) {
	name := r.codeName()
	for _, frame := range strings.Split(backtrace, "\n") {
		l, c, ok := framePlace(frame, name)
		if !ok {
			continue
		}
		if l, c, ok = r.placeInSource(l, c); ok {
			return l, c
		}
	}
	return 0, 0
}

// framePlace reads "    at f (name:line:column)" or "    at name:line:column".
func framePlace(frame, name string) (line, column int, ok bool) {
	frame = strings.TrimSuffix(frame, ")")
	rest, colText, found := cutLast(frame, ":")
	if !found {
		return 0, 0, false
	}
	rest, lineText, found := cutLast(rest, ":")
	if !found || !(strings.HasSuffix(rest, "("+name) || strings.TrimSpace(rest) == "at "+name) {
		return 0, 0, false
	}
	line, err1 := strconv.Atoi(lineText)
	column, err2 := strconv.Atoi(colText)
	return line, column, err1 == nil && err2 == nil && line > 0 && column > 0
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

func (r *run) fileName() string {
	if r.program.Name == "" {
		return contract.DefaultName
	}
	return r.program.Name
}

// describeSetup reports a failure of globals, namespaces or preludes.
func (r *run) describeSetup(err *setupError) {
	r.settled = false
	r.enter(func() error {
		e, derr := r.describe(err.Value)
		if derr != nil {
			return derr
		}
		record := &contract.FailureRecord{Name: e.Name}
		e.Message, e.Name = "Sandbox setup failed: "+e.Error(), "Error"
		e.Line, e.Column = 0, 0
		r.out.Err, r.out.Failure, r.settled = e, record, true
		return nil
	})
}

// placeInSource translates a place in the compiled code. A program that is not
// compiled yet has none.
func (r *run) placeInSource(line, column int) (int, int, bool) {
	if r.source == nil {
		return 0, 0, false
	}
	return r.source.place(line, column)
}
