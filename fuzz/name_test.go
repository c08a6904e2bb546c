package fuzz_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

// FuzzName: a sanitised name is what SPEC section 4 says, step by step, and
// sanitising it again changes nothing.
func FuzzName(f *testing.F) {
	for _, name := range []string{"", "QuickJS", " a  b ", "😀", "a\x00b", strings.Repeat("x", 39) + " y", "\xff\xfe", strings.Repeat("é", 50)} {
		f.Add(name)
	}
	other := regexp.MustCompile(`[^A-Za-z0-9_ .+-]+`)
	spaces := regexp.MustCompile(` +`)
	f.Fuzz(func(t *testing.T, name string) {
		got := contract.SanitizeName(name)
		want := strings.TrimSpace(spaces.ReplaceAllString(other.ReplaceAllString(name, " "), " "))
		want = strings.TrimSpace(want[:min(len(want), 40)])
		require.Equal(t, want, got)
		require.Equal(t, got, contract.SanitizeName(got))
		require.Equal(t, got, contract.Name(named{name: got}))
	})
}

// named is an executor that has a name and nothing else.
type named struct {
	contract.Executor
	name string
}

func (n named) Name() string { return n.name }
