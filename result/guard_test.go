package result_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/result"
)

func quoted(s string) json.RawMessage { return json.RawMessage(`"` + s + `"`) }

func envelope(t *testing.T, text json.RawMessage) result.Envelope {
	t.Helper()
	e, ok := result.ParseEnvelope(text)
	require.True(t, ok, "not an envelope: %.200s", text)
	return e
}

func TestGuardUnchanged(t *testing.T) {
	cases := map[string]struct {
		guard result.Guard
		value string
	}{
		"no value":               {result.Guard{}, ""},
		"no value, tiny cap":     {result.Guard{MaxUnits: 1}, ""},
		"number":                 {result.Guard{}, "5"},
		"exactly the default":    {result.Guard{}, `"` + strings.Repeat("a", 23_998) + `"`},
		"exactly a tiny cap":     {result.Guard{MaxUnits: 5}, `"abc"`},
		"bytes over, units not":  {result.Guard{MaxUnits: 12}, `"` + strings.Repeat("€", 10) + `"`},
		"pairs count two":        {result.Guard{MaxUnits: 12}, `"` + strings.Repeat("😀", 5) + `"`},
		"white space is kept":    {result.Guard{}, " [1,\n2] "},
		"escapes stay escapes":   {result.Guard{}, `"\ud800\u0041\/"`},
		"prefix without a cut":   {result.Guard{HintPrefix: "kept"}, `"short"`},
		"envelope that fits":     {result.Guard{}, `{"truncated":true,"preview":"","totalChars":5,"hint":"` + result.Hint + `"}`},
		"beyond every real size": {result.Guard{MaxUnits: 1 << 30}, `"` + strings.Repeat("a", 100_000) + `"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			shown, truncated, err := c.guard.Apply(json.RawMessage(c.value))
			require.NoError(t, err)
			require.False(t, truncated)
			require.Equal(t, c.value, string(shown))
		})
	}
}

func TestGuardCuts(t *testing.T) {
	const fixed = 127 // an envelope with one digit and no prefix
	cases := map[string]struct {
		guard   result.Guard
		value   string
		preview string
		total   int64
		hint    string
	}{
		"only the fixed parts fit": {
			result.Guard{MaxUnits: fixed + 2}, quotedN("a", 198), "", 200, result.Hint,
		},
		"escapes cost": {
			result.Guard{MaxUnits: 160}, `["` + strings.Repeat("b", 400) + `"]`, `["` + strings.Repeat("b", 20), 404, result.Hint,
		},
		"prefix": {
			result.Guard{MaxUnits: 160, HintPrefix: `see "x"`}, quotedN("a", 998),
			`"aaaaaaaaaa`, 1000, `see "x" ` + result.Hint,
		},
		"prefix that is not UTF-8": {
			result.Guard{MaxUnits: 160, HintPrefix: "\xff"}, quotedN("a", 998),
			`"aaaaaaaaaaaaaaaaaa`, 1000, "\ufffd " + result.Hint,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			shown, truncated, err := c.guard.Apply(json.RawMessage(c.value))
			require.NoError(t, err)
			require.True(t, truncated)
			require.LessOrEqual(t, result.Units(string(shown)), c.guard.MaxUnits)
			e := envelope(t, shown)
			require.Equal(t, c.total, e.TotalUnits)
			require.Equal(t, c.hint, e.Hint)
			require.True(t, strings.HasPrefix(c.value, e.Preview))
			require.Equal(t, c.preview, e.Preview)
		})
	}
}

func quotedN(s string, n int) string { return string(quoted(strings.Repeat(s, n))) }

func TestGuardNeverCutsAPair(t *testing.T) {
	for _, lead := range []string{"", "x"} {
		shown, truncated, err := result.Guard{}.Apply(quoted(lead + strings.Repeat("😀", 20_000)))
		require.NoError(t, err)
		require.True(t, truncated)
		require.NotContains(t, string(shown), `\ud8`)
		require.NotContains(t, envelope(t, shown).Preview, "\ufffd")
	}
}

func TestGuardReachesTheCapWhereTheEstimateDoesNot(t *testing.T) {
	// Text that costs two units each in front of plain text makes every
	// proportional step too small.
	value := quoted(strings.Repeat(`\\`, 120_000) + strings.Repeat("p", 400_000))
	guard := result.Guard{MaxUnits: 500_000}
	shown, truncated, err := guard.Apply(value)
	require.NoError(t, err)
	require.True(t, truncated)
	require.LessOrEqual(t, result.Units(string(shown)), guard.MaxUnits)
	require.Greater(t, result.Units(string(shown)), guard.MaxUnits-2, "the longest beginning that fits")
}

func TestGuardBelowTheFloor(t *testing.T) {
	require.Equal(t, 142, result.Guard{}.Floor())
	require.Equal(t, 143+len("kept"), result.Guard{HintPrefix: "kept"}.Floor())

	guard := result.Guard{MaxUnits: 120}
	shown, truncated, err := guard.Apply(quoted(strings.Repeat("a", 1000)))
	require.Nil(t, shown)
	require.False(t, truncated)
	var capError *result.CapError
	require.ErrorAs(t, err, &capError)
	require.Equal(t, result.CapError{MaxUnits: 120, NeedUnits: 130, FloorUnits: 142}, *capError)
	require.EqualError(t, err, "result: a cap of 120 units cannot hold the truncation notice, which takes 130; use at least 142")

	require.ErrorAs(t, guard.Validate(), &capError)
	require.NoError(t, result.Guard{}.Validate())
	require.NoError(t, result.Guard{MaxUnits: 142}.Validate())
	require.EqualError(t, result.Guard{MaxUnits: -1}.Validate(), "result: Guard.MaxUnits is negative; zero means the default")
	require.EqualError(t, result.Guard{MaxLogUnits: -1}.Validate(), "result: Guard.MaxLogUnits is negative; zero means the default")

	_, _, err = result.Guard{MaxUnits: -1}.Apply(json.RawMessage("1"))
	require.ErrorAs(t, err, &capError)
}

func TestGuardShrinksAnEarlierEnvelope(t *testing.T) {
	value := quoted(strings.Repeat("a", 100_000))
	for name, first := range map[string]result.Guard{
		"plain hint":    {},
		"prefixed hint": {HintPrefix: "Stored as r1."},
	} {
		t.Run(name, func(t *testing.T) {
			once, _, err := first.Apply(value)
			require.NoError(t, err)
			second := result.Guard{MaxUnits: 1000, HintPrefix: "Again."}
			twice, truncated, err := second.Apply(once)
			require.NoError(t, err)
			require.True(t, truncated)
			require.LessOrEqual(t, result.Units(string(twice)), 1000)
			e := envelope(t, twice)
			require.Equal(t, int64(100_002), e.TotalUnits)
			require.Equal(t, "Again. "+result.Hint, e.Hint)
			require.True(t, strings.HasPrefix(e.Preview, `"aaaa`), "the notice must not nest")
		})
	}
}

func TestGuardKeepsHalfPairsOfAnEarlierPreview(t *testing.T) {
	once := `{"hint":"` + result.Hint + `","preview":"` + strings.Repeat(`\ud800\u0041\/`, 200) +
		`","truncated":true,"totalChars":9e3}`
	shown, truncated, err := result.Guard{MaxUnits: 300}.Apply(json.RawMessage(once))
	require.NoError(t, err)
	require.True(t, truncated)
	require.Contains(t, string(shown), `"preview":"\ud800A/\ud800A/`)
	require.Contains(t, string(shown), `"totalChars":9000,`)
	require.True(t, json.Valid(shown))
}

func TestGuardRewritesEveryEscapeOfAnEarlierPreview(t *testing.T) {
	const escapes = `\b\f\n\r\t\"\\\/\u0041\u001F\uD83d\ude00\ud83d\u0041\udE00é€`
	const canonical = `\b\f\n\r\t\"\\/A\u001f😀\ud83dA\ude00é€`
	once := `{"truncated":true,"preview":"` + strings.Repeat(escapes, 10) + `","totalChars":500,"hint":"` + result.Hint + `"}`
	shown, truncated, err := result.Guard{MaxUnits: 200}.Apply(json.RawMessage(once))
	require.NoError(t, err)
	require.True(t, truncated)
	require.Contains(t, string(shown), `"preview":"`+canonical)
}

func TestParseEnvelopeRefuses(t *testing.T) {
	const hint = `"hint":"` + result.Hint + `"`
	for name, text := range map[string]string{
		"not an object":        `[1]`,
		"empty object":         `{}`,
		"cut short":            `{"truncated":true,"preview":"`,
		"three members":        `{"truncated":true,"preview":"",` + hint + `}`,
		"five members":         `{"truncated":true,"preview":"","totalChars":5,` + hint + `,"more":1}`,
		"another member":       `{"truncated":true,"preview":"","total":5,` + hint + `}`,
		"a member twice":       `{"truncated":true,"truncated":true,"totalChars":5,` + hint + `}`,
		"truncated is false":   `{"truncated":false,"preview":"","totalChars":5,` + hint + `}`,
		"preview is a number":  `{"truncated":true,"preview":1,"totalChars":5,` + hint + `}`,
		"hint is another":      `{"truncated":true,"preview":"","totalChars":5,"hint":"no"}`,
		"hint runs into text":  `{"truncated":true,"preview":"","totalChars":5,"hint":"x` + result.Hint + `"}`,
		"total below preview":  `{"truncated":true,"preview":"abc","totalChars":2,` + hint + `}`,
		"total counts pairs":   `{"truncated":true,"preview":"\ud83d\ude00","totalChars":1,` + hint + `}`,
		"total is not whole":   `{"truncated":true,"preview":"","totalChars":5.5,` + hint + `}`,
		"total is not safe":    `{"truncated":true,"preview":"","totalChars":9007199254740992,` + hint + `}`,
		"total is negative":    `{"truncated":true,"preview":"","totalChars":-1,` + hint + `}`,
		"total is a string":    `{"truncated":true,"preview":"","totalChars":"5",` + hint + `}`,
		"text after the value": `{"truncated":true,"preview":"","totalChars":5,` + hint + `} 1`,
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := result.ParseEnvelope(json.RawMessage(text))
			require.False(t, ok)
		})
	}
	e, ok := result.ParseEnvelope(json.RawMessage(" {\n\"preview\" : \"\\ud83d\\ude00\\n\\udc00\", \"totalChars\": 5.0, " + hint + ",\"\\u0074runcated\": true} "))
	require.True(t, ok)
	require.Equal(t, result.Envelope{Truncated: true, Preview: "😀\n\ufffd", TotalUnits: 5, Hint: result.Hint}, e)
}

func TestUnits(t *testing.T) {
	for _, s := range []string{"", "abc", "é", "€", "😀", "a😀€b", "\ufffd", "\u2028"} {
		require.Equal(t, len(utf16.Encode([]rune(s))), result.Units(s), "%q", s)
	}
	require.Equal(t, 3, result.Units("a\xff\xe2"))
}
