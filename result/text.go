package result

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// CutText returns text when it has at most maxUnits UTF-16 units. Otherwise it
// returns the first maxUnits units, one less where that would split a pair,
// followed by a line feed and a marker that says how long the text was. The
// marker is not counted. A negative cap counts as zero (SPEC section 12).
func CutText(text string, maxUnits int) string {
	limit := max(0, maxUnits)
	if len(text) <= limit {
		return text // no text has more units than bytes
	}
	total := Units(text)
	if total <= limit {
		return text
	}
	end, _ := source{text: text}.prefix(limit, math.MaxInt)
	return fmt.Sprintf("%s\n--- TRUNCATED (%d chars total) — filter/map/slice data inside your code and return only what you need ---",
		text[:end], total)
}

// Text returns what stands for a value in a text: its JSON, or "undefined" when
// there is none (SPEC section 12).
func Text(value json.RawMessage) string {
	if len(value) == 0 {
		return "undefined"
	}
	return string(value)
}

// Logs returns the entries of a run's log joined by line feeds, cut by
// [CutText] to MaxLogUnits.
func (g Guard) Logs(entries []string) string {
	limit := g.MaxLogUnits
	if limit == 0 {
		limit = DefaultMaxLogUnits
	}
	return CutText(strings.Join(entries, "\n"), limit)
}
