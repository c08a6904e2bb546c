package result_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/result"
)

func TestPrepare(t *testing.T) {
	text := func(s string) *string { return &s }
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	cases := map[string]struct{ in, want result.Transport }{
		"value":               {result.Transport{Result: raw(`{"a":1}`)}, result.Transport{Result: raw(`{"a":1}`)}},
		"no value":            {result.Transport{Result: raw("")}, result.Transport{}},
		"logs":                {result.Transport{Result: raw("1"), Logs: []string{"x"}}, result.Transport{Result: raw("1"), Logs: []string{"x"}}},
		"empty logs":          {result.Transport{Result: raw("1"), Logs: []string{}}, result.Transport{Result: raw("1")}},
		"error drops a value": {result.Transport{Result: raw("5"), Error: text("bad"), Failure: raw(`{"name":"Error"}`), Logs: []string{"x"}}, result.Transport{Error: text("bad"), Failure: raw(`{"name":"Error"}`), Logs: []string{"x"}}},
		"empty error":         {result.Transport{Result: raw("5"), Error: text("")}, result.Transport{Error: text("")}},
		"record alone":        {result.Transport{Result: raw("5"), Failure: raw("{}")}, result.Transport{Result: raw("5")}},
		"broken":              {result.Transport{Result: raw("{oops"), Logs: []string{"x"}}, result.Transport{Error: text("result is not JSON-serializable: invalid character 'o' looking for beginning of object key string, at byte 2"), Logs: []string{"x"}}},
		"cut short":           {result.Transport{Result: raw("[1")}, result.Transport{Error: text("result is not JSON-serializable: unexpected end of JSON input")}},
		"two values":          {result.Transport{Result: raw("1 2")}, result.Transport{Error: text("result is not JSON-serializable: invalid character '2' after top-level value, at byte 3")}},
		"not UTF-8":           {result.Transport{Result: raw("\"\xff\"")}, result.Transport{Error: text("result is not JSON-serializable: the text is not UTF-8")}},
		"too deep":            {result.Transport{Result: raw(deep)}, result.Transport{Error: text("result is not JSON-serializable: invalid character '[' exceeded max depth, at byte 10001")}},
		"half a pair":         {result.Transport{Result: raw(`"\ud800"`)}, result.Transport{Result: raw(`"\ud800"`)}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, result.Prepare(c.in))
			require.Equal(t, c.want, result.Prepare(c.want), "a second time changes nothing")
		})
	}
	big := raw(string(quoted(strings.Repeat("a", 100_000))))
	require.Equal(t, big, result.Prepare(result.Transport{Result: big}).Result, "sizes are not cut here")
}
