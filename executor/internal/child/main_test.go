package child_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor/internal/child"
	"github.com/guestjs/guestjs/internal/wire"
)

// parent is the near side of a child that lives in this process.
type parent struct {
	t    *testing.T
	to   io.WriteCloser
	from *wire.Reader
	code chan int
	log  strings.Builder
}

type runFunc func(ctx context.Context, p contract.Program) (contract.Outcome, error)

func (f runFunc) Run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	return f(ctx, p)
}

// start starts a child around run, hardened in no way: it is this process.
func start(t *testing.T, run runFunc) *parent {
	t.Cleanup(func() { goleak.VerifyNone(t) })
	return startRunner(t, run)
}

func startRunner(t *testing.T, runner child.Runner) *parent {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &parent{t: t, to: inW, from: wire.NewReader(outR), code: make(chan int, 1)}
	go func() {
		p.code <- child.Main(inR, outW, &p.log, child.Config{Skip: []string{"all"}}, func(child.Config) (child.Runner, error) { return runner, nil })
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		_ = outR.Close()
	})
	require.Equal(t, wire.TypeHello, p.next().Type)
	require.Equal(t, wire.TypeReady, p.next().Type)
	return p
}

func (p *parent) next() wire.Message {
	m, err := p.from.Next()
	require.NoError(p.t, err)
	return m
}

func (p *parent) send(m wire.Message) {
	frame, err := wire.AppendFrame(nil, m, "message")
	require.NoError(p.t, err)
	_, err = p.to.Write(frame)
	require.NoError(p.t, err)
}

func (p *parent) run(job uint64, run wire.Run) {
	body, err := wire.EncodeRun(run, "run")
	require.NoError(p.t, err)
	p.send(wire.Message{Type: wire.TypeRun, Job: job, Body: string(body)})
}

// outcome reads a result of one piece.
func (p *parent) outcome(job uint64) contract.Outcome {
	m := p.next()
	require.Equal(p.t, wire.TypeReport, m.Type)
	require.Equal(p.t, job, m.Job)
	report, err := wire.DecodeReport([]byte(m.Body))
	require.NoError(p.t, err)
	m = p.next()
	require.Equal(p.t, wire.TypeResult, m.Type)
	out, err := wire.DecodeResult([]byte(m.Body), report)
	require.NoError(p.t, err)
	return out
}

func (p *parent) end() int {
	require.NoError(p.t, p.to.Close())
	return <-p.code
}

var echoes = wire.Run{Providers: []wire.Provider{{Name: "tools", Functions: []string{"echo"}}}}

// callOnce is a program that makes one call and gives back what it got.
func callOnce(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	reply, err := p.Providers[0].Functions["echo"](ctx, json.RawMessage(`[1]`))
	if err != nil {
		return contract.Outcome{Err: &contract.GuestError{Message: err.Error()}}, nil
	}
	return contract.Outcome{Value: reply}, nil
}

func TestChildEndsWhenItsPipeCloses(t *testing.T) {
	p := start(t, callOnce)
	require.Equal(t, child.ExitClosed, p.end())
	require.Empty(t, p.log.String())
}

func TestChildRunsOneProgramAtATime(t *testing.T) {
	p := start(t, callOnce)
	p.run(1, echoes)
	call := p.next()
	require.Equal(t, wire.TypeHostCall, call.Type)
	p.run(2, echoes)
	require.EqualError(t, p.outcome(2).Err, "QuickJS child received overlapping executions.")
	p.send(wire.Message{Type: wire.TypeHostResult, Job: 1, Call: call.Call, Body: `{"ok":true,"value":"a"}`})
	require.Equal(t, `"a"`, string(p.outcome(1).Value))
	p.run(3, echoes)
	require.Equal(t, wire.TypeHostCall, p.next().Type, "and then the next one")
	p.end()
}

func TestChildDropsHostResultsThatNobodyWaitsFor(t *testing.T) {
	p := start(t, callOnce)
	p.run(1, echoes)
	call := p.next().Call
	for _, m := range []wire.Message{
		{Type: wire.TypeHostResult, Job: 2, Call: call, Body: `{"ok":true,"value":"another job"}`},
		{Type: wire.TypeHostResult, Job: 1, Call: call + 1, Body: `{"ok":true,"value":"another call"}`},
		{Type: wire.TypeHostResult, Job: 1, Call: call, Body: `{"ok":true,"value":"right"}`},
		{Type: wire.TypeHostResult, Job: 1, Call: call, Body: `{"ok":true,"value":"again"}`},
	} {
		p.send(m)
	}
	require.Equal(t, `"right"`, string(p.outcome(1).Value))
	p.end()
}

func TestChildReadsHostResults(t *testing.T) {
	for name, c := range map[string]struct{ body, err string }{
		"malformed":  {`{`, "Invalid host result: unexpected end of JSON input"},
		"no verdict": {`{}`, "Invalid host result: ok is missing"},
		"too large":  {`{"ok":true,"value":"` + strings.Repeat("a", 262_144) + `"}`, "Host result exceeded the IPC limit."},
		"an error":   {`{"ok":false,"error":"no"}`, "no"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, callOnce)
			p.run(1, echoes)
			p.send(wire.Message{Type: wire.TypeHostResult, Job: 1, Call: p.next().Call, Body: c.body})
			require.EqualError(t, p.outcome(1).Err, c.err)
			p.end()
		})
	}
}

func TestChildKeepsTheRecordOfARefusal(t *testing.T) {
	var failure *contract.Failure
	p := start(t, func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
		_, err := p.Providers[0].Functions["echo"](ctx, json.RawMessage(`[]`))
		errors.As(err, &failure)
		return contract.Outcome{Err: &contract.GuestError{Message: err.Error(), Host: err}}, nil
	})
	p.run(5, echoes)
	call := p.next().Call
	p.send(wire.Message{Type: wire.TypeHostResult, Job: 5, Call: call, Body: `{"ok":false,"error":"slow","call":{"code":"rate","message":"slow","retryable":true,"retryAfterMs":9,"left":0}}`})
	report, err := wire.DecodeReport([]byte(p.next().Body))
	require.NoError(t, err)
	require.Equal(t, call, report.Rest.HostCall, "the parent is told whose error it was")
	require.Equal(t, "rate", failure.Code)
	require.EqualValues(t, 9e6, failure.RetryAfter)
	require.Equal(t, json.RawMessage("0"), failure.Details["left"])
	p.next()
	p.end()
}

func TestChildGivesUpCallsWhenARunEnds(t *testing.T) {
	settled := make(chan error, 1)
	p := start(t, func(ctx context.Context, p contract.Program) (contract.Outcome, error) {
		go func() {
			_, err := p.Providers[0].Functions["echo"](ctx, json.RawMessage(`[]`))
			settled <- err
		}()
		p.OnLog("started")
		return contract.Outcome{}, nil
	})
	p.run(1, echoes)
	for range 4 { // the log, the call, the report and the result, in whatever order
		if m := p.next(); m.Type == wire.TypeResult {
			break
		}
	}
	go func() { // a call that was about to be sent must find a reader
		for {
			if _, err := p.from.Next(); err != nil {
				return
			}
		}
	}()
	require.EqualError(t, <-settled, "Execution ended before the host call settled.")
	p.end()
}

func TestChildSurvivesWhatMakesNoSense(t *testing.T) {
	p := start(t, callOnce)
	p.send(wire.Message{Type: wire.TypeRun, Job: 1, Body: `{`})
	require.EqualError(t, p.outcome(1).Err, "QuickJS child failed: invalid run payload: unexpected end of JSON input")
	p.send(wire.Message{Type: "reboot"})
	p.send(wire.Message{Type: wire.TypeReady})
	p.run(2, echoes)
	require.Equal(t, uint64(2), p.next().Job)
	p.end()
}

func TestChildGivesUpOnAStreamThatCannotBeRead(t *testing.T) {
	p := start(t, callOnce)
	_, err := p.to.Write([]byte{0xff, 0xff, 0xff, 0xff})
	require.NoError(t, err)
	require.Equal(t, child.ExitBroken, <-p.code)
	require.Contains(t, p.log.String(), "a frame of 4294967295 bytes")
}

func TestChildReportsAPanicOfItsRunner(t *testing.T) {
	p := start(t, func(context.Context, contract.Program) (contract.Outcome, error) { panic("a wild read") })
	p.run(1, echoes)
	report, err := wire.DecodeReport([]byte(p.next().Body))
	require.NoError(t, err)
	require.True(t, report.Rest.Recycle)
	require.Equal(t, `{"outcome":{"error":"QuickJS child failed: a wild read"}}`, p.next().Body)
	p.end()
}

// trims is a Runner that counts how often it was asked to give memory back.
type trims struct {
	runFunc
	n atomic.Int32
}

func (r *trims) Trim() error { r.n.Add(1); return nil }

func TestChildGivesMemoryBackWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &trims{runFunc: func(context.Context, contract.Program) (contract.Outcome, error) { return contract.Outcome{}, nil }}
		p := startRunner(t, r)
		after := func(d time.Duration) int32 {
			time.Sleep(d)
			synctest.Wait()
			return r.n.Load()
		}
		require.Zero(t, after(time.Hour), "nothing has run")
		p.run(1, wire.Run{})
		p.outcome(1)
		require.Zero(t, after(600*time.Millisecond))
		p.run(2, wire.Run{})
		p.outcome(2)
		require.Zero(t, after(600*time.Millisecond), "it was busy in between")
		require.EqualValues(t, 1, after(400*time.Millisecond))
		require.EqualValues(t, 1, after(time.Hour), "once is enough")
		p.end()
	})
}

func TestChildConfigCrossesAsArguments(t *testing.T) {
	cfg := child.Config{Limits: contract.Limits{Memory: 1 << 30, Wall: contract.Unlimited}, MaxCalls: 3, Skip: []string{"seccomp"}}
	got, is, err := child.FromArgs(append([]string{"anything"}, cfg.Args()...))
	require.NoError(t, err)
	require.True(t, is)
	require.Equal(t, cfg, got)

	for _, args := range [][]string{{"guestjs"}, {"guestjs", "run"}, {"guestjs", "run", child.Arg}, {}} {
		_, is, err = child.FromArgs(args)
		require.NoError(t, err)
		require.False(t, is)
	}
	for _, args := range [][]string{{"guestjs", child.Arg}, {"guestjs", child.Arg, "{"}, {"guestjs", child.Arg, "{}", "{}"}} {
		_, is, err = child.FromArgs(args)
		require.True(t, is)
		require.Error(t, err)
	}
}

func Example() {
	cfg := child.Config{Limits: contract.Limits{Memory: 32 << 20}}
	_, is, _ := child.FromArgs(append([]string{"myserver"}, cfg.Args()...))
	fmt.Println(is)
	// Output: true
}
