package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/internal/wire"
)

// processCall is one host call as the parent saw it.
type processCall struct {
	name    string
	started time.Time
	took    time.Duration
	state   contract.CallState
	err     error // what the host function returned
}

// maxUnknown bounds the name that an unknown function is kept under, in UTF-16
// units, as a child's own bridge does.
const maxUnknown = 128

// call starts the host function that m asks for, or answers that there is none.
// A [*wire.RefusedError] means that the message makes no sense; any other error
// means that the child does what its own bridge forbids.
func (j *processJob) call(m wire.Message) error {
	if _, used := j.byNumber[m.Call]; used {
		return &wire.RefusedError{Reason: "a call number that was used before"}
	}
	if len(m.Body) > wire.MaxHostArgs {
		j.note(m.Call, &processCall{})
		j.reply(m.Call, wire.HostResult{Error: "Host call arguments exceeded the IPC limit."})
		return nil
	}
	hc, err := wire.DecodeHostCall(m.Body)
	if err != nil {
		return err
	}
	call := &processCall{name: hc.Namespace + "." + hc.Function, started: time.Now(), state: contract.CallInFlight}
	f := j.function(hc.Namespace, hc.Function)
	if f == nil { // the child's own choice of name, kept as long as the run
		call.name = strings.Clone(units.Cut(call.name, maxUnknown))
	}
	j.mu.Lock()
	if f != nil {
		j.running++
	}
	running := j.running
	j.mu.Unlock()
	j.calls = append(j.calls, call)
	j.note(m.Call, call)
	if j.callCtx == nil {
		j.callCtx, j.endCalls = context.WithCancel(j.ctx)
	}
	switch {
	case running > j.slots.opts.MaxCalls:
		return fmt.Errorf("more than %d host calls at once", j.slots.opts.MaxCalls)
	case int64(len(j.calls)) > j.limits.HostCalls:
		return fmt.Errorf("more than %d host calls", j.limits.HostCalls)
	case f == nil:
		text := units.Cut("Unknown function "+call.name, 4000)
		j.settle(call, errors.New(text), false)
		j.reply(m.Call, wire.HostResult{Error: text})
		return nil
	}
	go j.invoke(m.Call, call, f, hc)
	return nil
}

// note keeps a call under its number. Proxies send as they run, so numbers need
// not arrive in order.
func (j *processJob) note(number uint64, call *processCall) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.byNumber == nil {
		j.byNumber = map[uint64]*processCall{}
	}
	j.byNumber[number] = call
}

// function is the host function of that very name, or nil.
func (j *processJob) function(namespace, name string) contract.HostFunc {
	for _, p := range j.p.Providers {
		if p.Name != namespace {
			continue
		}
		if f := p.Functions[name]; f != nil {
			return f
		}
		if f := p.Immediate[name]; f != nil {
			return f
		}
	}
	return nil
}

// invoke runs a host function and sends what it gave.
func (j *processJob) invoke(number uint64, call *processCall, f contract.HostFunc, hc wire.HostCall) {
	value, err := j.guarded(f, hc.Args)
	body, result := encodeReply(value, err, hc)
	if !result.OK && err == nil {
		err = errors.New(result.Error)
	}
	if j.settle(call, err, true) {
		j.sendReply(number, body)
	}
}

// guarded calls f. A panic ends the run, and is raised again where the run was
// started.
func (j *processJob) guarded(f contract.HostFunc, args json.RawMessage) (json.RawMessage, error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		r := recover()
		if r == nil {
			r = "executor: a host function called runtime.Goexit"
		}
		j.mu.Lock()
		if !j.ended && !j.panicking {
			j.panicking, j.panicked = true, r
		}
		j.mu.Unlock()
		j.stop(contract.InterruptFault)
	}()
	value, err := f(j.callCtx, args)
	returned = true
	return value, err
}

// settle notes how a call ended, and reports whether the run still goes on. A
// host function may answer because the run was called off; that came first.
func (j *processJob) settle(call *processCall, err error, ran bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended || j.ctx.Err() != nil {
		return false
	}
	if ran {
		j.running--
		call.took = time.Since(call.started)
	}
	call.err, call.state = err, contract.CallCompleted
	if err != nil {
		call.state = contract.CallFailed
	}
	return true
}

// encodeReply makes the body of a host-result, within its limits.
func encodeReply(value json.RawMessage, err error, hc wire.HostCall) ([]byte, wire.HostResult) {
	result := wire.HostResult{OK: err == nil, Value: value}
	var noForm *contract.ReplyError
	var failure *contract.Failure
	switch {
	case err == nil && value != nil && !json.Valid(value):
		noForm = &contract.ReplyError{Reason: errors.New("the reply is not JSON")}
	case errors.As(err, &noForm):
	case errors.As(err, &failure):
		result.Error, result.Call = units.Cut(failure.Error(), 4000), failure
	case err != nil:
		result.Error = units.Cut(err.Error(), 4000)
	}
	if noForm != nil {
		label := wire.Label(hc.Namespace, hc.Function, hc.Args)
		result = wire.HostResult{Error: units.Cut("Host result from "+label+" could not be serialized: "+noForm.Reason.Error(), 4000)}
	}
	body, err := result.Append(nil)
	if err != nil { // the record has no JSON form; the text has
		result.Call = nil
		body, _ = result.Append(nil)
	}
	if result.OK && len(body) > wire.MaxHostReply {
		label := wire.Label(hc.Namespace, hc.Function, hc.Args)
		result = wire.HostResult{Error: units.Cut(fmt.Sprintf(
			"Host result from %s exceeds the %d-byte serialized bridge limit.", label, wire.MaxHostReply), 4000)}
		body, _ = result.Append(nil)
	}
	return body, result
}

func (j *processJob) reply(number uint64, r wire.HostResult) {
	if body, err := r.Append(nil); err == nil {
		j.sendReply(number, body)
	}
}

// sendReply sends a host-result, or, when it is too large, that it was.
func (j *processJob) sendReply(number uint64, body []byte) {
	m := wire.Message{Type: wire.TypeHostResult, Job: j.id, Call: number, Body: string(body)}
	frame, err := wire.AppendFrame(nil, m, "QuickJS host-result")
	if err != nil {
		text := fmt.Sprintf("QuickJS host-result IPC envelope could not be serialized within the %d-byte IPC limit.", wire.MaxMessage)
		short, _ := wire.HostResult{Error: text}.Append(nil)
		m.Body = string(short)
		frame, _ = wire.AppendFrame(nil, m, "QuickJS host-result") // so short that it fits
	}
	j.child.send(frame)
}

// finish closes the books: what settles now is dropped, and nobody can stop the
// run any more. It may be called twice.
func (j *processJob) finish() {
	if j.endCalls != nil {
		j.endCalls()
	}
	j.mu.Lock()
	j.ended = true
	j.mu.Unlock()
}

// callRecords are the calls of a run that gave no list of its own. Calls are
// numbered as they arrived. OnCall hears of those it has not heard of.
func (j *processJob) callRecords() []contract.Call {
	j.mu.Lock()
	j.ended = true
	list := make([]contract.Call, 0, len(j.calls))
	for i, c := range j.calls {
		record := contract.Call{Name: c.name, Number: i + 1, State: c.state, Duration: c.took}
		if c.state == contract.CallInFlight {
			record.Duration = time.Since(c.started)
		}
		list = append(list, record)
	}
	j.mu.Unlock()
	if j.p.OnCall != nil {
		for _, record := range list {
			if name := units.Cut(record.Name, maxUnknown); record.State != contract.CallInFlight && j.told[name] > 0 {
				j.told[name]--
				continue
			}
			j.p.OnCall(record)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}
