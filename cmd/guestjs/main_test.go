package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/executor"
)

// asCommand in the environment makes the test binary the command itself.
const asCommand = "GUESTJS_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	executor.ChildMain()
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write the golden files anew")

// invoke runs the command as a shell would, with what it says about time and
// memory taken out.
func invoke(ctx context.Context, stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = run(ctx, args, stdin, &out, &err)
	return code, settled(out.String()), settled(err.String())
}

var (
	measuredText = regexp.MustCompile(`(cpu|wall|memory) [0-9.]+ ?(µs|ms|s|m[0-9.]+s|bytes|KiB|MiB) of `)
	measuredJSON = regexp.MustCompile(`"(cpuMs|wallMs|memoryBytes|overshootMs|durationMs)": [0-9.e+-]+`)
	overshoot    = regexp.MustCompile(`,\n *"overshootMs": N`)
)

func settled(s string) string {
	s = measuredText.ReplaceAllString(s, "$1 N of ")
	s = measuredJSON.ReplaceAllString(s, `"$1": N`)
	return overshoot.ReplaceAllString(s, "")
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "run with -update when the change is meant")
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "2026"), 0o755))
	write(t, dir, "rates.json", `{"EUR": 1, "USD": 0.92}`)
	write(t, dir, "2026/notes.txt", "first line\nsecond line\n")
	input := filepath.Join(t.TempDir(), "input.json")
	require.NoError(t, os.WriteFile(input, []byte("\ufeff[3, 1, 2]"), 0o644))

	tests := []struct {
		name   string
		flags  []string
		source string
		code   int
	}{
		{name: "value", source: `({ list: [1, 2], text: "é\u0000" })`},
		{name: "function", source: `async () => { await null; return 42 }`},
		{name: "no-value", source: `const x = 1;`},
		{name: "fence", source: "```js\nlet n = 20;\nn + 1\n```\n"},
		{name: "input", flags: []string{"--input", input}, source: `input.toSorted()`},
		{name: "logs", source: "console.log('plain', {a: 1});\nconsole.log('\\u001b[31mred\\u202e');\n1"},
		{name: "files", flags: []string{"-files", dir}, source: `({
  all: await files.list(), some: await files.list("**/*.txt"),
  rate: (await files.readJSON("rates.json")).USD,
  line: (await files.read("2026/notes.txt")).split("\n")[1],
})`},
		{name: "files-caught", flags: []string{"-files", dir}, source: `
try { await files.read("../secret") } catch (e) { return [e.code, e.retryable, e.message] }`},
		{name: "files-uncaught", flags: []string{"-files", dir}, source: `
const names = ["rates.json", "2025.json"];
for (const n of names) await files.readJSON(n);`, code: exitProgram},
		{name: "files-in-flight", flags: []string{"-files", dir}, source: `
files.list();
return "without waiting"`},
		{name: "max-result-fits", flags: []string{"--max-result", "200"}, source: `({ a: [1, 2] })`},
		{name: "max-result-cut", flags: []string{"--max-result", "200"}, source: `"ä".repeat(1000)`},
		{name: "json", flags: []string{"--json", "-files", dir}, source: `
console.log("<here>");
return (await files.list()).length`},
		{name: "json-failed", flags: []string{"--json"}, source: `throw new TypeError("no")`, code: exitProgram},
		{name: "json-limit", flags: []string{"--json", "-cpu", "20ms"}, source: `for (;;);`, code: exitLimit},

		{name: "throw", source: "function f(x) {\n\treturn x.a.b;\n}\n\nf({});\n", code: exitProgram},
		{name: "throw-wide", source: "const s = \"żółw 😀\"; null.x", code: exitProgram},
		{name: "throw-far", source: strings.Repeat("/* filler */ ", 30) + "null.x;" + strings.Repeat(" /* filler */", 30), code: exitProgram},
		{name: "throw-value", source: `throw { code: 1 }`, code: exitProgram},
		{name: "throw-cause", source: `
const e = new Error("cannot total", { cause: new RangeError("no orders") });
e.month = "2025-01"; e.seen = [1, 2];
throw e`, code: exitProgram},
		{name: "throw-escapes", source: `throw new Error("\u001b]0;owned\u0007")`, code: exitProgram},
		{name: "unhandled", source: `
Promise.reject(new TypeError("lost"));
await null; await null;
1`},
		{name: "syntax", source: "const a = 1;\nconst b = (a + ;\n", code: exitProgram},
		{name: "typescript", source: "const a: number = 1;\na", code: exitProgram},
		{name: "require", source: "const fs = require('fs');\nfs", code: exitProgram},
		{name: "no-input", source: `input.length`, code: exitProgram},
		{name: "no-files", source: `await files.read("x")`, code: exitProgram},
		{name: "stalled", source: `await new Promise(() => {})`, code: exitProgram},
		{name: "no-json-form", source: `const a = {}; a.rows = [a]; a`, code: exitProgram},

		{name: "limit-cpu", flags: []string{"--cpu", "20ms"}, source: `for (;;);`, code: exitLimit},
		{name: "limit-wall", flags: []string{"--cpu", "unlimited", "--wall", "40ms"}, source: `for (;;);`, code: exitLimit},
		{name: "limit-memory", flags: []string{"--memory", "2MiB", "-cpu=5s"}, source: `const a = []; for (;;) a.push("x".repeat(1000) + a.length)`, code: exitLimit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append(append([]string{"run"}, tt.flags...), "-")
			code, stdout, stderr := invoke(t.Context(), strings.NewReader(tt.source), args...)
			require.Equal(t, tt.code, code, stderr)
			golden(t, tt.name, fmt.Sprintf("exit %d\n--- stdout\n%s--- stderr\n%s", code, stdout, stderr))
		})
	}
}

// A child process says what this process says, but for how much memory it had.
func TestRunInAChildProcess(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.json", `{"a": 1}`)
	for name, source := range map[string]string{
		"value":   `console.log("hi"); (await files.readJSON("a.json")).a`,
		"throw":   "\nnull.x",
		"refused": `await files.read("none")`,
		"limit":   `for (;;);`,
	} {
		t.Run(name, func(t *testing.T) {
			run := func(where string) string {
				code, stdout, stderr := invoke(t.Context(), strings.NewReader(source), "run", "--isolation", where, "--cpu", "50ms", "--files", dir, "-")
				return fmt.Sprint(code, stdout, stderr)
			}
			require.Equal(t, run("inprocess"), run("process"))
		})
	}
}

func TestCheck(t *testing.T) {
	good := write(t, t.TempDir(), "good.js", "throw new Error('only compiled')")
	code, stdout, stderr := invoke(t.Context(), nil, "check", good)
	require.Equal(t, exitValue, code, stderr)
	require.Empty(t, stdout)
	require.Empty(t, stderr)

	code, stdout, stderr = invoke(t.Context(), strings.NewReader("let a;\n\tlet a;\n"), "check", "-")
	require.Equal(t, exitProgram, code)
	require.Empty(t, stdout)
	golden(t, "check", stderr)
}

func TestHelpAndVersion(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"help"}, {"run", "--help"}, {"check", "-h"}} {
		code, stdout, stderr := invoke(t.Context(), nil, args...)
		require.Equal(t, exitValue, code)
		require.Equal(t, usage, stdout)
		require.Empty(t, stderr)
	}
	code, stdout, _ := invoke(t.Context(), nil, "version")
	require.Equal(t, exitValue, code)
	require.Regexp(t, `^guestjs \S+\nengine modernc.org/libquickjs \S+\ngo\S+ \S+/\S+\n$`, stdout)
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}
