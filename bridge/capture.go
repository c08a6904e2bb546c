package bridge

import (
	"crypto/rand"
	"strings"

	"github.com/guestjs/guestjs/quickjs"
)

// capture takes the built-ins that the host calls during a run, before any
// program can replace them, and keeps the name of the program's code a secret.
//
// A program may give a function any name, one that looks like further lines of
// a backtrace included, and so put a place of its choice there. It cannot put
// one in its own file there when it does not know what the engine calls that
// file: its name with g.mark behind it. Whoever shows a backtrace takes the mark
// out again, and what else would tell the name is removed.
func (g *guest) capture() error {
	g.mark = "#" + rand.Text()
	global := g.qc.Global()
	json, err := global.Get("JSON")
	if err != nil {
		return err
	}
	if g.stringify, err = json.Get("stringify"); err != nil {
		return err
	}
	if g.string, err = global.Get("String"); err != nil {
		return err
	}
	errors, err := prototypeOf(global, "Error")
	if err != nil {
		return err
	}
	stack, _, err := errors.OwnProperty("stack")
	if err != nil {
		return err
	}
	g.stackGetter = stack.Getter
	getter, err := g.qc.Function("get stack", 0, g.stack)
	if err != nil {
		return err
	}
	if err := errors.DefineAccessor("stack", getter, stack.Setter, quickjs.Configurable); err != nil {
		return err
	}
	functions, err := prototypeOf(global, "Function")
	if err != nil {
		return err
	}
	for _, name := range []string{"fileName", "lineNumber", "columnNumber"} {
		if err := functions.Delete(name); err != nil {
			return err
		}
	}
	for _, v := range []quickjs.Value{global, json, errors, stack.Setter, getter, functions} {
		v.Free()
	}
	return nil
}

func prototypeOf(global quickjs.Value, class string) (quickjs.Value, error) {
	c, err := global.Get(class)
	if err != nil {
		return c, err
	}
	p, err := c.Get("prototype")
	c.Free()
	return p, err
}

// maxStackShown bounds what a program reads as an error's stack.
const maxStackShown = 64_000

// stack is the native getter of Error.prototype.stack.
func (g *guest) stack(qc *quickjs.Context, this quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
	if !this.IsError() {
		return g.stackGetter.Call(this)
	}
	text := this.Backtrace(maxStackShown)
	if text == "" {
		return quickjs.Value{}, nil
	}
	return qc.String(g.unmark(text))
}

// unmark takes the mark out of a backtrace, and what is left of one at the end of
// a text that was cut: a program that sees a part of it can find out the rest.
func (g *guest) unmark(backtrace string) string {
	text := strings.ReplaceAll(backtrace, g.mark, "")
	for n := len(g.mark) - 1; n > 0; n-- {
		if cut, found := strings.CutSuffix(text, g.mark[:n]); found {
			return cut
		}
	}
	return text
}

// codeName is what the engine calls the program's code.
func (r *run) codeName() string { return r.fileName() + r.guest.mark }
