package result_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/result"
)

const marker = " chars total) — filter/map/slice data inside your code and return only what you need ---"

func TestCutText(t *testing.T) {
	cases := map[string]struct {
		text string
		max  int
		want string
	}{
		"under":              {"abc", 4, "abc"},
		"exact":              {"abc", 3, "abc"},
		"exact with pairs":   {"a😀", 3, "a😀"},
		"over":               {"abcd", 3, "abc\n--- TRUNCATED (4" + marker},
		"zero":               {"abc", 0, "\n--- TRUNCATED (3" + marker},
		"zero of nothing":    {"", 0, ""},
		"negative":           {"abc", -5, "\n--- TRUNCATED (3" + marker},
		"negative, nothing":  {"", -5, ""},
		"not inside a pair":  {"a😀b", 2, "a\n--- TRUNCATED (4" + marker},
		"after a pair":       {"a😀b", 3, "a😀\n--- TRUNCATED (4" + marker},
		"many bytes a unit":  {"€€€€", 2, "€€\n--- TRUNCATED (4" + marker},
		"a line feed stays":  {"a\n\nb", 3, "a\n\n\n--- TRUNCATED (4" + marker},
		"U+0000 is a unit":   {"a\x00b", 2, "a\x00\n--- TRUNCATED (3" + marker},
		"a backslash is one": {`\u0041`, 1, "\\\n--- TRUNCATED (6" + marker},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, result.CutText(c.text, c.max))
		})
	}
}

func TestText(t *testing.T) {
	require.Equal(t, "undefined", result.Text(nil))
	require.Equal(t, `"<a>&\ud800"`, result.Text(json.RawMessage(`"<a>&\ud800"`)))
}

func TestGuardLogs(t *testing.T) {
	require.Empty(t, result.Guard{}.Logs(nil))
	require.Equal(t, "a\nb", result.Guard{}.Logs([]string{"a", "b"}))
	require.Equal(t, "a\n\n--- TRUNCATED (3"+marker, result.Guard{MaxLogUnits: 2}.Logs([]string{"a", "b"}))
	long := result.Guard{}.Logs([]string{strings.Repeat("x", 5000)})
	require.True(t, strings.HasPrefix(long, strings.Repeat("x", result.DefaultMaxLogUnits)+"\n--- TRUNCATED (5000"))
}
