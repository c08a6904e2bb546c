package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
)

// The exit codes, as usage.txt and README have them.
const (
	exitValue   = 0
	exitProgram = 1
	exitUsage   = 2
	exitLimit   = 3
	exitOurs    = 4
)

// app is one invocation.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
}

// run is main without a process: it returns the exit code. Ctx ends it early.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	defer func() {
		if v := recover(); v != nil {
			a.say("internal error: %v\n%s", v, debug.Stack())
			code = exitOurs
		}
	}()
	return a.command(ctx, args)
}

func (a *app) command(ctx context.Context, args []string) int {
	if len(args) == 0 {
		return a.wrongUse(errors.New("say what to do: run, check or version"))
	}
	switch name, rest := args[0], args[1:]; name {
	case "run":
		return a.run(ctx, rest)
	case "check":
		return a.check(ctx, rest)
	case "version", "-version", "--version":
		if len(rest) > 0 {
			return a.wrongUse(fmt.Errorf("version takes no arguments, and got %q", rest[0]))
		}
		return a.version()
	case "help", "-h", "-help", "--help":
		return a.help()
	default:
		if strings.HasPrefix(name, "-") {
			return a.wrongUse(fmt.Errorf("%s comes after run or check: guestjs run %s ... PROGRAM", name, name))
		}
		return a.wrongUse(fmt.Errorf("there is no command %q; there are run, check and version", name))
	}
}

// say writes a line of ours to standard error. Nothing can be done when that
// fails.
func (a *app) say(format string, args ...any) {
	fmt.Fprintf(a.stderr, "guestjs: "+format+"\n", args...)
}

// wrongUse reports what was wrong with the invocation.
func (a *app) wrongUse(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return a.help()
	}
	a.say("%v", err)
	a.say("guestjs --help tells more")
	return exitUsage
}

// failed reports a failure that is neither the caller's nor the program's.
func (a *app) failed(err error) int {
	a.say("%s", visible(err.Error()))
	return exitOurs
}
