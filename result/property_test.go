package result_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/result"
)

// jsonText draws JSON text of every shape, strings full of what costs more
// inside another string.
func jsonText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"a", "zz", " ", `\"`, `\\`, `\n`, `\u0001`, `\ud800`, `\udc00`, `\ud83d\ude00`, `\/`,
		"é", "€", "😀", "\u2028", "<&>", "\x7f",
	})
	str := rapid.Custom(func(t *rapid.T) string {
		if rapid.Bool().Draw(t, "run") {
			return `"` + strings.Repeat(piece.Draw(t, "piece"), rapid.IntRange(0, 400).Draw(t, "n")) + `"`
		}
		return `"` + strings.Join(rapid.SliceOfN(piece, 0, 60).Draw(t, "pieces"), "") + `"`
	})
	leaf := rapid.OneOf(str, rapid.SampledFrom([]string{"null", "true", "false", "0", "-1.5e300", "[]", "{}"}))
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 3).Draw(t, "shape") {
		case 0:
			return leaf.Draw(t, "leaf")
		case 1:
			return "[" + strings.Join(rapid.SliceOfN(leaf, 0, 12).Draw(t, "items"), ",") + "]"
		case 2:
			var members []string
			for i, v := range rapid.SliceOfN(leaf, 0, 6).Draw(t, "members") {
				members = append(members, `"k`+strings.Repeat("k", i)+`":`+v)
			}
			return "{" + strings.Join(members, ", ") + "}"
		default:
			return rapid.Custom(func(t *rapid.T) string {
				return `{"truncated":true,"preview":` + str.Draw(t, "preview") +
					`,"totalChars":` + rapid.SampledFrom([]string{"0", "9", "5000", "9007199254740991", "1e3"}).Draw(t, "total") +
					`,"hint":"` + rapid.SampledFrom([]string{"", "see x. ", "\\u0001 "}).Draw(t, "prefix") + result.Hint + `"}`
			}).Draw(t, "envelope")
		}
	})
}

func TestGuardProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := json.RawMessage(jsonText().Draw(t, "value"))
		guard := result.Guard{
			MaxUnits:   rapid.OneOf(rapid.IntRange(1, 400), rapid.IntRange(400, 4000)).Draw(t, "cap"),
			HintPrefix: rapid.SampledFrom([]string{"", "kept", `"q"`, "😀\x01", strings.Repeat("p", 90)}).Draw(t, "hintPrefix"),
		}
		before := bytes.Clone(value)
		units := result.Units(string(value))
		shown, truncated, err := guard.Apply(value)
		require.Equal(t, string(before), string(value), "the input is not changed")

		var tooSmall *result.CapError
		if errors.As(err, &tooSmall) {
			require.Less(t, guard.MaxUnits, guard.Floor())
			require.Less(t, guard.MaxUnits, tooSmall.NeedUnits)
			require.LessOrEqual(t, tooSmall.NeedUnits, guard.Floor())
			require.Greater(t, units, guard.MaxUnits)
			require.Error(t, guard.Validate())
			return
		}
		require.NoError(t, err)
		require.LessOrEqual(t, result.Units(string(shown)), guard.MaxUnits)
		require.True(t, json.Valid(shown))
		require.True(t, utf8.Valid(shown))

		again, cutAgain, err := guard.Apply(shown)
		require.NoError(t, err)
		require.False(t, cutAgain)
		require.Equal(t, string(shown), string(again))

		require.Equal(t, units > guard.MaxUnits, truncated)
		if !truncated {
			require.Equal(t, string(value), string(shown))
			return
		}
		e, ok := result.ParseEnvelope(shown)
		require.True(t, ok)
		if earlier, ok := result.ParseEnvelope(value); ok {
			require.Equal(t, earlier.TotalUnits, e.TotalUnits)
			require.True(t, strings.HasPrefix(earlier.Preview, e.Preview))
			return
		}
		require.Equal(t, int64(units), e.TotalUnits)
		require.True(t, strings.HasPrefix(string(value), e.Preview), "a preview is a beginning of the text, whole pairs only")
	})
}

// A smaller guard after a larger one keeps the first length, whatever the caps.
func TestGuardChain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := json.RawMessage(`"` + strings.Repeat("ab\\\\", rapid.IntRange(1000, 3000).Draw(t, "n")) + `"`)
		total := int64(result.Units(string(value)))
		for range rapid.IntRange(1, 5).Draw(t, "guards") {
			guard := result.Guard{
				MaxUnits:   rapid.IntRange(200, 6000).Draw(t, "cap"),
				HintPrefix: rapid.SampledFrom([]string{"", "kept"}).Draw(t, "prefix"),
			}
			shown, truncated, err := guard.Apply(value)
			require.NoError(t, err)
			if truncated {
				e, ok := result.ParseEnvelope(shown)
				require.True(t, ok)
				require.Equal(t, total, e.TotalUnits)
				require.NotContains(t, e.Preview, "truncated")
			}
			value = shown
		}
	})
}

func TestCutTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab\n€😀𝄞"))).Draw(t, "text")
		limit := rapid.IntRange(-2, 40).Draw(t, "max")
		cut := result.CutText(text, limit)
		require.True(t, utf8.ValidString(cut))
		if result.Units(text) <= max(0, limit) {
			require.Equal(t, text, cut)
			return
		}
		at := strings.LastIndex(cut, "\n--- TRUNCATED (")
		require.True(t, strings.HasPrefix(text, cut[:at]))
		kept := result.Units(cut[:at])
		require.LessOrEqual(t, kept, max(0, limit))
		require.GreaterOrEqual(t, kept, max(0, limit)-1)
	})
}
