//go:build linux

package executor_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/executor/internal/child"
	"github.com/guestjs/guestjs/internal/wire"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// TestMain makes this binary its own child: the process tests start it again.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("GUESTJS_TEST_CHILD"); {
	case mode == "unclaimed": // a main that forgot, and goes about its business
		time.Sleep(time.Hour)
	case mode == "hang":
		// A main that waits for nothing at all would be a deadlock, which Go finds.
		executor.ChildMainWith(func(child.Config) (child.Runner, error) { time.Sleep(time.Hour); return nil, nil })
	case mode == "silent":
		time.Sleep(time.Hour)
	case mode == "garbage":
		executor.ChildMainWith(func(child.Config) (child.Runner, error) {
			_, _ = raw(context.Background(), contract.Program{}, "garbage")
			return nil, nil
		})
	case mode == "exit":
		fmt.Fprintln(os.Stderr, "no luck")
		syscall.Exit(9)
	case mode == "babble":
		executor.ChildMainWith(func(child.Config) (child.Runner, error) {
			for range 1001 {
				send(wire.Message{Type: "reboot"})
			}
			time.Sleep(time.Hour)
			return nil, nil
		})
	case mode == "gone": // ready, with steps that make no sense, and no more
		executor.ChildMainWith(func(child.Config) (child.Runner, error) {
			send(wire.Message{Type: wire.TypeReady, Body: "junk"})
			syscall.Exit(4)
			return nil, nil
		})
	case mode == "broken engine":
		executor.ChildMainWith(func(child.Config) (child.Runner, error) { return nil, errors.New("no such engine") })
	case mode == "parent":
		runParent()
	}
	if cfg, is, _ := child.FromArgs(os.Args); is && slices.Contains(cfg.Skip, fakeEngine) {
		executor.ChildMainWith(func(child.Config) (child.Runner, error) { return &fake{}, nil })
	}
	executor.ChildMain()
	os.Exit(m.Run())
}

// fakeEngine, where steps of hardening to leave out are named, asks a child for a
// fake; its environment has to be empty, as any child's.
const fakeEngine = "fake engine"

// fake is a Runner that does what the program's text says: a word, and after a
// space its argument.
type fake struct{ runs int }

func (f *fake) Run(ctx context.Context, p contract.Program) (contract.Outcome, error) {
	f.runs++
	word, arg, _ := strings.Cut(p.Source, " ")
	act := map[string]func(context.Context, contract.Program, string) (contract.Outcome, error){
		"value":   value,
		"big":     big,
		"runs":    func(context.Context, contract.Program, string) (contract.Outcome, error) { return answer(f.runs) },
		"pid":     func(context.Context, contract.Program, string) (contract.Outcome, error) { return answer(os.Getpid()) },
		"call":    call,
		"calls":   calls,
		"leave":   leave,
		"throw":   throw,
		"log":     logs,
		"outcome": outcome,
		"probe":   probe,
		"exit":    exit,
		"abort": func(context.Context, contract.Program, string) (contract.Outcome, error) {
			quickjstest.Abort()
			return answer("still here")
		},
		"sigabrt": abort,
		"panic":   func(context.Context, contract.Program, string) (contract.Outcome, error) { panic(arg) },
		"crash":   crash,
		"hang":    func(context.Context, contract.Program, string) (contract.Outcome, error) { select {} },
		"spin":    spin,
		"wait":    func(context.Context, contract.Program, string) (contract.Outcome, error) { <-never; return answer(0) },
		"raw":     raw,
		"flood":   flood,
		"chunks":  chunks,
		"invalid": func(context.Context, contract.Program, string) (contract.Outcome, error) {
			return contract.Outcome{}, fmt.Errorf("%w: Program.Source is silly", contract.ErrInvalid)
		},
		"program":  func(context.Context, contract.Program, string) (contract.Outcome, error) { return describe(p) },
		"eat":      eat,
		"closeout": closeOut,
	}[word]
	if act == nil {
		return contract.Outcome{Err: &contract.GuestError{Name: "SyntaxError", Message: "no such word: " + word}}, nil
	}
	return act(ctx, p, arg)
}

var never = make(chan struct{})

func answer(v any) (contract.Outcome, error) {
	text, err := json.Marshal(v)
	return contract.Outcome{Value: text}, err
}

func value(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	return contract.Outcome{
		Value: json.RawMessage(arg), Logs: []string{"ran"}, Unhandled: []string{"lost"},
		Usage: contract.Usage{CPU: time.Millisecond, Wall: 2 * time.Millisecond, Memory: 4096},
	}, nil
}

func big(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	n, err := strconv.Atoi(arg)
	return contract.Outcome{Value: json.RawMessage(`"` + strings.Repeat("r", n) + `"`)}, err
}

// call calls one function: "call tools.echo [1]".
func call(ctx context.Context, p contract.Program, arg string) (contract.Outcome, error) {
	name, args, _ := strings.Cut(arg, " ")
	reply, err := invoke(ctx, p, name, json.RawMessage(args))
	if err != nil {
		return answer("caught " + err.Error())
	}
	return contract.Outcome{Value: reply, Calls: []contract.Call{{Name: name, Number: 1, State: contract.CallCompleted}}}, nil
}

// calls makes n calls at once.
func calls(ctx context.Context, p contract.Program, arg string) (contract.Outcome, error) {
	name, count, _ := strings.Cut(arg, " ")
	n, _ := strconv.Atoi(count)
	done := make(chan error)
	for i := range n {
		go func() {
			_, err := invoke(ctx, p, name, json.RawMessage(fmt.Sprintf("[%d]", i)))
			done <- err
		}()
	}
	failed := 0
	for range n {
		if <-done != nil {
			failed++
		}
	}
	return answer(failed)
}

// leave makes one call that nobody waits for, then another.
func leave(ctx context.Context, p contract.Program, arg string) (contract.Outcome, error) {
	left, waited, _ := strings.Cut(arg, " ")
	go func() { _, _ = invoke(ctx, p, left, json.RawMessage(`[]`)) }()
	_, err := invoke(ctx, p, waited, json.RawMessage(`[]`))
	return contract.Outcome{Value: json.RawMessage("0")}, err
}

// throw ends the run with the very error of a host call, as a bridge does.
func throw(ctx context.Context, p contract.Program, arg string) (contract.Outcome, error) {
	name, args, _ := strings.Cut(arg, " ")
	_, err := invoke(ctx, p, name, json.RawMessage(args))
	if err == nil {
		return answer("no error")
	}
	out := contract.Outcome{Err: &contract.GuestError{Name: "Error", Message: err.Error(), Host: err}, Failure: &contract.FailureRecord{Name: "Error"}}
	var failure *contract.Failure
	if errors.As(err, &failure) {
		out.Failure.Call = failure
	}
	return out, nil
}

func invoke(ctx context.Context, p contract.Program, name string, args json.RawMessage) (json.RawMessage, error) {
	namespace, function, _ := strings.Cut(name, ".")
	for _, provider := range p.Providers {
		if f := provider.Functions[function]; provider.Name == namespace && f != nil {
			start := time.Now()
			reply, err := f(ctx, args)
			if p.OnCall != nil {
				state := contract.CallCompleted
				if err != nil {
					state = contract.CallFailed
				}
				p.OnCall(contract.Call{Name: name, Number: 1, State: state, Duration: time.Since(start)})
			}
			return reply, err
		}
	}
	return nil, fmt.Errorf("Unknown function %s", name)
}

// logs logs n entries of about n/2 units, then does what follows: "log 3 exit 1".
func logs(ctx context.Context, p contract.Program, arg string) (contract.Outcome, error) {
	count, then, _ := strings.Cut(arg, " ")
	n, _ := strconv.Atoi(count)
	for i := range n {
		p.OnLog(fmt.Sprint("entry ", i) + strings.Repeat(".", n/2))
	}
	p.Source = then
	return (&fake{}).Run(ctx, p)
}

func outcome(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	switch arg {
	case "stalled":
		return contract.Outcome{Err: contract.ErrStalled}, nil
	case "wall":
		return contract.Outcome{Err: &contract.InterruptError{Interrupt: contract.InterruptWall, Budget: 80e6}, Interrupt: contract.InterruptWall}, nil
	case "fault":
		return contract.Outcome{Err: &contract.InterruptError{Interrupt: contract.InterruptFault}, Interrupt: contract.InterruptFault}, nil
	case "cpu":
		return contract.Outcome{Err: &contract.InterruptError{Interrupt: contract.InterruptCPU, Budget: 250e6}, Interrupt: contract.InterruptCPU}, nil
	}
	return contract.Outcome{Err: &contract.ResultError{Path: ".a", Reason: "a cycle"}}, nil
}

func describe(p contract.Program) (contract.Outcome, error) {
	return answer(map[string]any{
		"name": p.Name, "globals": p.Globals, "limits": p.Limits, "clock": p.Clock, "seed": p.Seed,
		"prelude": p.Providers[0].Prelude, "immediate": len(p.Providers[0].Immediate),
	})
}

// exit does not use os.Exit, which says on stderr that no coverage was kept.
func exit(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	code, last, _ := strings.Cut(arg, " ")
	fmt.Fprint(os.Stderr, last)
	n, _ := strconv.Atoi(code)
	syscall.Exit(n)
	return contract.Outcome{}, nil
}

// abort sends the process the signal of an abort, which Go handles.
func abort(context.Context, contract.Program, string) (contract.Outcome, error) {
	_ = syscall.Kill(os.Getpid(), syscall.SIGABRT)
	select {}
}

// crash is a fatal error of Go's own, which nothing recovers.
func crash(context.Context, contract.Program, string) (contract.Outcome, error) {
	m := map[int]int{}
	for range 8 {
		go func() {
			for i := 0; ; i++ {
				m[i%4]++
			}
		}()
	}
	select {}
}

func spin(context.Context, contract.Program, string) (contract.Outcome, error) {
	for i := 0; ; i++ {
		if i == -1 {
			return answer(i)
		}
	}
}

var pipe = os.NewFile(4, "to parent")

func write(b []byte) {
	if _, err := pipe.Write(b); err != nil {
		os.Exit(3)
	}
}

func send(m wire.Message) {
	b, err := wire.AppendFrame(nil, m, "message")
	if err != nil {
		panic(err)
	}
	write(b)
}

// raw writes to the pipe what no honest child does, then waits.
func raw(ctx context.Context, p contract.Program, arg string) (contract.Outcome, error) {
	what, rest, _ := strings.Cut(arg, " ")
	switch what {
	case "garbage":
		write(bytes.Repeat([]byte("garbage!"), 1<<14))
	case "json": // a frame whose text is given
		write(append(binary.BigEndian.AppendUint32(nil, uint32(len(rest))), rest...))
	case "half": // and the end
		write([]byte{0, 0, 1, 0, '{', '"'})
		syscall.Exit(0)
	case "half-hang":
		write([]byte{0, 0, 1, 0, '{', '"'})
	case "huge":
		write(binary.BigEndian.AppendUint32(nil, 2<<30))
	case "foreign": // results of jobs that are not this one, then the real one
		for _, job := range []uint64{99, 1<<53 - 1} {
			send(wire.Message{Type: wire.TypeReport, Job: job, Body: `{"numbers":[0,0,0,0,0]}`})
			send(wire.Message{Type: wire.TypeResult, Job: job, Body: `{"outcome":{"result":"forged"}}`})
		}
		return answer("true")
	case "nonsense": // each alone is ignored
		for _, text := range []string{`[]`, `1`, `{"type":"reboot"}`, `{"type":"result","jobId":1}`, `{"type":"host-result","jobId":1,"callId":1,"payloadJson":"{}"}`} {
			write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...))
		}
		return answer("fine")
	case "messages": // whose texts are given, one a line, in one go; then the real answer
		var all []byte
		for text := range strings.Lines(rest) {
			text = strings.TrimSpace(text)
			all = append(binary.BigEndian.AppendUint32(all, uint32(len(text))), text...)
		}
		write(all)
		return answer("fine")
	case "call": // a host call with number 7 and a body that is given
		send(wire.Message{Type: wire.TypeHostCall, Job: 1, Call: 7, Body: rest})
	case "calls": // more than may run at once
		for i := range 100 {
			send(wire.Message{Type: wire.TypeHostCall, Job: 1, Call: uint64(i + 1), Body: `{"namespace":"tools","functionName":"never","args":[]}`})
		}
	case "names": // so many calls of functions with very long names, and told of as many
		n, _ := strconv.Atoi(rest)
		long := strings.Repeat("x", 250_000)
		for i := range n {
			send(wire.Message{Type: wire.TypeHostCall, Job: 1, Call: uint64(i + 1), Body: fmt.Sprintf(`{"namespace":"tools","functionName":"%d%s","args":[]}`, i, long)})
			told, _ := json.Marshal(contract.Call{Name: fmt.Sprintf("tools.%d%s", i, long), Number: i + 1, State: contract.CallFailed})
			send(wire.Message{Type: wire.TypeCall, Job: 1, Body: string(told)})
		}
		os.Exit(0) // without a list of calls, so that the parent gives its own
	case "result": // a result text that is given
		send(wire.Message{Type: wire.TypeReport, Job: 1, Body: `{"numbers":[0,0,0,0,0]}`})
		send(wire.Message{Type: wire.TypeResult, Job: 1, Body: rest})
	}
	select {}
}

// flood writes messages that are dropped, for ever.
func flood(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	for {
		switch arg {
		case "stdout":
			fmt.Println(strings.Repeat("garbage ", 1<<10))
			return answer("nobody listens")
		case "stderr":
			fmt.Fprintln(os.Stderr, strings.Repeat("garbage ", 1<<10))
			continue
		case "ready":
			send(wire.Message{Type: wire.TypeReady})
			continue
		}
		send(wire.Message{Type: wire.TypeLog, Job: 77, Body: `"garbage"`})
	}
}

// chunks sends n chunks and no result.
func chunks(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	count, size, _ := strings.Cut(arg, " ")
	n, _ := strconv.Atoi(count)
	length, _ := strconv.Atoi(size)
	for range n {
		send(wire.Message{Type: wire.TypeResultChunk, Job: 1, Body: strings.Repeat("x", length)})
	}
	select {}
}

// eat takes memory until the system says no.
func eat(context.Context, contract.Program, string) (contract.Outcome, error) {
	for kept := []byte{1}; ; {
		kept = append(kept, kept...)
	}
}

func closeOut(context.Context, contract.Program, string) (contract.Outcome, error) {
	_ = pipe.Close()
	select {}
}

// probe tries what a child may not do and answers with the errors.
func probe(_ context.Context, _ contract.Program, arg string) (contract.Outcome, error) {
	said := map[string]string{}
	try := func(what string, err error) {
		said[what] = "allowed"
		if err != nil {
			said[what] = err.Error()
		}
	}
	_, err := os.Open("/etc/passwd")
	try("open a file", err)
	_, err = os.Create("/tmp/guestjs-probe")
	try("make a file", err)
	_, err = os.ReadDir("/")
	try("list a directory", err)
	try("remove a file", os.Remove("/tmp/guestjs-probe-target"))
	_, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	try("make a socket", err)
	_, err = net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	try("connect", err)
	try("start a program", exec.Command("/bin/true").Run())
	if arg == "" {
		for fd := range 1024 {
			if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0); errno == 0 {
				said["descriptors"] += fmt.Sprint(fd, " ")
			}
		}
		said["environment"] = fmt.Sprint(len(os.Environ()))
		_, _, err = os.Pipe()
		try("make a pipe", err)
		try("signal the parent", syscall.Kill(os.Getppid(), 0))
		return answer(said)
	}
	// What follows would end the probe where it is allowed.
	try("become a program", syscall.Exec("/bin/true", nil, nil))
	pid, _, errno := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if errno == 0 && pid == 0 {
		os.Exit(0)
	}
	err = nil
	if errno != 0 {
		err = errno
	}
	try("fork", err)
	_, err = syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	try("make code", err)
	_, err = syscall.PtraceGetEventMsg(os.Getppid())
	try("trace the parent", err)
	return answer(said)
}
