package quickjs_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// Texts that look like dates, and those closest to them that are. A realm with
// the host's zone reads them by the engine's own parser; all that are dates name
// their zone, so both give the same time.
func TestDateTextsThatAreNone(t *testing.T) {
	c := quickjstest.Context(t)
	host, err := c.Runtime().NewContext(quickjs.ContextOptions{HostTimeZone: true})
	require.NoError(t, err)
	parse := func(c *quickjs.Context, text string) float64 {
		s, err := c.String(text)
		require.NoError(t, err)
		defer s.Free()
		v, err := quickjstest.Eval(t, c, "Date.parse").Call(c.Undefined(), s)
		require.NoError(t, err)
		defer v.Free()
		ms, ok := v.Float()
		require.True(t, ok)
		return ms
	}
	none := math.NaN()
	for _, tt := range []struct {
		text string
		want float64
	}{
		// numbers
		{"123456789 Jan 1 Z", none}, {"1234567890", none}, {"Jan 1234567890 Z", none}, {"12345678901234567890", none},
		// the sign, and six digits of a year
		{"+002024-01-01", 1704067200000}, {"-000000-01-01", none}, {"+12345-01-01T00:00Z", none},
		// month and day of the ISO form, of two digits
		{"2024-00-01", none}, {"2024-1-01T00:00Z", none}, {"2024-13-01", none}, {"2024-01-00", none}, {"2024-01-1T00:00Z", none}, {"2024-01-32", none},
		// its clock
		{"2024-01-01T10:00:05Z", 1704103205000}, {"2024-01-01T10:00:5Z", none}, {"2024-01-01T10:00:Z", none}, {"2024-01-01T1:00Z", none}, {"2024-01-01T10Z", none}, {"2024-01-01T24:00:00.001Z", none},
		// its zone
		{"2024-01-01T10:00+05:30", 1704083400000}, {"2024-01-01T10:00+0530", 1704083400000},
		{"2024-01-01T10:00+", none}, {"2024-01-01T10:00+05", none}, {"2024-01-01T10:00+053", none}, {"2024-01-01T10:00+05:3", none}, {"2024-01-01T10:00+24:00", none},
		{"2024-01-01T10:00+05:60", none}, {"2024-01-01T10:00x", none}, {"2024-01-01T10:00Zx", none}, {"2024-01-01T10:00 Zx", none},
		// what people write
		{"1 Jan 2024 10:00 +0530", 1704083400000}, {"1 Jan 2024 10:00 GMT", 1704103200000}, {"1 Jan -0", none}, {"Jan 1 2024 10:x", none}, {"Jan 1 2024 10:00:x", none},
		{"1 2 3 4", none}, {"1 2 3 Jan", none}, {"2024 1 2 3", none}, {"2024 0 1", none}, {"2024 1 0", none}, {"Jan Z", none}, {"", none},
		// comments
		{"1 Jan 2024 (new (year)) 10:00 GMT", 1704103200000}, {"1 Jan 2024 (new (year) 10:00 GMT", none}, {"1 Jan 2024) 10:00 GMT", none}, {") 1 Jan 2024 10:00 GMT", none}, {"1 Jan 2024 x 10:00 GMT", none},
	} {
		t.Run(tt.text, func(t *testing.T) {
			want := fmt.Sprint(tt.want) // NaN is not equal to itself
			require.Equal(t, want, fmt.Sprint(parse(c, tt.text)))
			require.Equal(t, want, fmt.Sprint(parse(host, tt.text)), "the engine's own")
		})
	}
}

// Date.parse and new Date read a text in the same way, and as the engine does
// where this process's zone is UTC; TestDatesSayUTC asks processes of which it is.
func TestDateTextsInThisProcess(t *testing.T) {
	c := quickjstest.Context(t)
	host, err := c.Runtime().NewContext(quickjs.ContextOptions{HostTimeZone: true})
	require.NoError(t, err)
	texts := dateTexts(200)
	list, err := json.Marshal(texts)
	require.NoError(t, err)
	src := "(" + string(list) + ").map(t => Date.parse(t) + ' ' + +new Date(t)).join('\\n')"
	got, want := strings.Split(textOf(t, c, src), "\n"), strings.Split(textOf(t, host, src), "\n")
	require.Len(t, got, len(texts))
	utc := textOf(t, host, "[...Array(12).keys()].every(m => new Date(2024, m, 1).getTimezoneOffset() === 0)") == "true"
	for i, text := range texts {
		parsed, made, _ := strings.Cut(got[i], " ")
		require.Equal(t, parsed, made, "%q", text)
		if utc {
			require.Equal(t, want[i], got[i], "%q", text)
		}
	}
}
