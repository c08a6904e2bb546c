package guestjs_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/guestjs/guestjs"

// room says what the packages of one directory and below may import, beside the
// standard library and themselves.
type room struct {
	ours   []string // directories
	theirs []string // modules
}

// rooms are the arrows. The longest directory that a package is in decides.
var rooms = map[string]room{
	".":              {},
	"contract":       {},
	"result":         {},
	"quickjs":        {ours: []string{"internal/fault"}, theirs: []string{"modernc.org/libquickjs", "modernc.org/libc", "golang.org/x/sys"}},
	"admission":      {ours: []string{"contract"}},
	"bridge":         {ours: []string{"quickjs", "contract", "result", "internal/units"}},
	"internal/fault": {},
	"internal/wire":  {ours: []string{"contract"}},
	"internal/units": {},
	"executor": {
		ours:   []string{"bridge", "admission", "result", "contract", "internal/wire", "internal/units", "internal/fault"},
		theirs: []string{"golang.org/x/sys", "github.com/landlock-lsm/go-landlock", "github.com/elastic/go-seccomp-bpf"},
	},
	"cmd":              anything,
	"bench":            anything,
	"fuzz":             {ours: append([]string{"internal/wire"}, library...), theirs: anything.theirs},
	"examples":         anything,
	"internal/conform": {ours: append([]string{"internal/wire"}, library...), theirs: anything.theirs},
}

var (
	library  = []string{"quickjs", "bridge", "contract", "admission", "result", "executor"}
	anything = room{ours: library, theirs: []string{"modernc.org/quickjs", "golang.org/x/perf", "golang.org/x/sys"}}
)

// inTests may be imported by a test, wherever it is.
var inTests = room{
	ours: []string{"contract/contracttest", "quickjs/quickjstest", "internal/fault"},
	theirs: []string{
		"github.com/stretchr/testify", "pgregory.net/rapid", "go.uber.org/goleak", "modernc.org/quickjs", "golang.org/x/sys",
	},
}

// breach says what is wrong with an import, or "".
func breach(dir, imported string, test bool) string {
	in := roomOf(dir)
	allowed := func(list []string, prefix string) bool {
		return slices.ContainsFunc(list, func(p string) bool { return under(imported, prefix+p) })
	}
	if imported == "unsafe" || under(imported, "modernc.org/libquickjs") || under(imported, "modernc.org/libc") {
		if in != "quickjs" {
			return "only quickjs may import the engine, its libc or unsafe"
		}
		return ""
	}
	if under(imported, module) {
		target := strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
		switch {
		case roomOf(target) == in && in != ".":
			return ""
		case test && (allowed(inTests.ours, module+"/") || in == "."):
			return ""
		case slices.Contains(rooms[in].ours, target):
			return "" // by its own name, internal or not
		case allowed(rooms[in].ours, module+"/") && !strings.Contains(target, "internal") && !testPackage(target):
			return ""
		}
		return "that arrow is not in the design"
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") && imported != "C" {
		return "" // the standard library
	}
	if allowed(rooms[in].theirs, "") || test && allowed(inTests.theirs, "") {
		return ""
	}
	return "that module is not one the design names here"
}

func roomOf(dir string) string {
	for d := dir; d != "." && d != ""; d = path.Dir(d) {
		if _, ok := rooms[d]; ok {
			return d
		}
	}
	return "."
}

func under(imported, p string) bool {
	return imported == p || strings.HasPrefix(imported, p+"/")
}

// TestArrows reads the imports of every file, for every system.
func TestArrows(t *testing.T) {
	files := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if base := path.Base(name); name != "." && (strings.HasPrefix(base, ".") || base == "node_modules" || isModule(name)) {
				return fs.SkipDir
			}
			require.NotContains(t, []string{"util", "utils", "common", "helpers"}, path.Base(name), "a package is named after what is in it: %s", name)
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := breach(path.Dir(name), imported, strings.HasSuffix(name, "_test.go") || testPackage(path.Dir(name))); why != "" {
				t.Errorf("%s imports %s: %s", name, imported, why)
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, files, 100, "the walk found the packages")
}

// testPackage reports whether a package exists for tests alone.
func testPackage(dir string) bool { return strings.HasSuffix(dir, "test") }

// isModule reports whether a directory is a nested module, which has a graph of
// its own.
func isModule(dir string) bool {
	_, err := os.Stat(path.Join(dir, "go.mod"))
	return err == nil
}

// TestBreachesAreFound tries the rules on what they are for.
func TestBreachesAreFound(t *testing.T) {
	for _, tt := range []struct {
		dir, imported string
		test, bad     bool
	}{
		{dir: "quickjs", imported: "unsafe"},
		{dir: "quickjs", imported: "modernc.org/libquickjs"},
		{dir: "quickjs/quickjstest", imported: module + "/quickjs"},
		{dir: "bridge", imported: module + "/quickjs"},
		{dir: "executor/internal/child", imported: module + "/internal/wire"},
		{dir: "internal/conform", imported: module + "/internal/wire"},
		{dir: "executor/internal/child", imported: "github.com/landlock-lsm/go-landlock/landlock"},
		{dir: "admission", imported: module + "/contract/contracttest", test: true},
		{dir: "fuzz/cmd/all", imported: module + "/fuzz/internal/grammar"},
		{dir: "bench", imported: "golang.org/x/perf/benchfmt"},
		{dir: "contract", imported: "encoding/json"},

		{dir: "bridge", imported: "unsafe", bad: true},
		{dir: "bridge", imported: "unsafe", test: true, bad: true},
		{dir: "fuzz", imported: "modernc.org/libquickjs", bad: true},
		{dir: "executor", imported: "modernc.org/libc/sys", bad: true},
		{dir: "contract", imported: module + "/result", bad: true},
		{dir: "result", imported: module + "/contract", bad: true},
		{dir: "quickjs", imported: module + "/contract", bad: true},
		{dir: "admission", imported: module + "/bridge", bad: true},
		{dir: "bridge", imported: module + "/admission", bad: true},
		{dir: "bridge", imported: module + "/contract/contracttest", bad: true},
		{dir: "executor", imported: module + "/cmd/guestjs", bad: true},
		{dir: "examples", imported: module + "/internal/conform", bad: true},
		{dir: "cmd/guestjs", imported: module + "/executor/internal/child", bad: true},
		{dir: "cmd/guestjs", imported: module + "/internal/wire", bad: true},
		{dir: "bridge", imported: module + "/internal/wire", bad: true},
		{dir: "internal/wire", imported: module + "/bridge", bad: true},
		{dir: ".", imported: module + "/executor", bad: true},
		{dir: ".", imported: module + "/executor", test: true},
		{dir: "quickjs", imported: "modernc.org/quickjs", bad: true},
		{dir: "contract", imported: "github.com/stretchr/testify/require", bad: true},
		{dir: "executor", imported: "golang.org/x/perf/benchfmt", bad: true},
		{dir: "bridge", imported: "C", bad: true},
	} {
		why := breach(tt.dir, tt.imported, tt.test)
		require.Equal(t, tt.bad, why != "", "%s imports %s: %s", tt.dir, tt.imported, why)
	}
}
