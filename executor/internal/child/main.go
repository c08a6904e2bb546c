package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/guestjs/guestjs/internal/wire"
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
	steps, _ := json.Marshal(Harden(cfg)) // texts always have a JSON form
	if err := c.send(wire.Message{Type: wire.TypeReady, Body: string(steps)}, "ready"); err != nil {
		return ExitBroken
	}
	c.runner, c.in, c.log, c.code = runner, wire.NewReader(in), log, make(chan int, 1)
	go c.read()
	code := <-c.code
	c.mu.Lock()
	j := c.active
	c.mu.Unlock()
	if j != nil {
		j.end() // lets go of proxies, should this process go on
	}
	return code
}

// conn is the state that the reader, the runner and the proxies share.
type conn struct {
	writing sync.Mutex
	out     io.Writer
	buf     []byte // scratch of send

	mu     sync.Mutex
	active *job // the run that replies belong to; nil between runs

	// Set before the first read and not changed.
	runner Runner
	log    io.Writer
	code   chan int // what to exit with

	runs int // that have ended; of the goroutine that runs
	idle idle

	in *wire.Reader // of the goroutine in read
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

// read dispatches messages until the stream ends. A run is run right here, by
// the goroutine that read it: waking another one to run it would cost more than
// many a program. Meanwhile another goroutine goes on reading, at once when the
// program has functions to call, else after a moment, to notice the end of the
// parent: most programs are done by then, and this goroutine reads on.
func (c *conn) read() {
	for {
		m, err := c.in.Next()
		var refused *wire.RefusedError
		switch {
		case err == nil:
		case errors.As(err, &refused):
			continue
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			c.code <- ExitClosed
			return
		default:
			fmt.Fprintln(c.log, "child: reading from the parent:", err)
			c.code <- ExitBroken
			return
		}
		switch m.Type {
		case wire.TypeRun:
			j, err := c.start(m)
			if err != nil {
				fmt.Fprintln(c.log, "child: writing to the parent:", err)
				c.code <- ExitBroken
				return
			}
			if j != nil {
				wait := readOnAfter
				if len(j.run.Providers) > 0 {
					wait = 0
				}
				stop := c.readOn(wait)
				j.serve(c.runner)
				if !stop() {
					return
				}
			}
		case wire.TypeHostResult:
			c.mu.Lock()
			j := c.active
			c.mu.Unlock()
			if j != nil && j.id == m.Job {
				j.reply(m.Call, m.Body)
				runtime.Gosched() // whoever waits goes on here, and needs no other thread
			}
		}
	}
}

// readOnAfter is how long a program without functions may run until somebody
// reads what else the parent has to say.
const readOnAfter = 5 * time.Millisecond

// readOn has another goroutine read after a while. Stop reports whether it was
// called before that; then nobody else reads.
func (c *conn) readOn(after time.Duration) (stop func() bool) {
	if after == 0 {
		go c.read()
		return func() bool { return false }
	}
	return time.AfterFunc(after, c.read).Stop
}

// start makes the job of a run message, or refuses it and returns nil.
func (c *conn) start(m wire.Message) (*job, error) {
	j := &job{conn: c, id: m.Job, calls: map[uint64]chan string{}}
	var err error
	if j.run, err = wire.DecodeRun(m.Body); err != nil {
		return nil, j.fail("QuickJS child failed: invalid run payload: " + err.Error())
	}
	c.mu.Lock()
	busy := c.active != nil
	if !busy {
		c.active = j
	}
	c.mu.Unlock()
	if busy {
		return nil, j.fail("QuickJS child received overlapping executions.")
	}
	return j, nil
}
