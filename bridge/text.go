package bridge

import (
	"unicode/utf8"
)

// maxText bounds every error text that is shown, in UTF-16 units.
const maxText = 4000

// characters counts code points.
func characters(s string) int { return utf8.RuneCountInString(s) }
