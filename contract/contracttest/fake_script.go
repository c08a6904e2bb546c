package contracttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// script returns what the program does, told in Go. It returns the value as
// JSON text, "" for none.
func script(source string) func(*fakeRun) (string, error) {
	if arg, ok := strings.CutPrefix(source, "return await tools.echo("); ok && source != progEcho {
		return func(r *fakeRun) (string, error) { return r.call("echo", "["+strings.TrimSuffix(arg, ")")+"]") }
	}
	if s, ok := scripts()[source]; ok {
		return s
	}
	return value("", guestError("Error", fmt.Sprintf("contracttest.Fake does not know the program %q.", source)))
}

func value(v string, err error) func(*fakeRun) (string, error) {
	return func(*fakeRun) (string, error) { return v, err }
}

func guestError(name, message string) error {
	return &contract.GuestError{Name: name, Message: message}
}

func scripts() map[string]func(*fakeRun) (string, error) {
	return map[string]func(*fakeRun) (string, error){
		progValue:   value(`2`, nil),
		progNothing: value("", nil),
		progThrow:   value("", guestError("TypeError", "no")),
		progSyntax:  value("", guestError("SyntaxError", "unexpected token in expression: ''")),
		progStall:   value("", contract.ErrStalled),
		progPollute: value(`1`, nil),
		progClean:   value(`["undefined","undefined"]`, nil),
		progSpin: func(r *fakeRun) (string, error) {
			budget := time.NewTimer(r.p.Limits.Or(contract.DefaultLimits()).CPU)
			defer budget.Stop()
			select {
			case <-budget.C:
				return "", errCPU
			case <-r.ctx.Done():
				return "", errStopped
			}
		},
		progLogs: func(r *fakeRun) (string, error) {
			r.log("a")
			r.log("b 1")
			if _, err := r.call("touch", "[]"); err != nil {
				return "", err
			}
			r.log(`{"c":[true]}`)
			return `1`, nil
		},
		progEcho: func(r *fakeRun) (string, error) { return r.call("echo", `[{"a":[1,"two"]}]`) },
		progMembers: func(r *fakeRun) (string, error) {
			var seen []string
			for _, name := range []string{"toString", "constructor", "__proto__", "hasOwnProperty"} {
				_, err := r.call(name, "[]")
				switch {
				case err == errStopped:
					return "", err
				case err != nil:
					seen = append(seen, err.Error())
				default:
					seen = append(seen, "called "+name)
				}
			}
			text, err := json.Marshal(seen)
			return string(text), err
		},
		progRefused: func(r *fakeRun) (string, error) {
			_, err := r.call("refuse", "[]")
			var guest *contract.GuestError
			if errors.As(err, &guest) {
				guest.Message = "edited"
			}
			return "", err
		},
		progCopied: func(r *fakeRun) (string, error) {
			_, err := r.call("refuse", "[]")
			if err == errStopped {
				return "", err
			}
			return "", guestError("Error", err.Error())
		},
		progCaught: func(r *fakeRun) (string, error) {
			_, err := r.call("refuse", "[]")
			var f *contract.Failure
			if !errors.As(err, &f) {
				return "", err
			}
			text, err := json.Marshal([]any{f.Message, f.Code, f.Retryable, f.RetryAfter.Milliseconds(), f.Details["owner"]})
			return string(text), err
		},
		progFail: func(r *fakeRun) (string, error) { return r.call("fail", "[]") },
		progBoom: func(r *fakeRun) (string, error) {
			_, err := r.call("boom", "[]")
			if err == errStopped {
				return "", err
			}
			return `"caught"`, nil
		},
		progTouch: func(r *fakeRun) (string, error) {
			_, err := r.call("touch", "[]")
			return `1`, err
		},
		progWait: func(r *fakeRun) (string, error) { return r.call("wait", "[]") },
		progForget: func(r *fakeRun) (string, error) {
			r.begin("wait", "[]")
			_, err := r.call("touch", "[]")
			return `"done"`, err
		},
	}
}
