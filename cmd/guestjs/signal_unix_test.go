//go:build unix

package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Ctrl-C in a terminal: the process is a real one.
func TestSignalEndsARun(t *testing.T) {
	for _, isolation := range []string{"inprocess", "process"} {
		t.Run(isolation, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "run", "--isolation", isolation, "--cpu", "unlimited", "--wall", "unlimited", "-")
			cmd.Env = append(os.Environ(), asCommand+"=1")
			cmd.Stdin = strings.NewReader(`console.log("started"); for (;;);`)
			stderr, err := cmd.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			r := bufio.NewReader(stderr)
			first, err := r.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "started\n", first)
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			rest, err := io.ReadAll(r)
			require.NoError(t, err)
			require.Error(t, cmd.Wait())
			require.Equal(t, exitLimit, cmd.ProcessState.ExitCode(), string(rest))
			require.Contains(t, string(rest), "guestjs: interrupted; ")
		})
	}
}

// A pipe is not opened: that would wait for a writer, and no limit ends it.
func TestFilesRefusesPipes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	code, stdout, stderr := invoke(t.Context(), strings.NewReader(`
try { await files.read("pipe") } catch (e) { return [e.code, e.message, await files.list()] }`), "run", "--files", dir, "--max-result", "1000", "-")
	require.Equal(t, exitValue, code, stderr)
	require.JSONEq(t, `["not_a_file", "pipe is not a regular file", []]`, stdout)
}
