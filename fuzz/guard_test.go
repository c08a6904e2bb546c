package fuzz_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/fuzz/internal/grammar"
	"github.com/guestjs/guestjs/result"
)

// FuzzGuard: what a guard shows of any JSON text is JSON, at most the cap, and
// the text itself when that is short enough. What it cut starts like the text,
// says how long that was, and stays what it is when it is guarded again; a
// smaller guard cuts it further, without one notice inside another. No half of a
// surrogate pair is made. Nothing is written to the caller's bytes.
func FuzzGuard(f *testing.F) {
	f.Add([]byte("\x08\x03\x04\x02"), "", uint16(200), uint16(150), "")
	f.Fuzz(func(t *testing.T, tape []byte, raw string, limit, smaller uint16, prefix string) {
		value := guarded(tape, raw)
		prefix = strings.ToValidUTF8(prefix, "?")
		guard := result.Guard{MaxUnits: int(limit), HintPrefix: prefix[:cutAt(prefix, 300)]}
		before := bytes.Clone(value)
		shown, truncated, err := guard.Apply(value)
		require.Equal(t, before, []byte(value), "the input was changed")
		total := units(string(value))

		var cannot *result.CapError
		if errors.As(err, &cannot) {
			require.Greater(t, total, guard.MaxUnits)
			require.Less(t, guard.MaxUnits, cannot.NeedUnits)
			require.Error(t, guard.Validate())
			require.Nil(t, shown)
			return
		}
		require.NoError(t, err)
		if guard.MaxUnits > 0 {
			require.LessOrEqual(t, units(string(shown)), guard.MaxUnits)
		}
		require.True(t, json.Valid(shown), "%s", shown)
		require.True(t, utf8.Valid(shown))
		again, cutAgain, err := guard.Apply(shown)
		require.NoError(t, err)
		require.False(t, cutAgain)
		require.Equal(t, string(shown), string(again))
		if !truncated {
			require.Equal(t, string(value), string(shown))
			return
		}
		require.Greater(t, total, guard.MaxUnits)
		notice, ok := result.ParseEnvelope(shown)
		require.True(t, ok)
		if earlier, was := result.ParseEnvelope(value); was {
			require.Equal(t, earlier.TotalUnits, notice.TotalUnits)
			require.True(t, strings.HasPrefix(earlier.Preview, notice.Preview), "%q of %q", notice.Preview, earlier.Preview)
		} else {
			require.EqualValues(t, total, notice.TotalUnits)
			require.True(t, strings.HasPrefix(string(value), notice.Preview), "%q of %q", notice.Preview, value)
		}

		less := result.Guard{MaxUnits: int(smaller)}
		cut, truncated, err := less.Apply(shown)
		if err != nil || !truncated {
			return
		}
		nested, ok := result.ParseEnvelope(cut)
		require.True(t, ok)
		require.Equal(t, notice.TotalUnits, nested.TotalUnits, "the length of the first text is kept")
		require.True(t, strings.HasPrefix(notice.Preview, nested.Preview), "the preview is shortened, not wrapped")
	})
}

// guarded makes JSON text: the fuzzer's own when that is JSON, else of a tape,
// large enough to be cut.
func guarded(tape []byte, raw string) json.RawMessage {
	if json.Valid([]byte(raw)) && utf8.ValidString(raw) {
		return json.RawMessage(raw)
	}
	var parts []string
	for i := 0; i < 4; i++ {
		part := tape[min(len(tape), i*len(tape)/4):]
		if _, text := grammar.Value(part); text != "" {
			parts = append(parts, text)
		}
	}
	text, err := json.Marshal(raw)
	if err == nil {
		parts = append(parts, string(text))
	}
	return json.RawMessage("[" + strings.Join(parts, ",") + "]")
}

// units counts as JavaScript does.
func units(s string) int { return len(utf16.Encode([]rune(s))) }

// cutAt is the last border of a character at or before n bytes.
func cutAt(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return n
}
