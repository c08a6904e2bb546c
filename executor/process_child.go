package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/guestjs/guestjs/executor/internal/child"
	"github.com/guestjs/guestjs/internal/fault"
	"github.com/guestjs/guestjs/internal/wire"
)

// maxRefused is how many messages that make no sense one child may send before
// it is given up. An honest child sends none.
const maxRefused = 1000

// childProcess is one child, from its start until it has been reaped. Three
// goroutines belong to it: one starts and awaits the process, one reads its
// stderr, and one its messages until it is ready; from then on the run that uses
// the child reads them, and between runs nobody does: a child that talks then is
// left to wait. All end when the process does.
type childProcess struct {
	slots  *processSlots
	cmd    *exec.Cmd
	pid    int
	stderr *tail

	began   chan struct{} // closed when the system has started it, or refused to
	ready   chan struct{} // closed when it said ready; steps is then set
	late    chan struct{} // closed when it did not in time
	exited  chan struct{} // closed when it is reaped and its stderr read
	gone    chan struct{} // closed by retire
	closed  chan struct{} // closed when its pipes are
	greeted chan struct{} // closed when its first messages have been read

	steps    []child.Step
	endedAt  time.Time // set before exited is closed
	hello    atomic.Bool
	refusals atomic.Int32

	retiring sync.Once

	writing sync.Mutex // held for each frame
	in, out *os.File   // closed by retire
	reader  *pipeReader

	// Owned by the run that uses the child, once it is ready.
	messages *wire.Reader
	cpuUsed  time.Duration // as it last reported
	cpuLimit time.Duration // what it may use before the system ends it
}

// startChild starts a process and returns without waiting for it to load.
func startChild(s *processSlots) (*childProcess, error) {
	if _, is, _ := child.FromArgs(os.Args); is {
		return nil, &ProcessError{Text: ErrNoChildMain.Error(), Cause: ErrNoChildMain}
	}
	path, err := binary(s.opts.Path)
	if err != nil {
		return nil, &ProcessError{Text: "executor: the path of the child's binary is unknown: " + err.Error(), Cause: err}
	}
	var pipes childPipeEnds
	if err := pipes.open(); err != nil {
		return nil, &ProcessError{Text: "executor: no pipe for a child: " + err.Error(), Cause: err}
	}
	cfg := child.Config{
		Limits: s.opts.Limits, MaxCalls: s.opts.MaxCalls,
		NoEval: s.opts.NoEval, HostTimeZone: s.opts.HostZone, Skip: s.opts.Skip,
	}
	c := &childProcess{
		slots: s, stderr: newTail(),
		began: make(chan struct{}), ready: make(chan struct{}), late: make(chan struct{}), exited: make(chan struct{}),
		gone: make(chan struct{}), closed: make(chan struct{}), greeted: make(chan struct{}),
		in: pipes.in, out: pipes.out, reader: pipes.reader, messages: wire.NewReader(pipes.reader), cpuLimit: child.InitialCPU,
		cmd: &exec.Cmd{Path: path, Args: append([]string{"guestjs"}, cfg.Args()...), Env: s.opts.env, Dir: filepath.VolumeName(path) + string(filepath.Separator)},
	}
	if c.cmd.Env == nil {
		c.cmd.Env = []string{} // nil would hand down this process's own
	}
	if !s.add(c) {
		pipes.closeAll()
		return nil, closedError(false)
	}
	started := make(chan error)
	go c.live(&pipes, started)
	if err := <-started; err != nil {
		pipes.closeAll()
		s.drop(c)
		return nil, &ProcessError{Text: "executor: a child could not be started: " + err.Error(), Cause: err}
	}
	go c.greet()
	return c, nil
}

// binary is the path of a child's binary: the one named, or this process's own.
func binary(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named) // the child starts in the root directory
	}
	return ownBinary()
}

// live starts the process and stays until it is reaped. It keeps its thread:
// Linux ends a child when the thread that made it ends, and Go ends threads.
func (c *childProcess) live(pipes *childPipeEnds, started chan<- error) {
	runtime.LockOSThread()
	handDown(c.cmd, pipes)
	err := fault.At(fault.Start)
	if err == nil {
		err = c.cmd.Start()
	}
	close(c.began)
	if err != nil {
		runtime.UnlockOSThread()
		started <- err
		return
	}
	pipes.closeChilds()
	c.pid = c.cmd.Process.Pid
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(c.stderr, pipes.err)
	}()
	startTimer := time.AfterFunc(c.slots.opts.startLimit, func() {
		if !c.isReady() {
			close(c.late)
			c.retire()
		}
	})
	started <- nil
	_ = c.cmd.Wait() // its answer is in ProcessState
	// What the process left in its pipes is still to be read. Should something
	// else hold them open, a moment is enough.
	_ = pipes.err.SetReadDeadline(time.Now().Add(time.Second))
	defer time.AfterFunc(time.Second, c.reader.giveUp).Stop()
	<-drained
	_ = pipes.err.Close()
	startTimer.Stop()
	c.endedAt = c.slots.opts.now()
	close(c.exited)
	runtime.UnlockOSThread() // nothing below needs the thread
	<-c.greeted
	<-c.closed
	c.slots.drop(c)
	c.slots.opts.Logger.Debug("child ended", "pid", c.pid, "state", c.exitText())
}

var errBabble = fmt.Errorf("more than %d messages that make no sense", maxRefused)

// refuse counts a message that was dropped, and reports whether there were too
// many.
func (c *childProcess) refuse() bool { return c.refusals.Add(1) > maxRefused }

// greet reads messages until the child is ready.
func (c *childProcess) greet() {
	defer close(c.greeted)
	for {
		m, err := c.messages.Next()
		var refused *wire.RefusedError
		switch {
		case err != nil && !errors.As(err, &refused):
			c.retire() // it has ended, or cannot be understood
			return
		case err == nil && m.Type == wire.TypeHello:
			c.hello.Store(true)
		case err == nil && m.Type == wire.TypeReady:
			c.keepSteps(m.Body)
			c.slots.opts.Logger.Debug("child ready", "pid", c.pid)
			close(c.ready)
			return
		case c.refuse():
			c.retire()
			return
		}
	}
}

func (c *childProcess) keepSteps(body string) {
	if body == "" || json.Unmarshal([]byte(body), &c.steps) != nil {
		c.steps = nil
	}
	for _, step := range c.steps {
		if step.Err != "" {
			c.slots.opts.Logger.Warn("child keeps what it should give up", "step", step.Name, "reason", step.Err)
		}
	}
}

// send writes one frame whole. It blocks while the pipe is full, until the child
// reads or is retired. A pipe that broke is reported by the reader, not here.
func (c *childProcess) send(frame []byte) {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, _ = c.in.Write(frame)
}

// retire ends the process on purpose: its pipes are closed, which lets go of
// whoever reads or writes them, it is asked, and after a grace period made to
// end. It does not wait, may be called any number of times, and from anywhere.
func (c *childProcess) retire() {
	c.retiring.Do(func() {
		close(c.gone)
		go c.end()
	})
}

func (c *childProcess) end() {
	_ = c.in.Close()
	c.reader.giveUp()
	_ = c.out.Close()
	close(c.closed)
	<-c.began
	if c.cmd.Process == nil {
		return // it was never started
	}
	if isClosed(c.exited) {
		return
	}
	_ = askToEnd(c.cmd.Process)
	timer := time.NewTimer(killGrace)
	defer timer.Stop()
	select {
	case <-c.exited:
	case <-timer.C:
		_ = c.cmd.Process.Kill()
	}
}

// dead reports whether nothing can run on the child any more.
func (c *childProcess) dead() bool { return isClosed(c.exited) || c.retired() }

func (c *childProcess) retired() bool { return isClosed(c.gone) }
func (c *childProcess) isReady() bool { return isClosed(c.ready) }

func isClosed(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// ended is when the process ended, or now when it has not.
func (c *childProcess) ended() time.Time {
	if isClosed(c.exited) {
		return c.endedAt
	}
	return c.slots.opts.now()
}

// exitText is "code N" or "signal NAME". The process must have ended.
func (c *childProcess) exitText() string { return exitText(c.cmd.ProcessState) }

// tail is the last of the child's stderr as a report shows it, or nothing.
func (c *childProcess) tail() string {
	text := c.stderr.text()
	if text == "" {
		return ""
	}
	return fmt.Sprintf("\nRecent child stderr (last %d bytes):\n%s", len(text), text)
}

// missing replaces err when the binary does not know that it is a child.
func (c *childProcess) missing(err *ProcessError) error {
	unclaimed := isClosed(c.exited) && c.cmd.ProcessState.ExitCode() == child.ExitUnclaimed
	switch {
	case unclaimed:
		return &ProcessError{Text: ErrNoChildMain.Error(), Cause: errors.Join(ErrNoChildMain, err)}
	case c.hello.Load() || c.slots.opts.Path != "":
		return err
	}
	return &ProcessError{Text: ErrNoChildMain.Error() + "\n" + err.Text, Cause: errors.Join(ErrNoChildMain, err)}
}
