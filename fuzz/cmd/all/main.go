// Command all runs every fuzz target of package fuzz for a given time, and says
// what each did. It exits with status 1 when one of them found something; the
// input is then in fuzz/testdata/fuzz/<Target>, and plain `go test ./fuzz` fails
// on it.
//
// A round begins with the seeds of the repository and with what earlier rounds
// kept in the build cache. The time runs from there, so that a short round is
// better off with -fresh, which leaves out what earlier rounds kept.
//
//	go run ./fuzz/cmd/all -time 30s -fresh       a short round
//	go run ./fuzz/cmd/all -time 10m -at-once 2   a long one, two targets at a time
//	go run ./fuzz/cmd/all -only 'Throw|Guard'    some of them
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

func main() {
	o := options{}
	flag.DurationVar(&o.time, "time", 30*time.Second, "how long to run each target")
	flag.IntVar(&o.atOnce, "at-once", 1, "how many targets to run at a time, with one worker each")
	flag.StringVar(&o.only, "only", "", "run the targets whose name matches this `expression`")
	flag.BoolVar(&o.fresh, "fresh", false, "begin with the seeds alone, and keep nothing for later rounds")
	flag.StringVar(&o.dir, "dir", "fuzz", "the `folder` of the package")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "all:", err)
		os.Exit(1)
	}
}

type options struct {
	time   time.Duration
	atOnce int
	only   string
	fresh  bool
	dir    string
}

func run(ctx context.Context, o options) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "fuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	binary := filepath.Join(work, "fuzz.test")
	// The name given to -fuzz does not matter here: it asks for instrumentation.
	build := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz=.", "-o", binary, ".")
	build.Dir, build.Stderr = o.dir, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("building the targets: %w", err)
	}
	list := exec.CommandContext(ctx, binary, "-test.list", "^Fuzz")
	list.Dir = o.dir
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("listing the targets: %w", err)
	}
	corpus := filepath.Join(work, "corpus")
	if !o.fresh {
		cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
		if err != nil {
			return fmt.Errorf("asking for the build cache: %w", err)
		}
		corpus = filepath.Join(strings.TrimSpace(string(cache)), "fuzz", "guestjs")
	}

	var group sync.WaitGroup
	var mu sync.Mutex
	var failed []string
	slots := make(chan struct{}, max(o.atOnce, 1))
	for _, target := range strings.Fields(string(names)) {
		if !only.MatchString(target) || ctx.Err() != nil {
			continue
		}
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			log, err := fuzz(ctx, binary, o, corpus, target)
			mu.Lock()
			defer mu.Unlock()
			fmt.Printf("%-18s %s\n", target, summary(log, err))
			if err != nil {
				failed = append(failed, target)
				os.Stdout.Write(log)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(failed) > 0 {
		return fmt.Errorf("found something: %s", strings.Join(failed, ", "))
	}
	return nil
}

func fuzz(ctx context.Context, binary string, o options, corpus, target string) (log []byte, err error) {
	cmd := exec.CommandContext(ctx, binary,
		"-test.run=^$", "-test.fuzz=^"+target+"$", "-test.fuzztime="+o.time.String(),
		"-test.fuzzcachedir="+corpus, "-test.fuzzminimizetime=1s", "-test.parallel=1")
	cmd.Dir = o.dir
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	log, err = cmd.CombinedOutput()
	if err != nil && ctx.Err() == nil && onlyOutOfTime(log) {
		err = nil
	}
	return log, err
}
