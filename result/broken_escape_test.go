package result_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/result"
)

// A value is not checked to be JSON, so an escape in what looks like an earlier
// envelope can be broken. It is read as U+FFFD, and what is made of it is JSON
// and no longer than the cap.
func TestBrokenEscapesOfAnEarlierPreview(t *testing.T) {
	for preview, want := range map[string]string{
		`\u12`:           "\ufffd12",
		`\u`:             "\ufffd",
		`\u12g4`:         "\ufffd12g4",
		`\uG000`:         "\ufffdG000",
		`\u-123`:         "\ufffd-123",
		`\ud83d\u`:       "\ufffd\ufffd",
		`\ud83d\ude0`:    "\ufffd\ufffdde0",
		`\ud83dxude00`:   "\ufffdxude00",
		`\ud83d\nde00`:   "\ufffd\nde00",
		`\ud83d\ude00`:   "😀",
		`\q\'`:           "q'",
		`\u00E9\u00e9\t`: "éé\t",
	} {
		t.Run(preview, func(t *testing.T) {
			envelope := func(preview string) json.RawMessage {
				return json.RawMessage(`{"truncated":true,"preview":"` + preview + `","totalChars":9000,"hint":"` + result.Hint + `"}`)
			}
			e, ok := result.ParseEnvelope(envelope(preview))
			require.True(t, ok)
			require.Equal(t, want, e.Preview)

			guard := result.Guard{MaxUnits: 200}
			shown, cut, err := guard.Apply(envelope(strings.Repeat(preview, 100)))
			require.NoError(t, err)
			require.True(t, cut)
			require.True(t, json.Valid(shown), "%s", shown)
			require.LessOrEqual(t, result.Units(string(shown)), 200)
			e, ok = result.ParseEnvelope(shown)
			require.True(t, ok)
			require.True(t, strings.HasPrefix(strings.Repeat(want, 100), e.Preview), "%q", e.Preview)
		})
	}
}
