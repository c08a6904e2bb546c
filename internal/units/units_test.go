package units_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/units"
)

func TestCount(t *testing.T) {
	for s, want := range map[string]int{"": 0, "a": 1, "é": 1, "\u2003": 1, "\U0001f600": 2, "a\U0001f600b": 4, "\xff": 1} {
		require.Equal(t, want, units.Count(s), "%q", s)
	}
}

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		s     string
		limit int
		want  string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"ééé", 3, "ééé"},
		{"ééé", 2, "éé"},
		{"a\U0001f600b", 1, "a"},
		{"a\U0001f600b", 2, "a"}, // not half of the pair
		{"a\U0001f600b", 3, "a\U0001f600"},
		{"a\U0001f600b", 4, "a\U0001f600b"},
	} {
		require.Equal(t, tt.want, units.Cut(tt.s, tt.limit), "%q at %d", tt.s, tt.limit)
	}
}
