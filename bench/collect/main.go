// Command collect measures guestjs and its peers side by side and prints one
// file of results.
//
//	go run ./bench/collect -count 6 -benchtime 200ms > results.txt
//
// It builds the benchmarks of bench and of the nested module bench/peers once
// and runs them, and the Node script beside them, in rounds: every engine is
// measured once before any is measured again, so that a machine that slows
// down or warms up does so for all of them. Run it from within the module; the
// Node script wants `npm ci --prefix bench/peers/node` first and is left out,
// with a line that says so, under -node=false.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "collect:", err)
			os.Exit(1)
		}
	}
}

// options are the flags.
type options struct {
	count       int
	benchtime   string
	bench       string
	peers, node bool
}

func run(args []string, stdout, stderr io.Writer) error {
	var o options
	fs := flag.NewFlagSet("collect", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.IntVar(&o.count, "count", 6, "rounds; gate wants at least 4")
	fs.StringVar(&o.benchtime, "benchtime", "200ms", "time of each benchmark in each round")
	fs.StringVar(&o.bench, "bench", ".", "`regexp` of benchmarks, as go test takes it")
	fs.BoolVar(&o.peers, "peers", true, "measure the Go engines of bench/peers too")
	fs.BoolVar(&o.node, "node", true, "measure the engines that live in Node too")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if o.count < 1 {
		return fmt.Errorf("-count is %d; want at least 1", o.count)
	}
	if fs.NArg() > 0 {
		return fmt.Errorf("%q is one argument too many; collect takes flags only", fs.Arg(0))
	}
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "collect")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	parts, err := build(root, tmp, o, stderr)
	if err != nil {
		return err
	}
	if err := header(stdout, o); err != nil {
		return err
	}
	for round := range o.count {
		for _, p := range parts {
			fmt.Fprintf(stderr, "round %d of %d: %s\n", round+1, o.count, p.name)
			if err := p.measure(stdout, stderr); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
		}
	}
	return nil
}

// part is one process that prints results.
type part struct {
	name, dir string
	argv      []string
}

// build compiles what has to be compiled and returns what runs in a round.
func build(root, tmp string, o options, stderr io.Writer) ([]part, error) {
	bench := filepath.Join(root, "bench")
	peers := filepath.Join(bench, "peers")
	var parts []part
	for _, dir := range []string{bench, peers} {
		if dir == peers && !o.peers {
			continue
		}
		name := filepath.Base(dir)
		binary := filepath.Join(tmp, name+".test")
		c := exec.Command("go", "test", "-c", "-o", binary, ".")
		c.Dir, c.Stdout, c.Stderr = dir, stderr, stderr
		if err := c.Run(); err != nil {
			return nil, fmt.Errorf("building %s: %w", name, err)
		}
		parts = append(parts, part{name, dir, []string{
			binary, "-test.run=^$", "-test.bench=" + o.bench, "-test.benchtime=" + o.benchtime, "-test.timeout=0",
		}})
	}
	if o.node {
		if _, err := os.Stat(filepath.Join(peers, "node", "node_modules")); err != nil {
			return nil, fmt.Errorf("the Node engines are not installed: run npm ci --prefix %s, or give -node=false", filepath.Join(peers, "node"))
		}
		parts = append(parts, part{"node", filepath.Join(peers, "node"), []string{
			"node", "bench.mjs", "-bench", o.bench, "-benchtime", o.benchtime,
		}})
	}
	return parts, nil
}

// measure runs the part once and copies its results. The lines go test adds for
// people are left out, but for those of a failure.
func (p part) measure(stdout, stderr io.Writer) error {
	c := exec.Command(p.argv[0], p.argv[1:]...)
	var out bytes.Buffer
	c.Dir, c.Stdout, c.Stderr = p.dir, &out, stderr
	err := c.Run()
	lines := bufio.NewScanner(&out)
	for lines.Scan() {
		line := lines.Text()
		if line == "PASS" {
			continue
		}
		if _, werr := fmt.Fprintln(stdout, line); werr != nil {
			return werr
		}
	}
	return errors.Join(err, lines.Err())
}

// header writes what describes the run as configuration lines.
func header(w io.Writer, o options) error {
	lines := []string{
		"goversion: " + runtime.Version(),
		"processors: " + strconv.Itoa(runtime.NumCPU()),
		"benchtime: " + o.benchtime,
	}
	if o.node {
		if v, err := exec.Command("node", "--version").Output(); err == nil {
			lines = append(lines, "node: "+strings.TrimSpace(string(v)))
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("run collect from within the module")
	}
	root := filepath.Dir(mod)
	if filepath.Base(root) == "peers" {
		root = filepath.Dir(filepath.Dir(root))
	}
	return root, nil
}
