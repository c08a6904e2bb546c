package guestjs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}

// README shows the example that is compiled and run, letter for letter.
func TestReadmeShowsTheExample(t *testing.T) {
	example := text(t, "example_test.go")
	from := strings.Index(example, "func total(")
	require.Positive(t, from)
	length := strings.Index(example[from:], "\n}\n")
	require.Positive(t, length)
	code := example[from : from+length+len("\n}\n")]
	require.Contains(t, text(t, "README.md"), "```go\n"+code+"```\n")
	require.LessOrEqual(t, strings.Count(code, "\n"), 20)
}

// README has the defaults that a zero Limits stands for.
func TestReadmeHasTheDefaults(t *testing.T) {
	l, readme := contract.DefaultLimits(), text(t, "README.md")
	for _, row := range []string{
		fmt.Sprintf("| processor time | %d ms | `Limits.CPU` |", l.CPU.Milliseconds()),
		fmt.Sprintf("| time, waits included | %d s | `Limits.Wall` |", int(l.Wall.Seconds())),
		fmt.Sprintf("| heap | %d MiB | `Limits.Memory` |", l.Memory>>20),
		fmt.Sprintf("| stack | %d MiB | `Limits.Stack` |", l.Stack>>20),
		fmt.Sprintf("| %d MiB | `Limits.Source` |", l.Source>>20),
		fmt.Sprintf("| host calls | %d,000 | `Limits.HostCalls` |", l.HostCalls/1000),
	} {
		require.Contains(t, readme, row)
	}
}

var (
	link      = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	testName  = regexp.MustCompile("`((?:Test|Fuzz|Example)[A-Z]\\w*)`")
	directory = regexp.MustCompile("`((?:quickjs|bridge|contract|admission|result|executor|bench|fuzz|examples|internal|cmd|\\.ci)/[\\w./]*)`")
	documents = []string{"README.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md"}
)

// What the documents point to is there: files, and tests by their names.
func TestDocumentsPointToWhatIsThere(t *testing.T) {
	tests := declaredTests(t)
	for _, name := range documents {
		doc := text(t, name)
		for _, m := range link.FindAllStringSubmatch(doc, -1) {
			require.FileExists(t, existing(m[1]), "%s links to %s", name, m[1])
		}
		for _, m := range testName.FindAllStringSubmatch(doc, -1) {
			require.True(t, tests[m[1]], "%s names %s, which no package has", name, m[1])
		}
		for _, m := range directory.FindAllStringSubmatch(doc, -1) {
			_, err := os.Stat(filepath.FromSlash(m[1]))
			require.NoError(t, err, "%s names %s", name, m[1])
		}
	}
}

// existing turns a directory that is there into a file that is.
func existing(name string) string {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		_, self, _, _ := runtime.Caller(0)
		return filepath.Base(self)
	}
	return name
}

func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	found := map[string]bool{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name != "." && strings.HasPrefix(path.Base(name), ".") || path.Base(name) == "node_modules"):
			return fs.SkipDir
		case !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		for _, m := range declared.FindAllStringSubmatch(text(t, name), -1) {
			found[m[1]] = true
		}
		return nil
	})
	require.NoError(t, err)
	return found
}
