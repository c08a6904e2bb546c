package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// source has every kind of return; those that are marked are returns of an
// error, by their number.
const source = `package quickjs

import "errors"

type ownError struct{}

func plain(n int) (int, error) {
	if n == 1 {
		return 0, errors.New("one") // 1
	}
	if n == 2 {
		return 0,
			(nil)
	}
	f := func() error {
		return errors.New("inside") // 2
	}
	return n, f() // 3
}

func named(n int) (m int, err error) {
	if n == 1 {
		return
	}
	if n == 2 {
		return plain(n) // 4
	}
	return plain(n)
}

func concrete(n int) (bool, *ownError) {
	if n == 1 {
		return true, &ownError{} // 5
	}
	return true, nil
}

func neither(n int) (*ownError, bool) { return &ownError{}, true }

var variable = func() error { return errors.New("variable") } // 6
`

// at returns the line of the nth marked return.
func at(n int) int {
	before, _, _ := strings.Cut(source, fmt.Sprintf("// %d\n", n))
	return strings.Count(before, "\n") + 1
}

// profile makes a profile of two binaries in which the marked returns are not
// reached, and everything else is by the second.
func profile(missed ...int) string {
	var b strings.Builder
	b.WriteString("mode: set\n")
	line := func(file string, from, to string, count int) {
		fmt.Fprintf(&b, "example.test/m/%s:%s,%s 1 %d\n", file, from, to, count)
	}
	for _, binary := range []int{0, 1} {
		for _, p := range packages[1:] {
			line(p+"/p.go", "3.1", "3.9", binary)
		}
		line("quickjs/q.go", "7.1", "42.100", binary)
		for n := 1; n <= 6; n++ {
			count := binary
			for _, m := range missed {
				if m == n {
					count = 0
				}
			}
			line("quickjs/q.go", fmt.Sprintf("%d.2", at(n)), fmt.Sprintf("%d.100", at(n)), count)
		}
	}
	return b.String()
}

// in makes a module of the packages, with source in one of them, and runs the
// command in it on a profile.
func in(t *testing.T, profile string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.test/m\n\ngo 1.26\n")
	write("quickjs/q.go", source)
	for _, p := range packages[1:] {
		write(p+"/p.go", "package "+p+"\n\nfunc f() {}\n")
	}
	write("cover.out", profile)
	t.Chdir(filepath.Join(dir, "quickjs")) // anywhere below will do
	var out, err bytes.Buffer
	status = run(append(args, "../cover.out"), &out, &err)
	return status, out.String(), err.String()
}

func TestReturnsOfAnError(t *testing.T) {
	texts := map[int]string{
		1: `return 0, errors.New("one")`, 2: `return errors.New("inside")`, 3: "return n, f()",
		4: "return plain(n)", 5: "return true, &ownError{}", 6: `return errors.New("variable")`,
	}
	for _, missed := range [][]int{nil, {1}, {2}, {3}, {4}, {5}, {6}, {1, 4, 6}} {
		t.Run(fmt.Sprint(missed), func(t *testing.T) {
			status, out, problems := in(t, profile(missed...), "-min", "10")
			want := ""
			for _, n := range missed {
				want += fmt.Sprintf("quickjs/q.go:%d: %s\n", at(n), texts[n])
			}
			first, rest, _ := strings.Cut(out, "\n")
			require.Contains(t, first, "quickjs ")
			list, _, _ := strings.Cut(rest, "bridge ")
			require.Equal(t, want, list)
			if missed == nil {
				require.Zero(t, status)
				require.Empty(t, problems)
				require.Equal(t, len(packages), strings.Count(out, "100.0 %"))
				return
			}
			require.Equal(t, 1, status)
			require.Equal(t, fmt.Sprintf("reached: quickjs: %d returns of an error are not reached; they are listed\n", len(missed)), problems)
		})
	}
}

func TestTooLittleReached(t *testing.T) {
	text := profile() + "example.test/m/admission/p.go:5.1,5.2 3 0\n"
	status, out, problems := in(t, text)
	require.Equal(t, 1, status)
	require.Contains(t, out, "admission   25.0 % of 4 statements; 0 of 0 returns")
	require.Equal(t, "reached: admission: 25.0 % of the statements are reached; 90 % are needed\n", problems)
	status, _, problems = in(t, text, "-min", "25")
	require.Zero(t, status, problems)
}

func TestAPackageThatIsMissing(t *testing.T) {
	text := strings.ReplaceAll(profile(), "/bridge/", "/bridge/internal/")
	status, out, problems := in(t, text)
	require.Equal(t, 1, status)
	require.Contains(t, out, "bridge     not in the profile\n")
	require.Equal(t, "reached: bridge is not in the profile; was it in -coverpkg?\n", problems)
}

func TestWrongUse(t *testing.T) {
	for _, tt := range []struct {
		name, profile string
		args          []string
		want          string
	}{
		{"no percentage", profile(), []string{"-min", "101"}, "reached: -min 101 is no percentage\n"},
		{"not a number either", profile(), []string{"-min", "NaN"}, "reached: -min NaN is no percentage\n"},
		{"unknown flag", profile(), []string{"-max", "3"}, "flag provided but not defined: -max\nusage: reached [-min PERCENT] PROFILE\n"},
		{"two profiles", profile(), []string{"other.out"}, "reached: 2 arguments; one is needed"},
		{"no profile", "package main\n", nil, `reached: ../cover.out:1: "package main" is not the first line of a cover profile`},
		{"empty", "", nil, `reached: ../cover.out:1: "" is not the first line`},
		{"cut off", profile() + "example.test/m/quickjs/q.go:1.2,3\n", nil, `is no line of a cover profile`},
		{"out of range", profile() + "example.test/m/quickjs/q.go:1.2,3.99999999999999999999 1 1\n", nil, "value out of range"},
		{"a file that is gone", profile() + "example.test/m/bridge/gone.go:1.2,3.4 1 1\n", nil, "example.test/m/bridge/gone.go is in the profile: open "},
		{"another state of the source", strings.ReplaceAll(profile(), "7.1,42.100", "7.1,8.2"), nil, "reached: quickjs/q.go:28: no block of the profile holds this return: the profile is of another state of the source"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, out, problems := in(t, tt.profile, tt.args...)
			require.Equal(t, 2, status)
			require.Empty(t, out)
			require.Contains(t, problems, tt.want)
		})
	}
	var out, problems bytes.Buffer
	require.Equal(t, 2, run([]string{filepath.Join(t.TempDir(), "none.out")}, &out, &problems))
	require.Contains(t, problems.String(), "reached: reading the profile: open ")
}
