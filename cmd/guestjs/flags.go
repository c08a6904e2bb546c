package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
	"github.com/guestjs/guestjs/result"
)

// runFlags are what `guestjs run` was asked to do.
type runFlags struct {
	program   string
	input     string
	files     string
	limits    contract.Limits
	isolation executor.Isolation
	guard     *result.Guard // nil: show all
	json      bool
}

func parseRun(args []string) (runFlags, error) {
	var f runFlags
	set := flags("run")
	set.StringVar(&f.input, "input", "", "")
	set.StringVar(&f.files, "files", "", "")
	set.BoolVar(&f.json, "json", false, "")
	set.Func("cpu", "", func(s string) (err error) {
		f.limits.CPU, err = parseBudget(s)
		return err
	})
	set.Func("wall", "", func(s string) (err error) {
		f.limits.Wall, err = parseBudget(s)
		return err
	})
	set.Func("memory", "", func(s string) (err error) {
		f.limits.Memory, err = boundedSize(s, func(n int64) contract.Limits { return contract.Limits{Memory: n} })
		return err
	})
	set.Func("stack", "", func(s string) (err error) {
		f.limits.Stack, err = boundedSize(s, func(n int64) contract.Limits { return contract.Limits{Stack: n} })
		return err
	})
	set.Func("isolation", "", func(s string) error {
		switch s {
		case "inprocess":
			f.isolation = executor.InProcess
		case "process":
			f.isolation = executor.Process
		default:
			return errors.New("want inprocess or process")
		}
		return nil
	})
	set.Func("max-result", "", func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return errors.New("want a whole number of characters, as in 24000")
		}
		f.guard = &result.Guard{MaxUnits: n}
		return f.guard.Validate()
	})
	var err error
	f.program, err = parse(set, args)
	if err != nil {
		return f, err
	}
	set.Visit(func(given *flag.Flag) {
		// An empty name would mean that the flag was not given.
		if err == nil && given.Value.String() == "" && (given.Name == "input" || given.Name == "files") {
			err = fmt.Errorf("run: -%s is empty; name a %s", given.Name, map[string]string{"input": "file", "files": "directory"}[given.Name])
		}
	})
	if err == nil && f.program == "-" && f.input == "-" {
		err = errors.New("run: the program and -input cannot both be standard input; put one in a file")
	}
	return f, err
}

func parseCheck(args []string) (program string, err error) {
	return parse(flags("check"), args)
}

func flags(command string) *flag.FlagSet {
	set := flag.NewFlagSet(command, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return set
}

// parse reads flags and the one program that follows them.
func parse(set *flag.FlagSet, args []string) (program string, err error) {
	if err := set.Parse(args); err != nil {
		return "", fmt.Errorf("%s: %w", set.Name(), err)
	}
	switch rest := set.Args(); {
	case len(rest) == 0 || rest[0] == "":
		return "", fmt.Errorf("%s: name a PROGRAM, or - for standard input", set.Name())
	case len(rest) > 1:
		return "", fmt.Errorf("%s: unexpected %q after PROGRAM %q; flags come before it", set.Name(), rest[1], rest[0])
	default:
		return rest[0], nil
	}
}

// boundedSize reads a size and holds it against what a run can honour.
func boundedSize(s string, as func(int64) contract.Limits) (int64, error) {
	n, err := parseSize(s)
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, errors.New("want more than zero")
	}
	return n, as(n).Validate()
}
