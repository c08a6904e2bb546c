package bridge_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// The files of testdata hold programs between lines of "---", each with what
// is expected of it in comments beside its lines:
//
//	//=> JSON       the value; //=> alone: there is none
//	//!! text       the error that ends it, made in this line
//	//!!N text      the same, in column N
//	//!? text       the error that ends it, made nowhere in the program
//	//>> text       an entry of the log
//	//@@ name state a host call
//	//~~ text       an unhandled rejection
//
// The comments stay in the program. Programs that they would change are in
// tables.
type script struct {
	name   string
	source string
	want   outcomeText
}

// outcomeText is an outcome in the words of the scripts.
type outcomeText struct {
	value, err                string
	line, column              int
	logs, calls, notUnhandled []string
}

func readScripts(t *testing.T, file string) (list []script) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	at := 1
	for _, chunk := range strings.Split(string(text), "\n---\n") {
		s := script{name: fmt.Sprintf("%s:%d", filepath.Base(file), at), source: chunk}
		for i, line := range strings.Split(chunk, "\n") {
			s.want.read(t, i+1, line)
		}
		list = append(list, s)
		at += strings.Count(chunk, "\n") + 2
	}
	return list
}

func (w *outcomeText) read(t *testing.T, number int, line string) {
	for _, mark := range []string{"//=>", "//!!", "//!?", "//>>", "//@@", "//~~"} {
		_, text, found := strings.Cut(line, mark)
		if !found {
			continue
		}
		switch mark {
		case "//=>":
			w.value = strings.TrimSpace(text)
		case "//!!":
			w.line = number
			if n, _ := fmt.Sscanf(text, "%d", &w.column); n == 1 {
				text = strings.TrimLeft(text, "0123456789")
			}
			w.err = strings.TrimPrefix(text, " ")
		case "//!?":
			w.err = strings.TrimPrefix(text, " ")
		case "//>>":
			w.logs = append(w.logs, strings.TrimPrefix(text, " "))
		case "//@@":
			w.calls = append(w.calls, strings.TrimSpace(text))
		case "//~~":
			w.notUnhandled = append(w.notUnhandled, strings.TrimPrefix(text, " "))
		}
		return
	}
	require.NotRegexp(t, `//[^\w\s/*]{2}`, line, "an unknown mark")
}

// textOf puts an outcome into words. A column that is not asked for is left out.
func textOf(out contract.Outcome, column bool) outcomeText {
	w := outcomeText{value: string(out.Value), logs: out.Logs, notUnhandled: out.Unhandled}
	if out.Err != nil {
		w.err = out.Err.Error()
	}
	var thrown *contract.GuestError
	if errors.As(out.Err, &thrown) {
		w.line, w.column = thrown.Line, thrown.Column
	}
	if !column {
		w.column = 0
	}
	for _, c := range out.Calls {
		w.calls = append(w.calls, c.Name+" "+string(c.State))
	}
	return w
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.js")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	// What a script shows is not how fast this machine is.
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: time.Minute, Wall: time.Minute}})
	for _, file := range files {
		for _, s := range readScripts(t, file) {
			t.Run(s.name, func(t *testing.T) {
				out, err := box.Run(t.Context(), contract.Program{Source: s.source, Providers: providers()})
				require.NoError(t, err)
				require.Equal(t, s.want, textOf(out, s.want.column != 0), s.source)
				if f := out.Failure; f != nil && f.Timeout == nil && s.want.line != 0 {
					require.Equal(t, s.want.line, f.Line)
				}
			})
		}
	}
}
