package bridge

import (
	"encoding/json"
	"unicode/utf8"
)

// maxText bounds every error text that is shown, in UTF-16 units.
const maxText = 4000

// characters counts code points.
func characters(s string) int { return utf8.RuneCountInString(s) }

// jsonText is a string as JSON, which every string has.
func jsonText(s string) json.RawMessage {
	text, _ := json.Marshal(s)
	return text
}
