// Command reached says what tests and seeds reach: of each package, the part of
// its statements, and every return of an error that was never reached. Run it
// from inside the module, on the profile of all of them:
//
//	go test -coverpkg=./quickjs,./bridge,./admission,./result,./contract,./executor -coverprofile=cover.out \
//		./quickjs/... ./bridge ./admission ./result ./contract/... ./executor ./fuzz ./internal/conform
//	go run ./fuzz/cmd/reached -min 90 cover.out
//
// A return of an error is a return statement with anything but nil in the place
// of a result of type error, or of a last result that is a pointer to a type
// whose name ends in Error. It is reached when the block of the profile that it
// stands in is. Only files that are in the profile are looked at: those of other
// systems are not.
//
// It exits with status 1 when a package is below the minimum or missing, or a
// return of an error is not reached, and with 2 for wrong use and for a profile
// that cannot be read or is of another state of the source.
package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// packages are what the library consists of.
var packages = []string{"quickjs", "bridge", "admission", "result", "contract", "executor"}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) (status int) {
	flags := flag.NewFlagSet("reached", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: reached [-min PERCENT] PROFILE")
		flags.PrintDefaults()
	}
	least := flags.Float64("min", 90, "the least `percent` of its statements that each package may reach")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() != 1 {
		fmt.Fprintf(stderr, "reached: %d arguments; one is needed: the profile that go test -coverprofile wrote\n", flags.NArg())
		flags.Usage()
		return 2
	}
	if !(*least >= 0 && *least <= 100) {
		fmt.Fprintf(stderr, "reached: -min %v is no percentage\n", *least)
		return 2
	}
	m, err := moduleHere()
	if err != nil {
		fmt.Fprintln(stderr, "reached:", err)
		return 2
	}
	list, err := m.report(flags.Arg(0))
	if err != nil {
		fmt.Fprintln(stderr, "reached:", err)
		return 2
	}
	for _, p := range list {
		p.print(stdout)
	}
	for _, p := range list {
		for _, why := range p.complaints(*least) {
			fmt.Fprintln(stderr, "reached:", why)
			status = 1
		}
	}
	return status
}

// module is where the sources are that a profile calls by their import path.
type module struct {
	path, dir string
}

// moduleHere finds the module of the working directory.
func moduleHere() (module, error) {
	here, err := os.Getwd()
	if err != nil {
		return module{}, err
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			for line := range strings.Lines(string(text)) {
				if name, ok := strings.CutPrefix(line, "module "); ok {
					return module{path: strings.TrimSpace(name), dir: dir}, nil
				}
			}
			return module{}, fmt.Errorf("%s names no module", filepath.Join(dir, "go.mod"))
		}
		if dir == filepath.Dir(dir) {
			return module{}, fmt.Errorf("%s is in no module: no go.mod is found there or above", here)
		}
	}
}

// reach is what was reached of one package.
type reach struct {
	name              string
	statements, taken int
	returns           int      // of an error
	missed            []missed // of them
}

type missed struct {
	place string // file:line
	text  string
}

func (r *reach) percent() float64 { return 100 * float64(r.taken) / float64(max(r.statements, 1)) }

func (r *reach) print(w io.Writer) {
	if r.statements == 0 {
		fmt.Fprintf(w, "%-10s not in the profile\n", r.name)
		return
	}
	fmt.Fprintf(w, "%-10s %5.1f %% of %d statements; %d of %d returns of an error not reached\n",
		r.name, r.percent(), r.statements, len(r.missed), r.returns)
	for _, at := range r.missed {
		fmt.Fprintf(w, "%s: %s\n", at.place, at.text)
	}
}

// complaints are what is wrong with a package, in short.
func (r *reach) complaints(least float64) (list []string) {
	if r.statements == 0 {
		return []string{r.name + " is not in the profile; was it in -coverpkg?"}
	}
	if r.percent() < least {
		list = append(list, fmt.Sprintf("%s: %.1f %% of the statements are reached; %v %% are needed", r.name, r.percent(), least))
	}
	if n := len(r.missed); n > 0 {
		list = append(list, fmt.Sprintf("%s: %d returns of an error are not reached; they are listed", r.name, n))
	}
	return list
}

// report reads a profile, and the sources it is of.
func (m module) report(profile string) ([]*reach, error) {
	files, err := readProfile(profile)
	if err != nil {
		return nil, err
	}
	var list []*reach
	for _, name := range packages {
		r := &reach{name: name}
		list = append(list, r)
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if path.Dir(file) != path.Join(m.path, name) {
				continue
			}
			for b, n := range files[file] {
				r.statements += b.statements
				if n > 0 {
					r.taken += b.statements
				}
			}
			if err := m.returns(file, files[file], r); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
