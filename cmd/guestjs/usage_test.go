package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWrongUse(t *testing.T) {
	dir := t.TempDir()
	program := write(t, dir, "p.js", "1")
	notJSON := write(t, dir, "bad.json", "{\n  \"a\": 1,\n}\n")
	write(t, dir, "large.js", strings.Repeat(" ", 1<<20+1))
	write(t, dir, "latin1.js", "'\xe9'")

	tests := []struct {
		name string
		args []string
		says string
	}{
		{"nothing", nil, "say what to do: run, check or version"},
		{"unknown command", []string{"eval", program}, `there is no command "eval"`},
		{"flag before the command", []string{"--json", "run", program}, "--json comes after run or check"},
		{"version with more", []string{"version", "x"}, `version takes no arguments, and got "x"`},
		{"no program", []string{"run"}, "run: name a PROGRAM, or - for standard input"},
		{"empty program", []string{"check", ""}, "check: name a PROGRAM"},
		{"flag after the program", []string{"run", program, "--json"}, `unexpected "--json" after PROGRAM`},
		{"unknown flag", []string{"run", "--timeout", "1s", program}, "flag provided but not defined: -timeout"},
		{"run flag for check", []string{"check", "--json", program}, "check: flag provided but not defined: -json"},
		{"no value", []string{"run", "--cpu"}, "flag needs an argument: -cpu"},
		{"duration without a unit", []string{"run", "--cpu", "5", program}, `invalid value "5" for flag -cpu: want a duration with its unit`},
		{"no time", []string{"run", "--wall", "0s", program}, `invalid value "0s" for flag -wall: want more than zero, or unlimited`},
		{"negative time", []string{"run", "--wall", "-1s", program}, `for flag -wall: want more than zero`},
		{"size of what", []string{"run", "--memory", "64M", program}, `invalid value "64M" for flag -memory: "M" is no unit; use KiB, MiB`},
		{"no size", []string{"run", "--memory", "lots", program}, `for flag -memory: want a whole number of bytes`},
		{"fraction", []string{"run", "--memory", "1.5MiB", program}, `for flag -memory: ".5MiB" is no unit`},
		{"zero", []string{"run", "--memory", "0", program}, `for flag -memory: want more than zero`},
		{"too little memory", []string{"run", "--memory", "64KiB", program}, `for flag -memory: `},
		{"beyond memory", []string{"run", "--memory", "99999999999GiB", program}, `for flag -memory: that is more than any machine has`},
		{"too much stack", []string{"run", "--stack", "1GiB", program}, `for flag -stack: `},
		{"isolation", []string{"run", "--isolation", "vm", program}, `invalid value "vm" for flag -isolation: want inprocess or process`},
		{"cap", []string{"run", "--max-result", "many", program}, `for flag -max-result: want a whole number of characters`},
		{"cap too small", []string{"run", "--max-result", "10", program}, `for flag -max-result: `},
		{"empty input", []string{"run", "--input", "", program}, "-input is empty; name a file"},
		{"empty files", []string{"run", "--files=", program}, "-files is empty; name a directory"},
		{"both from stdin", []string{"run", "--input", "-", "-"}, "cannot both be standard input"},
		{"no such program", []string{"run", filepath.Join(dir, "none.js")}, "none.js: no such file"},
		{"no such input", []string{"run", "--input", filepath.Join(dir, "none.json"), program}, "none.json: no such file"},
		{"no such directory", []string{"run", "--files", filepath.Join(dir, "none"), program}, "-files: "},
		{"a file as directory", []string{"run", "--files", program, program}, "-files: "},
		{"a directory as program", []string{"run", dir}, "is a directory"},
		{"input is not JSON", []string{"run", "--input", notJSON, program}, "bad.json:3:1: not JSON: "},
		{"program too large", []string{"run", filepath.Join(dir, "large.js")}, "large.js: a program is at most 1.0 MiB"},
		{"check of a large program", []string{"check", filepath.Join(dir, "large.js")}, "large.js: a program is at most 1.0 MiB"},
		{"program is not UTF-8", []string{"run", filepath.Join(dir, "latin1.js")}, "not UTF-8"},
		{"check of what is not UTF-8", []string{"check", filepath.Join(dir, "latin1.js")}, "not UTF-8"},
		{"input over the memory", []string{"run", "--memory", "1MiB", "--input", filepath.Join(dir, "large.js"), program}, "more than the program's memory of 1.0 MiB; see -memory"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, stdout, stderr := invoke(t.Context(), strings.NewReader("1"), tt.args...)
			require.Equal(t, exitUsage, code, stderr)
			require.Empty(t, stdout)
			require.Contains(t, stderr, tt.says)
			require.Contains(t, stderr, "guestjs --help tells more")
		})
	}
}

func TestInterrupted(t *testing.T) {
	t.Run("while it runs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stderr := &lineWaiter{want: "started", found: cancel}
		var stdout strings.Builder
		code := run(ctx, []string{"run", "--cpu", "unlimited", "--wall", "unlimited", "-"}, strings.NewReader(`console.log("started"); for (;;);`), &stdout, stderr)
		require.Equal(t, exitLimit, code)
		require.Empty(t, stdout.String())
		require.Contains(t, stderr.String(), "guestjs: interrupted; ")
	})
	t.Run("before it runs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		code, _, stderr := invoke(ctx, strings.NewReader("1"), "run", write(t, t.TempDir(), "p.js", "1"))
		require.Equal(t, exitLimit, code, stderr)
	})
	t.Run("while it reads", func(t *testing.T) {
		for _, args := range [][]string{{"run", "-"}, {"check", "-"}, {"run", "--input", "-", write(t, t.TempDir(), "p.js", "1")}} {
			ctx, cancel := context.WithCancel(t.Context())
			r, w := io.Pipe()
			defer w.Close()
			cancel()
			code, _, stderr := invoke(ctx, r, args...)
			require.Equal(t, exitLimit, code)
			require.Equal(t, "guestjs: interrupted\n", stderr)
		}
	})
}

// lineWaiter calls found once it was written what is wanted.
type lineWaiter struct {
	strings.Builder
	want  string
	found func()
}

func (w *lineWaiter) Write(p []byte) (int, error) {
	defer func() {
		if strings.Contains(w.String(), w.want) {
			w.found()
		}
	}()
	return w.Builder.Write(p)
}

type brokenWriter struct{ panics bool }

func (b brokenWriter) Write([]byte) (int, error) {
	if b.panics {
		panic("broken")
	}
	return 0, errors.New("no space left")
}

func TestOwnFailures(t *testing.T) {
	for _, args := range [][]string{{"run", "-"}, {"run", "--json", "-"}, {"version"}, {"--help"}} {
		var stderr strings.Builder
		require.Equal(t, exitOurs, run(t.Context(), args, strings.NewReader("1"), brokenWriter{}, &stderr))
		require.Contains(t, stderr.String(), "no space left")
	}
	var stderr strings.Builder
	require.Equal(t, exitOurs, run(t.Context(), []string{"run", "-"}, strings.NewReader("1"), brokenWriter{panics: true}, &stderr))
	require.Contains(t, stderr.String(), "internal error: broken")
}

// usage.txt and README name the same exit codes.
func TestExitCodesAreDocumented(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	for code := exitValue; code <= exitOurs; code++ {
		require.Contains(t, usage, "\n    "+strconv.Itoa(code)+"   ")
		require.Contains(t, string(readme), "\n| "+strconv.Itoa(code)+" | ")
	}
}
