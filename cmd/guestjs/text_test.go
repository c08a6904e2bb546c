package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{
		"65536": 65536, "65536B": 65536, "64KiB": 65536, "64 KiB": 65536, "1MiB": 1 << 20, "2GiB": 2 << 30,
		"5kB": 5000, "5KB": 5000, "64MB": 64e6, "1GB": 1e9,
	} {
		got, err := parseSize(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "B", "MiB", "-1MiB", "1.5MiB", "64M", "64mib", "0x10", "1e6", "9223372036854775807KiB", "1TiB"} {
		_, err := parseSize(text)
		require.Error(t, err, text)
	}
}

func TestParseBudget(t *testing.T) {
	got, err := parseBudget("1m30s")
	require.NoError(t, err)
	require.Equal(t, 90*time.Second, got)
	got, err = parseBudget("unlimited")
	require.NoError(t, err)
	require.EqualValues(t, contract.Unlimited, got)
}

func TestTextsForPeople(t *testing.T) {
	require.Equal(t, []string{"512 bytes", "1.5 KiB", "64.0 MiB", "2.0 GiB"},
		[]string{sizeText(512), sizeText(1536), sizeText(64 << 20), sizeText(2 << 30)})
	require.Equal(t, []string{"95 µs", "1.5 ms", "250.0 ms", "2.35s", "1m0s", "unlimited"},
		[]string{timeText(95_400), timeText(1_500_000), timeText(250e6), timeText(2_345_600_000), timeText(time.Minute), timeText(contract.Unlimited)})
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"plain\n\ttext é😀":      "plain\n\ttext é😀",
		"\x1b[2Jgone\r":         `\u001b[2Jgone\u000d`,
		"\u009b31m\x7f":         `\u009b31m\u007f`,
		"safe\u202e\u2066evil":  `safe\u202e\u2066evil`,
		"not UTF-8: \xff\x1b[m": "not UTF-8: \ufffd\\u001b[m",
	} {
		require.Equal(t, want, visible(in))
	}
}

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("0123456789", 30)
	for _, tt := range []struct {
		name, source string
		line, column int
		want         string
	}{
		{"first", "a b", 1, 3, "    a b\n      ^\n"},
		{"tabs stay", "\n\tx;\r\n", 2, 2, "    \tx;\n    \t^\n"},
		{"past the end", "ab", 1, 9, "    ab\n      ^\n"},
		{"wide", "'é😀' x", 1, 6, "    'é😀' x\n         ^\n"},
		{"no line", "ab", 2, 1, ""},
		{"unknown", "ab", 0, 0, ""},
		{"long, at its start", long, 1, 1, "    " + long[:100] + "\n    ^\n"},
		{"long, within", long, 1, 151, "    " + long[100:200] + "\n    " + strings.Repeat(" ", 50) + "^\n"},
		{"long, at its end", long, 1, 300, "    " + long[200:] + "\n    " + strings.Repeat(" ", 99) + "^\n"},
		{"escapes keep the caret in place", "\x1bx", 1, 2, "    \\u001bx\n          ^\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, excerpt(tt.source, tt.line, tt.column))
		})
	}
}

func TestCallsText(t *testing.T) {
	require.Empty(t, callsText(nil))
	calls := []contract.Call{
		{Name: "files.read", State: contract.CallCompleted}, {Name: "files.read", State: contract.CallFailed},
		{Name: "files.read", State: contract.CallCompleted}, {Name: "files.list", State: contract.CallInFlight},
	}
	require.Equal(t, "; 4 host calls: 1 files.list in flight, 2 files.read completed, 1 files.read failed", callsText(calls))
	for i := range 20 {
		calls = append(calls, contract.Call{Name: strings.Repeat("x", i+1), State: contract.CallFailed})
	}
	require.Contains(t, callsText(calls), "; 24 host calls: ")
	require.Contains(t, callsText(calls), ", and others")
}
