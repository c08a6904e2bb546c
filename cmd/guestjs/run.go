package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

func (a *app) run(ctx context.Context, args []string) int {
	flags, err := parseRun(args)
	if err != nil {
		return a.wrongUse(err)
	}
	program, done, err := a.load(ctx, flags)
	if err != nil {
		return a.notLoaded(ctx, err)
	}
	defer done()

	e, err := executor.New(executor.Options{Isolation: flags.isolation, Concurrency: 1, Limits: flags.limits})
	if err != nil {
		return a.refused(err)
	}
	out, err := a.execute(ctx, e, program)
	// Nothing runs any more, so there is nothing to wait for.
	if closeErr := e.Close(context.WithoutCancel(ctx)); err == nil && closeErr != nil {
		err = closeErr
	}
	return a.report(flags, program, out, err)
}

// execute runs a program and writes its log meanwhile.
func (a *app) execute(ctx context.Context, e contract.Executor, p contract.Program) (contract.Outcome, error) {
	log := newLogs(a.stderr)
	defer log.close()
	p.OnLog = log.add
	return e.Execute(ctx, p)
}

// load reads all that a run needs. Done is called after it.
func (a *app) load(ctx context.Context, f runFlags) (p contract.Program, done func(), err error) {
	p = contract.Program{Name: shown(f.program)}
	if p.Source, err = a.source(ctx, f.program); err != nil {
		return p, nil, err
	}
	if f.input != "" {
		text, err := a.input(ctx, f.input, f.limits.Or(contract.DefaultLimits()).Memory)
		if err != nil {
			return p, nil, err
		}
		p.Globals = map[string]json.RawMessage{"input": text}
	}
	if f.files == "" {
		return p, func() {}, nil
	}
	dir, err := openFiles(f.files)
	if err != nil {
		return p, nil, fmt.Errorf("-files: %w", err)
	}
	p.Providers = []contract.Provider{dir.provider()}
	return p, func() { dir.Close() }, nil
}

// notLoaded reports why a program could not be read.
func (a *app) notLoaded(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		a.say("interrupted")
		return exitLimit
	}
	return a.wrongUse(err)
}

// refused reports an error that kept a program from running.
func (a *app) refused(err error) int {
	if errors.Is(err, contract.ErrInvalid) {
		return a.wrongUse(err)
	}
	return a.failed(err)
}

func (a *app) check(ctx context.Context, args []string) int {
	name, err := parseCheck(args)
	if err != nil {
		return a.wrongUse(err)
	}
	p := contract.Program{Name: shown(name)}
	if p.Source, err = a.source(ctx, name); err != nil {
		return a.notLoaded(ctx, err)
	}
	sandbox, err := bridge.NewSandbox(bridge.Options{})
	if err != nil {
		return a.failed(err)
	}
	defer sandbox.Close()
	switch err := sandbox.Check(ctx, p); {
	case err == nil:
		return exitValue
	case errors.Is(err, contract.ErrInvalid):
		return a.wrongUse(err)
	default:
		a.problem(p, err)
		return exitOf(contract.Outcome{Err: err}, err)
	}
}
