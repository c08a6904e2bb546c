package child_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor/internal/child"
	"github.com/guestjs/guestjs/internal/fault"
	"github.com/guestjs/guestjs/internal/wire"
)

var errPipe = errors.New("the pipe is broken")

// breaks is a pipe to the parent that breaks at the nth write.
type breaks struct {
	after int
	bytes.Buffer
}

func (w *breaks) Write(p []byte) (int, error) {
	if w.after--; w.after < 0 {
		return 0, errPipe
	}
	return w.Buffer.Write(p)
}

func ran(context.Context, contract.Program) (contract.Outcome, error) {
	return contract.Outcome{Value: json.RawMessage("1")}, nil
}

// A child whose parent does not read ends, wherever it notices.
func TestChildEndsWhenItCannotWrite(t *testing.T) {
	bad, err := wire.AppendFrame(nil, wire.Message{Type: wire.TypeRun, Job: 1, Body: "{"}, "run")
	require.NoError(t, err)
	for after, log := range map[int]string{0: "", 1: "", 2: "child: writing to the parent: the pipe is broken\n"} {
		var said strings.Builder
		code := child.Main(bytes.NewReader(bad), &breaks{after: after}, &said, child.Config{Skip: []string{"all"}},
			func(child.Config) (child.Runner, error) { return runFunc(ran), nil })
		require.Equal(t, child.ExitBroken, code, after)
		require.Equal(t, log, said.String(), after)
	}
}

func TestErrorOfAHostFunctionIsARefusalOrAText(t *testing.T) {
	refusal := &contract.Failure{Code: "no"}
	require.ErrorIs(t, &child.HostError{Text: "no", Failure: refusal}, refusal)
	require.NoError(t, errors.Unwrap(&child.HostError{Text: "no"}))
}

func TestChildWithoutAnEngine(t *testing.T) {
	var said strings.Builder
	code := child.Main(strings.NewReader(""), io.Discard, &said, child.Config{Skip: []string{"all"}},
		func(child.Config) (child.Runner, error) { return nil, errors.New("no such engine") })
	require.Equal(t, child.ExitStart, code)
	require.Equal(t, "child: the engine could not be loaded: no such engine\n", said.String())
}

// pieces reads the report and the result of a job, in however many messages.
func (p *parent) pieces() (report, result string) {
	for {
		switch m := p.next(); m.Type {
		case wire.TypeReport:
			report += m.Body
		case wire.TypeResultChunk:
			result += m.Body
		case wire.TypeResult:
			return report, result + m.Body
		}
	}
}

// TestChildAnswers has what a runner may give that is more than a value.
func TestChildAnswers(t *testing.T) {
	long := strings.Repeat("r", 3*wire.ChunkUnits)
	noForm := &contract.Failure{Code: "odd", Details: map[string]any{"f": func() {}}}
	for _, c := range []struct {
		name   string
		out    contract.Outcome
		err    error
		result string // begins so
		report string // has this
	}{
		{"a long value", contract.Outcome{Value: json.RawMessage(`"` + long + `"`)}, nil, `{"outcome":{"result":"rrr`, `{"numbers":[`},
		{"a long report", contract.Outcome{Unhandled: []string{long}}, nil, `{"outcome":{}}`, `"unhandled":["rrr`},
		{"an error of its own", contract.Outcome{}, errors.New("no"), `{"outcome":{}}`, `"refused":{"text":"no"}`},
		{"a program that is wrong", contract.Outcome{}, contract.ErrInvalid, `{"outcome":{}}`, `"invalid":true`},
		{"a record without JSON form", contract.Outcome{Err: contract.ErrStalled, Failure: &contract.FailureRecord{Call: noForm}}, nil,
			`{"outcome":{"error":"QuickJS execution result exceeded the 67108864-byte aggregate transport limit: wire: failure record: `, `"recycle":true`},
		{"properties without JSON form",
			contract.Outcome{Err: &contract.GuestError{Name: "Error", Properties: map[string]json.RawMessage{"a": json.RawMessage("{")}}}, nil,
			`{"outcome":{"error":"QuickJS execution result exceeded the 67108864-byte aggregate transport limit: wire: report: `, `"recycle":true`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, func(context.Context, contract.Program) (contract.Outcome, error) { return c.out, c.err })
			p.run(1, wire.Run{})
			report, result := p.pieces()
			require.True(t, strings.HasPrefix(result, c.result), "%.300s", result)
			require.Contains(t, report, c.report)
			p.run(2, wire.Run{})
			p.pieces()
			require.Equal(t, child.ExitClosed, p.end())
		})
	}
}

// A value and its report may each be small enough and both together not.
func TestChildRefusesAResultThatItsReportMakesTooLarge(t *testing.T) {
	half := strings.Repeat("r", wire.MaxResult/2)
	p := start(t, func(context.Context, contract.Program) (contract.Outcome, error) {
		return contract.Outcome{Value: json.RawMessage(`"` + half + `"`), Unhandled: []string{half}}, nil
	})
	p.run(1, wire.Run{})
	report, result := p.pieces()
	require.Contains(t, result, "exceeded the 67108864-byte aggregate transport limit: QuickJS execution report is 671089")
	require.Contains(t, report, `"recycle":true`)
	p.end()
}

// What a panic says is cut where it is a book.
func TestChildCutsTheTextOfAPanic(t *testing.T) {
	p := start(t, func(context.Context, contract.Program) (contract.Outcome, error) {
		panic(strings.Repeat("\U0001F600", 3000))
	})
	p.run(1, wire.Run{})
	_, result := p.pieces()
	require.Less(t, len(result), 8100)
	p.end()
}

// The parent goes away in the middle of a long report, and of a call.
func TestChildWhoseParentGoesAwayDuringARun(t *testing.T) {
	long := strings.Repeat("r", 3*wire.ChunkUnits)
	runs := map[string]func(context.Context, contract.Program) (contract.Outcome, error){
		"report": func(context.Context, contract.Program) (contract.Outcome, error) {
			return contract.Outcome{Unhandled: []string{long}}, nil
		},
		"call": callOnce,
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			got := make(chan contract.Outcome, 1)
			frame, err := wire.EncodeRun(echoes, "run")
			require.NoError(t, err)
			in, to := io.Pipe()
			out := &breaks{after: 2} // hello and ready, and nothing of the run
			ended := make(chan int, 1)
			go func() {
				ended <- child.Main(in, out, io.Discard, child.Config{Skip: []string{"all"}}, func(child.Config) (child.Runner, error) {
					return runFunc(func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
						out, err := run(ctx, p)
						got <- out
						return out, err
					}), nil
				})
			}()
			message, err := wire.AppendFrame(nil, wire.Message{Type: wire.TypeRun, Job: 1, Body: string(frame)}, "run")
			require.NoError(t, err)
			_, err = to.Write(message)
			require.NoError(t, err)
			if outcome := <-got; name == "call" {
				require.EqualError(t, outcome.Err, errPipe.Error())
			}
			require.NoError(t, to.Close())
			require.Equal(t, child.ExitClosed, <-ended)
		})
	}
}

// What a call may not be, and how it ends with its own context.
func TestChildRefusesACallBeforeItIsSent(t *testing.T) {
	var tooLarge, gone error
	p := start(t, func(_ context.Context, p contract.Program) (contract.Outcome, error) {
		echo := p.Providers[0].Functions["echo"]
		_, tooLarge = echo(context.Background(), json.RawMessage(`["`+strings.Repeat("a", wire.MaxHostArgs)+`"]`))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, gone = echo(ctx, json.RawMessage("[]"))
		return contract.Outcome{}, nil
	})
	p.run(1, echoes)
	require.Equal(t, wire.TypeHostCall, p.next().Type, "the second one's")
	p.pieces()
	require.ErrorContains(t, tooLarge, "Host call payload is 262")
	require.EqualError(t, gone, "Execution ended before the host call settled.")
	p.end()
}

// A listener hears of calls; one without JSON form it does not hear of. What is too
// large for a message is not sent, and harms nothing.
func TestChildTellsOfCalls(t *testing.T) {
	p := start(t, func(_ context.Context, p contract.Program) (contract.Outcome, error) {
		p.OnLog(strings.Repeat("a", wire.MaxMessage))
		p.OnCall(contract.Call{Name: "tools.echo", Number: 1})
		return contract.Outcome{}, nil
	})
	p.run(1, wire.Run{Options: wire.RunOptions{OnCall: true}})
	m := p.next()
	require.Equal(t, wire.TypeCall, m.Type)
	require.Contains(t, m.Body, "tools.echo")
	p.pieces()
	p.end()
}

// keeps is a Runner that cannot give memory back.
type keeps struct{ runFunc }

func (keeps) Trim() error { return errors.New("it is needed") }

func TestChildThatCannotGiveMemoryBackSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startRunner(t, keeps{ran})
		p.run(1, wire.Run{})
		p.pieces()
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Equal(t, "child: giving memory back: it is needed\n", p.log.String())
		p.run(2, wire.Run{})
		p.pieces()
		p.end()
	})
}

// A run that lasts as long as a child may be idle is not disturbed.
func TestChildKeepsMemoryDuringALongRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wait := time.Duration(0)
		r := &trims{runFunc: func(context.Context, contract.Program) (contract.Outcome, error) {
			time.Sleep(wait)
			return contract.Outcome{}, nil
		}}
		p := startRunner(t, r)
		p.run(1, wire.Run{})
		p.pieces()
		wait = time.Hour
		p.run(2, wire.Run{})
		p.pieces()
		require.Zero(t, r.n.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, 1, r.n.Load())
		p.end()
	})
}

func TestSandboxOfAChildThatCannotBeMade(t *testing.T) {
	errMap := errors.New("no address space")
	restore := fault.Set(func(point string) error {
		if point == fault.Map {
			return errMap
		}
		return nil
	})
	_, err := child.NewSandbox(child.Config{})
	restore()
	require.ErrorContains(t, err, "bridge: building a sandbox: ")
	require.ErrorIs(t, err, errMap)

	errEngine := errors.New("the engine's own failure")
	asked, fail := 0, -1
	defer fault.Set(func(point string) error {
		if point != fault.Engine {
			return nil
		}
		if asked++; asked == fail {
			return errEngine
		}
		return nil
	})()
	runner, err := child.NewSandbox(child.Config{HostTimeZone: true})
	require.NoError(t, err)
	require.NoError(t, runner.(io.Closer).Close())

	// The last operation is one of the program that a child runs to begin with.
	asked, fail = 0, asked
	runner, err = child.NewSandbox(child.Config{})
	require.ErrorIs(t, err, errEngine)
	require.ErrorContains(t, err, "the first program failed: ")
	require.Nil(t, runner)
}

// A limit on the source text is one for the programs of others, not for the one that
// a child runs to begin with.
func TestSandboxOfAChildForVeryShortPrograms(t *testing.T) {
	for most := int64(1); most < 25; most++ {
		runner, err := child.NewSandbox(child.Config{Limits: contract.Limits{Source: most}})
		require.NoError(t, err, most)
		out, err := runner.Run(t.Context(), contract.Program{Source: "7"})
		require.NoError(t, err)
		require.Equal(t, "7", string(out.Value))
		require.NoError(t, runner.(io.Closer).Close())
	}
}
