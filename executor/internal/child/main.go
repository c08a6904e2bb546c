package child

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/guestjs/guestjs/executor/internal/wire"
)

// Exit codes of a child.
const (
	ExitClosed    = 0  // the pipe was closed
	ExitStart     = 70 // the runner could not be made
	ExitBroken    = 71 // the parent sent what cannot be read, or the pipe broke
	ExitUnclaimed = 72 // main never called executor.ChildMain
)

// Main serves runs that arrive on in, answers on out, and returns the code to
// exit with. It returns as soon as in ends, without waiting for a run: the
// caller must exit, since a guest may go on for as long as its budget lasts.
// What goes wrong is written to log, for the parent's crash report.
func Main(in io.Reader, out io.Writer, log io.Writer, cfg Config, factory Factory) int {
	c := &conn{out: out}
	if err := c.send(wire.Message{Type: wire.TypeHello}, "hello"); err != nil {
		return ExitBroken
	}
	runner, err := factory(cfg)
	if err != nil {
		fmt.Fprintln(log, "child: the engine could not be loaded:", err)
		return ExitStart
	}
	steps, err := json.Marshal(Harden(cfg))
	if err != nil {
		fmt.Fprintln(log, "child:", err)
		return ExitStart
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	runs := make(chan *job)
	defer close(runs)
	go func() {
		for j := range runs {
			j.serve(ctx, runner)
		}
	}()
	if err := c.send(wire.Message{Type: wire.TypeReady, Body: string(steps)}, "ready"); err != nil {
		return ExitBroken
	}
	return c.read(in, log, runs)
}

// conn is the state that the reader, the runner and the proxies share.
type conn struct {
	writing sync.Mutex
	out     io.Writer
	buf     []byte // scratch of send

	mu     sync.Mutex
	active *job // the run that replies belong to; nil between runs
}

// send writes messages in one go. It fails with a [*wire.BoundError], and writes
// nothing, when one is too large.
func (c *conn) send(m wire.Message, label string, more ...wire.Message) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	frames, err := wire.AppendFrame(c.buf[:0], m, label)
	for i := 0; err == nil && i < len(more); i++ {
		frames, err = wire.AppendFrame(frames, more[i], label)
	}
	if err != nil {
		return err
	}
	if cap(frames) <= 64<<10 {
		c.buf = frames
	}
	_, err = c.out.Write(frames)
	return err
}

// read dispatches messages until the stream ends.
func (c *conn) read(in io.Reader, log io.Writer, runs chan<- *job) int {
	r := wire.NewReader(in)
	for {
		m, err := r.Next()
		var refused *wire.RefusedError
		switch {
		case err == nil:
		case errors.As(err, &refused):
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return ExitClosed
		default:
			fmt.Fprintln(log, "child: reading from the parent:", err)
			return ExitBroken
		}
		switch m.Type {
		case wire.TypeRun:
			if err := c.start(m, runs); err != nil {
				fmt.Fprintln(log, "child: writing to the parent:", err)
				return ExitBroken
			}
		case wire.TypeHostResult:
			c.mu.Lock()
			j := c.active
			c.mu.Unlock()
			if j != nil && j.id == m.Job {
				j.reply(m.Call, m.Body)
			}
		}
	}
}

// start hands a run to the runner's goroutine, or refuses it.
func (c *conn) start(m wire.Message, runs chan<- *job) error {
	j := &job{conn: c, id: m.Job, calls: map[uint64]chan string{}}
	var run wire.Run
	if err := json.Unmarshal([]byte(m.Body), &run); err != nil {
		return j.fail("QuickJS child failed: invalid run payload: " + err.Error())
	}
	c.mu.Lock()
	busy := c.active != nil
	if !busy {
		c.active = j
	}
	c.mu.Unlock()
	if busy {
		return j.fail("QuickJS child received overlapping executions.")
	}
	j.run = run
	runs <- j
	return nil
}
