package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// job is one run.
type job struct {
	*conn
	id  uint64
	run wire.Run

	mu    sync.Mutex
	next  uint64
	ended bool
	calls map[uint64]chan string // open calls; each channel has room for its one reply
}

// HostError is the error of a proxied host function: the text, the typed
// refusal if it was one, and the number of the call it answers.
type HostError struct {
	Call    uint64
	Text    string
	Failure *contract.Failure // nil for a plain error
}

// Error returns the text.
func (e *HostError) Error() string { return e.Text }

// Unwrap returns the refusal.
func (e *HostError) Unwrap() error {
	if e.Failure == nil {
		return nil
	}
	return e.Failure
}

var errSettled = errors.New("Execution ended before the host call settled.") //lint:ignore ST1005 the text is SPEC's

// serve runs the job and sends its result. A pipe that cannot be written to is
// the reader's to notice.
func (j *job) serve(runner Runner) {
	p := j.run.Program(j.proxy)
	p.OnLog = func(entry string) {
		_ = j.send(wire.Message{Type: wire.TypeLog, Job: j.id, Body: string(wire.AppendQuote(nil, entry))}, "log")
	}
	if j.run.Options.OnCall {
		p.OnCall = func(c contract.Call) {
			if text, err := json.Marshal(c); err == nil {
				_ = j.send(wire.Message{Type: wire.TypeCall, Job: j.id, Body: string(text)}, "call")
			}
		}
	}
	j.idle.running.Lock()
	out, err := guarded(runner, p)
	j.idle.running.Unlock()
	j.after()
	j.end()
	report := wire.NewReport(out)
	var fault *faultError
	switch {
	case errors.As(err, &fault):
		out = contract.Outcome{Logs: out.Logs, Err: fixed("QuickJS child failed: " + fault.Error())}
		report = wire.NewReport(out)
		report.Rest.Recycle = true
	case err != nil:
		report.Rest.Refused = &wire.Refusal{Text: err.Error(), Invalid: errors.Is(err, contract.ErrInvalid)}
	}
	var host *HostError
	if errors.As(out.Err, &host) {
		report.Rest.HostCall = host.Call
	}
	if j.runs++; j.runs%64 == 1 || out.Usage.Wall > time.Millisecond {
		report.ProcessCPU = processCPU() // the parent adds up what lies between
	}
	_ = j.result(out, report)
}

// faultError is a panic of the runner.
type faultError struct{ reason any }

func (e *faultError) Error() string { return fmt.Sprint(e.reason) }

func guarded(runner Runner, p contract.Program) (out contract.Outcome, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &faultError{r}
		}
	}()
	return runner.Run(context.Background(), p)
}

// end closes the job: replies that come now are dropped, and calls that still
// wait are given up.
func (j *job) end() {
	j.conn.mu.Lock()
	j.active = nil
	j.conn.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = true
	for _, ch := range j.calls {
		close(ch)
	}
	j.calls = nil
}

// proxy makes the function that stands for one in the parent.
func (j *job) proxy(namespace, function string) contract.HostFunc {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		body := wire.HostCall{Namespace: namespace, Function: function, Args: args}.Append(nil)
		if err := wire.Within("Host call payload", len(body), wire.MaxHostArgs); err != nil {
			return nil, err
		}
		number, replies := j.open()
		if replies == nil {
			return nil, errSettled
		}
		defer j.forget(number)
		m := wire.Message{Type: wire.TypeHostCall, Job: j.id, Call: number, Body: string(body)}
		if err := j.send(m, "Host call"); err != nil {
			return nil, err
		}
		select {
		case body, ok := <-replies:
			if !ok {
				return nil, errSettled
			}
			return settle(number, body)
		case <-ctx.Done():
			return nil, errSettled
		}
	}
}

func (j *job) open() (uint64, chan string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return 0, nil
	}
	j.next++
	ch := make(chan string, 1)
	j.calls[j.next] = ch
	return j.next, ch
}

func (j *job) forget(number uint64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.calls, number)
}

// reply hands a host-result to its call; one for a call that is not open, or is
// answered already, is dropped.
func (j *job) reply(number uint64, body string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if ch := j.calls[number]; ch != nil {
		delete(j.calls, number)
		ch <- body
	}
}

// settle turns a host-result into what the proxy returns.
func settle(number uint64, body string) (json.RawMessage, error) {
	r, err := wire.DecodeHostResult(body)
	switch {
	case err != nil:
		return nil, &HostError{Call: number, Text: "Invalid host result: " + err.Error()}
	case r.OK && len(body) > wire.MaxHostReply:
		return nil, &HostError{Call: number, Text: "Host result exceeded the IPC limit."}
	case r.OK:
		return r.Value, nil
	}
	return nil, &HostError{Call: number, Text: r.Error, Failure: r.Call}
}
