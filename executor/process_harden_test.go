//go:build linux

package executor_test

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/guestjs/guestjs/executor"
)

// notAllowed runs the probe in a child with options and returns what was denied,
// by errno text, and the steps that the child reported.
func notAllowed(t *testing.T, opts executor.ProcessOptions, source string) (map[string]string, map[string]string) {
	t.Helper()
	s := newSlots(t, opts)
	out := mustRun(t, s, program(source))
	require.NoError(t, out.Err)
	said := map[string]string{}
	require.NoError(t, json.Unmarshal(out.Value, &said))
	steps := map[string]string{}
	for _, step := range s.Status()[0].Steps {
		steps[step.Name] = step.Err
	}
	require.NoError(t, s.Close(t.Context()))
	return said, steps
}

func TestProcessChildGivesUpWhatItDoesNotNeed(t *testing.T) {
	said, steps := notAllowed(t, executor.ProcessOptions{}, "probe")
	for _, name := range []string{"address-space", "file-size", "core", "cpu", "open-files", "no-new-privs", "seccomp"} {
		problem, taken := steps[name]
		require.True(t, taken, name)
		require.Empty(t, problem, name)
	}
	for what, answer := range map[string]string{
		"open a file":       "open /etc/passwd: operation not permitted",
		"make a file":       "open /tmp/guestjs-probe: operation not permitted",
		"list a directory":  "open /: operation not permitted",
		"remove a file":     "remove /tmp/guestjs-probe-target: operation not permitted",
		"make a socket":     "operation not permitted",
		"connect":           "dial tcp 127.0.0.1:1: socket: operation not permitted",
		"signal the parent": "operation not permitted",
		"environment":       "0",
	} {
		require.Equal(t, answer, said[what], what)
	}
	require.NotEqual(t, "allowed", said["start a program"])
	require.NotEqual(t, "allowed", said["make a pipe"])

	said, _ = notAllowed(t, executor.ProcessOptions{}, "probe further")
	for _, what := range []string{"become a program", "fork", "make code", "trace the parent"} {
		require.Equal(t, "operation not permitted", said[what], what)
	}
}

// A descriptor that the parent hands to every program it starts is not for a child.
func TestProcessChildHasNoDescriptorsButItsOwn(t *testing.T) {
	const careless = 333
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	require.NoError(t, unix.Dup3(int(null.Fd()), careless, 0))
	require.NoError(t, null.Close())
	t.Cleanup(func() { require.NoError(t, unix.Close(careless)) }) // after the slots have counted descriptors
	said, _ := notAllowed(t, executor.ProcessOptions{}, "probe")
	open := strings.Fields(said["descriptors"])
	require.Equal(t, []string{"0", "1", "2", "3", "4"}, open[:5])
	require.NotContains(t, open, strconv.Itoa(careless))
	// What Go itself keeps: a poller and what wakes it, and the limits of the
	// control group it is in.
	require.LessOrEqual(t, len(open), 5+2+2, "%s", open)
}

// Each layer stands alone: with those in front of it left out, it still denies.
func TestProcessChildHasMoreThanOneWall(t *testing.T) {
	t.Run("landlock", func(t *testing.T) {
		said, steps := notAllowed(t, executor.ProcessOptions{Skip: []string{"seccomp", "open-files"}}, "probe")
		require.Equal(t, "left out by configuration", steps["seccomp"])
		if steps["landlock"] != "" {
			t.Skip("Landlock: " + steps["landlock"])
		}
		require.Equal(t, "open /etc/passwd: permission denied", said["open a file"])
		require.Equal(t, "open /tmp/guestjs-probe: permission denied", said["make a file"])
		require.Equal(t, "dial tcp 127.0.0.1:1: connect: permission denied", said["connect"])
		require.Contains(t, said["start a program"], "permission denied")
	})
	t.Run("open-files", func(t *testing.T) {
		said, _ := notAllowed(t, executor.ProcessOptions{Skip: []string{"seccomp", "landlock"}}, "probe")
		require.Equal(t, "open /etc/passwd: too many open files", said["open a file"])
		require.Equal(t, "too many open files", said["make a socket"])
		require.Equal(t, "pipe2: too many open files", said["make a pipe"])
		require.Contains(t, said["start a program"], "too many open files")
	})
}

func TestProcessChildWithoutHardening(t *testing.T) {
	said, steps := notAllowed(t, executor.ProcessOptions{Skip: []string{"all"}}, "probe")
	require.Empty(t, steps)
	require.Equal(t, "allowed", said["open a file"], "or the tests above prove nothing")
	require.Equal(t, "allowed", said["make a socket"])
	require.Equal(t, "allowed", said["start a program"])
	require.Equal(t, "0", said["environment"])
	require.NoError(t, os.Remove("/tmp/guestjs-probe"))
}
