package contracttest

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// host is the host's side of one program: the provider "tools", and what was
// seen of it. It never fails a test itself, since it runs on an executor's
// goroutines.
type host struct {
	failure *contract.Failure // of tools.refuse
	plain   error             // of tools.fail
	waiting chan struct{}     // one for each tools.wait that has begun
	left    chan struct{}     // one for each whose context has ended
	finish  chan struct{}     // closed: tools.wait returns, its context ended or not

	mu      sync.Mutex
	args    []string // of each call, in the order in which they began
	logs    []string
	calls   []contract.Call
	over    bool // Execute has returned
	overrun []string
}

func newHost() *host {
	return &host{
		failure: &contract.Failure{
			Code: "no_access", Message: "Not yours.", Retryable: true, RetryAfter: 1500 * time.Millisecond,
			Details: map[string]any{"owner": "ada", "data": []int{1, 2}},
		},
		plain:   errors.New("disk full"),
		waiting: make(chan struct{}, 16),
		left:    make(chan struct{}, 16),
		finish:  make(chan struct{}),
	}
}

// program returns a program with this host behind it.
func (h *host) program(source string) contract.Program {
	functions := map[string]contract.HostFunc{
		"echo": func(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
			var list []json.RawMessage
			if err := json.Unmarshal(args, &list); err != nil || len(list) == 0 {
				return nil, err
			}
			return list[0], nil
		},
		"touch":  func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil },
		"refuse": func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, h.failure },
		"fail":   func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, h.plain },
		"boom":   func(context.Context, json.RawMessage) (json.RawMessage, error) { panic("boom") },
		"wait": func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			h.waiting <- struct{}{}
			select {
			case <-ctx.Done():
				h.left <- struct{}{}
				<-h.finish // late on purpose
				return json.RawMessage(`"late"`), nil
			case <-h.finish:
			}
			return json.RawMessage(`"waited"`), nil
		},
	}
	for name, f := range functions {
		functions[name] = func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
			h.mu.Lock()
			h.args = append(h.args, string(args))
			if ctx.Err() == nil { // a function may begin late, but has to be told
				h.late("a call of tools." + name)
			}
			h.mu.Unlock()
			return f(ctx, args)
		}
	}
	return contract.Program{
		Source:    source,
		Providers: []contract.Provider{{Name: "tools", Functions: functions}},
		OnLog: func(entry string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.logs = append(h.logs, entry)
			h.late("OnLog")
		},
		OnCall: func(c contract.Call) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.calls = append(h.calls, c)
			h.late("OnCall for " + c.Name)
		},
	}
}

func (h *host) late(what string) {
	if h.over {
		h.overrun = append(h.overrun, what)
	}
}

// close says that Execute has returned.
func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
}

// seen is a copy of what was seen.
func (h *host) seen() host {
	h.mu.Lock()
	defer h.mu.Unlock()
	return host{args: h.args, logs: h.logs, calls: h.calls, overrun: h.overrun}
}
