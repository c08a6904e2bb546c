package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/guestjs/guestjs/bench"
)

// Verify runs every program on an engine and returns what was wrong. The
// benchmarks check answers too, but they are not run with the tests.
func Verify(e Engine) error {
	fresh, err := e.Isolated()
	if err != nil {
		return err
	}
	errs := []error{
		answer(bench.Load("trivial"), fresh.Eval),
		answer(bench.Load("calls"), fresh.Await),
	}
	// What one program leaves behind is not there for the next.
	for range 2 {
		errs = append(errs, answer(bench.Program{Name: "left over", Source: "globalThis.left = (globalThis.left ?? 0) + 1", Want: json.RawMessage("1")}, fresh.Eval))
	}
	errs = append(errs, fresh.Close())
	s, err := e.Open()
	if err != nil {
		return err
	}
	for _, name := range bench.Compute {
		errs = append(errs, answer(bench.Load(name), s.Eval))
	}
	for _, inflight := range []int{1, 20, 200} {
		errs = append(errs, answer(bench.Await(inflight, false), s.Await), answer(bench.Await(inflight, true), s.Await))
	}
	const rows = 5
	errs = append(errs, answer(bench.Out(rows), s.Eval))
	for range 2 { // the second text replaces the first
		errs = append(errs, answer(bench.In(rows), func(source string) (json.RawMessage, error) {
			return s.Parse(bench.Rows(rows), source)
		}))
	}
	_, err = s.Eval(bench.Load("throw").Source)
	errs = append(errs, throws(err, "TypeError: row 3 has no price"))
	_, err = s.Await("Promise.reject(new RangeError('late'))")
	errs = append(errs, throws(err, "RangeError: late"), s.Close())
	return errors.Join(errs...)
}

func answer(p bench.Program, run func(string) (json.RawMessage, error)) error {
	out, err := run(p.Source)
	if err != nil {
		return fmt.Errorf("engine: %s: %w", p.Name, err)
	}
	return p.Check(out)
}

func throws(err error, want string) error {
	if err == nil || !strings.Contains(err.Error(), want) {
		return fmt.Errorf("engine: the error is %v, want %s", err, want)
	}
	return nil
}
