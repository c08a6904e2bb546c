package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

// tree makes a directory with files and links, and a secret beside it.
func tree(t *testing.T) contract.Provider {
	t.Helper()
	outer := t.TempDir()
	write(t, outer, "secret.txt", "secret")
	dir := filepath.Join(outer, "dir")
	for _, d := range []string{"a/b", "empty"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o755))
	}
	write(t, dir, "one.txt", "one")
	write(t, dir, "a/two.json", "{\"n\": 2}\n")
	write(t, dir, "a/b/three.json", "\ufeff[3]")
	write(t, dir, "bad.json", "{\"a\": 1,\n \"b\": é}")
	write(t, dir, "latin1.txt", "\xe9")
	write(t, dir, "fits.txt", strings.Repeat("x", maxReply-2))
	write(t, dir, "large.txt", strings.Repeat("x", maxReply-1))
	write(t, dir, "quotes.txt", strings.Repeat(`"`, maxReply/2))
	write(t, dir, "huge.txt", strings.Repeat("x", 4*maxReply+1))
	for link, to := range map[string]string{
		"out":        "../secret.txt",
		"out-dir":    "..",
		"absolute":   filepath.Join(outer, "secret.txt"),
		"in":         "a/two.json",
		"a/up":       "../one.txt",
		"loop":       "loop",
		"dangling":   "nowhere",
		"a/b/really": "../../../secret.txt",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))))
	}
	f, err := openFiles(dir)
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f.provider()
}

// call calls a host function as the bridge does.
func call(t *testing.T, p contract.Provider, name string, args ...any) (string, error) {
	t.Helper()
	list, err := json.Marshal(append([]any{}, args...))
	require.NoError(t, err)
	reply, err := p.Functions[name](t.Context(), list)
	return string(reply), err
}

func TestFilesGives(t *testing.T) {
	p := tree(t)
	for _, tt := range []struct{ function, path, want string }{
		{"read", "one.txt", `"one"`},
		{"read", "./a/../one.txt", `"one"`},
		{"read", "a/up", `"one"`},
		{"read", "fits.txt", `"` + strings.Repeat("x", maxReply-2) + `"`},
		{"readJSON", "a/two.json", `{"n":2}`},
		{"readJSON", "in", `{"n":2}`},
		{"readJSON", "a/b/three.json", `[3]`},
	} {
		got, err := call(t, p, tt.function, tt.path)
		require.NoError(t, err, tt.path)
		require.Equal(t, tt.want, got, tt.path)
	}
}

func TestFilesRefuses(t *testing.T) {
	p := tree(t)
	for _, tt := range []struct {
		function string
		arg      any
		code     string
		says     string
	}{
		{"read", "none.txt", codeNotFound, "there is no file none.txt"},
		{"read", "dangling", codeNotFound, "there is no file dangling"},
		{"read", "", codeNotFound, "the path is empty"},
		{"read", nil, codeNotFound, "the path is empty"},
		{"read", 5, "invalid_args", ""},
		{"read", "..", codeOutside, "not below the directory"},
		{"read", "../secret.txt", codeOutside, "not below the directory"},
		{"read", "a/../../secret.txt", codeOutside, "not below the directory"},
		{"read", "/etc/hostname", codeOutside, "not below the directory"},
		{"read", "one.txt\x00", codeOutside, "not below the directory"},
		{"read", "out", codeOutside, "leads out of the directory"},
		{"read", "absolute", codeOutside, "leads out of the directory"},
		{"read", "out-dir/secret.txt", codeOutside, "leads out of the directory"},
		{"read", "a/b/really", codeOutside, "leads out of the directory"},
		{"read", "loop", codeUnreadable, "loop cannot be read: "},
		{"read", "one.txt/x", codeUnreadable, "one.txt/x cannot be read: "},
		{"read", "a", codeNotAFile, "a is a directory; files.list finds"},
		{"read", ".", codeNotAFile, ". is a directory"},
		{"read", "latin1.txt", codeNotText, "latin1.txt is not UTF-8 text"},
		{"read", "large.txt", codeTooLarge, "large.txt takes 262125 bytes, and a reply at most 262124"},
		{"read", "quotes.txt", codeTooLarge, "a reply at most 262124"},
		{"read", "huge.txt", codeTooLarge, "huge.txt takes 1048497 bytes"},
		{"readJSON", "bad.json", codeNotJSON, "bad.json:2:7: not JSON: "},
		{"readJSON", "one.txt", codeNotJSON, "one.txt:1:"},
		{"readJSON", "../secret.txt", codeOutside, "not below the directory"},
		{"list", "a//b", codeBadPattern, `the pattern "a//b" is not one`},
		{"list", "../*", codeBadPattern, `the pattern "../*" is not one`},
		{"list", "[a", codeBadPattern, `the pattern "[a" is not one`},
		{"list", "", codeBadPattern, `the pattern "" is not one`},
		{"list", []int{1}, "invalid_args", ""},
	} {
		t.Run(fmt.Sprintf("%s %q", tt.function, tt.arg), func(t *testing.T) {
			got, err := call(t, p, tt.function, tt.arg)
			var f *contract.Failure
			require.ErrorAs(t, err, &f)
			require.Empty(t, got)
			require.Equal(t, tt.code, f.Code, f.Message)
			require.Contains(t, f.Message, tt.says)
			require.False(t, f.Retryable)
			require.NotContains(t, f.Message, os.TempDir(), "a guest does not learn where the directory is")
		})
	}
}

func TestFilesList(t *testing.T) {
	p := tree(t)
	for _, tt := range []struct {
		pattern any
		want    []string
	}{
		{"*.txt", []string{"fits.txt", "huge.txt", "large.txt", "latin1.txt", "one.txt", "quotes.txt"}},
		{"o*.txt", []string{"one.txt"}},
		{"[a-f]*.json", []string{"bad.json"}},
		{"*/*.json", []string{"a/two.json"}},
		{"a/*", []string{"a/two.json", "a/up"}},
		{"a/**", []string{"a/b/three.json", "a/two.json", "a/up"}},
		{"**/*.json", []string{"a/b/three.json", "a/two.json", "bad.json"}},
		{"**/**/three.json", []string{"a/b/three.json"}},
		{"**/b/*", []string{"a/b/three.json"}},
		{"in", []string{"in"}},
		{"out*", []string{}},
		{"out-dir/*", []string{}},
		{"empty/*", []string{}},
		{"a", []string{}},
		{"a/b/**/x", []string{}},
	} {
		got, err := call(t, p, "list", tt.pattern)
		require.NoError(t, err)
		var names []string
		require.NoError(t, json.Unmarshal([]byte(got), &names))
		require.Equal(t, tt.want, names, tt.pattern)
	}
	all, err := call(t, p, "list")
	require.NoError(t, err)
	require.Contains(t, all, `"a/b/three.json"`)
	null, err := call(t, p, "list", nil)
	require.NoError(t, err)
	require.Equal(t, all, null)
}

func TestFilesListIsBounded(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("n", 200)
	for i := range 1400 {
		write(t, dir, fmt.Sprintf("%s%04d", long, i), "")
	}
	f, err := openFiles(dir)
	require.NoError(t, err)
	defer f.Close()
	_, err = call(t, f.provider(), "list")
	var refused *contract.Failure
	require.ErrorAs(t, err, &refused)
	require.Equal(t, codeTooLarge, refused.Code)
	require.Contains(t, refused.Message, "the list takes ")

	// A walk ends with the run that asked for it.
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("over"))
	_, err = f.list(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestNoSuchRoot(t *testing.T) {
	_, err := openFiles(filepath.Join(t.TempDir(), "none"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
