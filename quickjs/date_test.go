package quickjs_test

import (
	_ "embed"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

//go:embed testdata/dates.js
var dates string

// zoneChild tells the test binary to print what a realm says about dates: with
// UTC of its own, or with the zone of its process, of which there can be only
// one.
const zoneChild = "GUESTJS_TEST_ZONE"

func TestZoneChild(t *testing.T) {
	mode := os.Getenv(zoneChild)
	if mode == "" {
		return // it is no test, but what TestDatesSayUTC starts
	}
	rt := quickjstest.New(t, quickjs.Limits{})
	c, err := rt.NewContext(quickjs.ContextOptions{HostTimeZone: mode == "host"})
	require.NoError(t, err)
	var texts []string
	require.NoError(t, json.NewDecoder(os.Stdin).Decode(&texts))
	list, err := json.Marshal(texts)
	require.NoError(t, err)
	_, err = os.Stdout.WriteString(textOf(t, c, "var texts = "+string(list)+";\n"+dates) + "\n<end>\n")
	require.NoError(t, err)
}

func datesIn(t *testing.T, mode, zone string, texts []string) []string {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestZoneChild$")
	cmd.Env = append(os.Environ(), zoneChild+"="+mode, "TZ="+zone)
	in, err := json.Marshal(texts)
	require.NoError(t, err)
	cmd.Stdin = strings.NewReader(string(in))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%.1000s", out)
	lines, _, found := strings.Cut(string(out), "\n<end>\n")
	require.True(t, found)
	return strings.Split(lines, "\n")
}

// A realm in New York says what the engine itself says in UTC, to the letter.
func TestDatesSayUTC(t *testing.T) {
	mutated := 500
	if full() {
		mutated = 6000
	}
	texts := dateTexts(mutated)
	// Spelled out, since the engine's libc needs no zone files for it.
	for _, newYork := range []string{"EST5EDT,M3.2.0,M11.1.0", "America/New_York"} {
		want := datesIn(t, "host", "UTC", texts)
		got := datesIn(t, "own", newYork, texts)
		require.Greater(t, len(want), 5000)
		require.Len(t, got, len(want))
		for i := range want {
			require.Equal(t, want[i], got[i], "line %d", i)
		}
		if strings.Contains(newYork, "/") {
			continue
		}
		differ := 0
		for i, line := range datesIn(t, "host", newYork, texts) {
			if line != want[i] {
				differ++
			}
		}
		require.Greater(t, differ, 1000, "the zone shows where it is asked for")
	}
}

// dateTexts are dates as people write them, and what mutation makes of them.
func dateTexts(mutated int) []string {
	seeds := []string{
		"2024-02-29", "2024-02-29T10:20", "2024-02-29T10:20:30", "2024-02-29T10:20:30.123456789", "2024-02-29T10:20Z", "2024-02-29T10:20:30.5+05:30", "2024-02-29T10:20-0800",
		"2024", "2024-05", "+002024-05-01", "-000001-01-01", "-000000-01-01", "+275760-09-13T00:00:00Z", "+275760-09-13T00:00:00.001", "-271821-04-20T00:00", "2024-13-01", "2024-00-01", "2024-01-32", "2024-02-30T00:00",
		"2024-01-01T24:00", "2024-01-01T24:00:01", "2024-01-01T25:00", "2024-01-01T10", "2024-01-01T10:", "2024-01-01T1:00", "2024-01-01 10:00", "2024-01-01t10:00z", "2024-01-01T00:00:60",
		"Thu, 01 Jan 1970 00:00:00 GMT", "Thu Jan 01 1970 00:00:00 GMT+0100 (CET)", "Jan 1, 2020", "1 January 2020", "January 1", "Jan 2020", "1/2/2020", "1/2/20", "1/2/70", "12/31/1999 11:59:59 PM", "12/31/1999 12:00 AM",
		"12:00", "2020 12:00", "10:00 Jan 1 2020", "Jan 1 2020 10:00 EST", "Jan 1 2020 10:00 PDT", "Jan 1 2020 10:00 CEST", "Jan 1 2020 10:00 UT", "Jan 1 2020 10:00 Z", "Jan 1 2020 10:00+1", "Jan 1 2020 10:00 -0530", "Jan 1 2020 10:00 +123456",
		"Jan 1 2020 (comment (nested)) 10:00", "Jan 1 2020 (open", "Jan 1 2020)", "foo Jan 1 2020", "Jan 1 2020 foo", "", " ", "now", "Tue", "Tue 5 2020", "1 2 3 4", "1 2 3", "1 2", "1", "0", "32", "99", "100", "-5", "+5", "-0", "1e3",
		"2020-1-1", "2020/1/1", "2020.1.1", "1-1-2020", "10 Jun 2020 1:2:3.4567", "10 Jun 2020 25:00", "10 Jun 2020 23:60", "june 31 2020", "feb 30 2021 10:00", "Sept 5 2020", "MARCH 3 2020 3 pm", "3:00pm mar 3 2020", "1 1 49", "1 1 50", "1 1 99", "1 1 100",
		"123456789", "1234567890", "12345678901234567890", "2024-03-10T02:30", "2024-11-03T01:30", "Mar 10 2024 2:30", "Nov 3 2024 1:30", "275760 Sep 13", "275761 Jan 1", "-271821 Apr 20", "20240229", "2024-060", "2024-W09-4", "٢٠٢٤",
	}
	r := rand.New(rand.NewPCG(3, 4))
	out := append([]string{}, seeds...)
	parts := []string{"2020", "1", "31", "12", "0", "99", "-", "/", ".", ",", ":", " ", "T", "Z", "+", "Jan", "feb", "Dec", "Mon", "AM", "pm", "GMT", "EST", "(", ")", "x", "10:00", "24:00:00", "2020-01-01", "T00:00", "+05:30", "-0800", "\u2212", "\u0000", "é", "123456", "+002020", "-000001"}
	for range mutated {
		var s string
		if r.IntN(2) == 0 {
			for range 1 + r.IntN(9) {
				s += parts[r.IntN(len(parts))]
				if r.IntN(3) == 0 {
					s += " "
				}
			}
		} else {
			b := []rune(seeds[r.IntN(len(seeds))])
			for range 1 + r.IntN(3) {
				if len(b) == 0 {
					break
				}
				i := r.IntN(len(b))
				switch r.IntN(4) {
				case 0:
					b = append(b[:i], b[i+1:]...)
				case 1:
					b[i] = rune(" 0123456789-+:TZaPM/.,("[r.IntN(23)])
				case 2:
					b = append(b[:i], append([]rune(parts[r.IntN(len(parts))]), b[i:]...)...)
				case 3:
					b[i] = rune(r.IntN(0x80))
				}
			}
			s = string(b)
		}
		out = append(out, s)
	}
	return out
}

func TestFixedClock(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	c.SetClock(1.7e12 + 0.5)
	for js, want := range map[string]string{
		"Date.now()":                         "1700000000000",
		"Date()":                             "Tue Nov 14 2023 22:13:20 GMT+0000",
		"+new Date()":                        "1700000000000",
		"new Date() + ''":                    "Tue Nov 14 2023 22:13:20 GMT+0000",
		"+Reflect.construct(Date, [], Date)": "1700000000000",
		"+new Date(0)":                       "0",
	} {
		require.Equal(t, want, textOf(t, c, js), js)
	}
	for _, ms := range []float64{1e300, math.NaN(), math.Inf(-1)} {
		c.SetClock(ms)
		require.Equal(t, "Invalid DateNaNInvalid Date", textOf(t, c, "Date() + Date.now() + new Date()"))
	}
	require.NoError(t, rt.Rewind())
	require.Equal(t, "true", textOf(t, c, "Date.now() > 1.7e12"), "a rewind sets it going again")
	other, err := rt.NewContext(quickjs.ContextOptions{HostTimeZone: true})
	require.NoError(t, err)
	require.PanicsWithValue(t, "quickjs: SetClock of a Context with HostTimeZone", func() { other.SetClock(0) })
}

// Nothing is kept of a date: after many rounds as much memory is in use as after
// a few.
func TestDateKeepsNothing(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	round := func() int64 {
		_ = textOf(t, c, `for (const a of [[], ['2020'], ['x'], ['Jan 1 2020 10:00'], [2020, 1], [{toString() {return '2020'}}], [{[Symbol.toPrimitive]() {return {}}}], [Symbol()], [5n], [{valueOf() {throw 1}}], [2020, {valueOf() {throw 1}}]])
			{ try {const d = new Date(...a); d.setYear(5); d + ''; d.toLocaleString(); d.getTimezoneOffset()} catch {} try {Date.parse(...a); Date(...a)} catch {} try {Date.prototype.setYear.call(...a)} catch {} try {new Date().setYear(...a)} catch {} } 0`)
		require.NoError(t, rt.GC())
		return rt.Memory().Used
	}
	for range 5 {
		round()
	}
	before, after := round(), int64(0)
	for range 200 {
		after = round()
	}
	require.Equal(t, before, after)
}
