package result

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Hint is what every envelope tells its reader to do, after the guard's prefix.
const Hint = "filter/map/slice data inside execute_code and return only what you need"

// maxSafeInteger is the largest whole number that JavaScript tells from its
// neighbours, ECMA-262 21.1.2.6.
const maxSafeInteger = 1<<53 - 1

// Envelope stands in for a value that was too long to show.
type Envelope struct {
	// Truncated is always true.
	Truncated bool `json:"truncated"`
	// Preview is the beginning of the value's JSON text. It ends anywhere, so
	// it is text to read, not JSON to parse. Half a surrogate pair that the text
	// spelled as an escape is U+FFFD here.
	Preview string `json:"preview"`
	// TotalUnits is the length of the whole JSON text in UTF-16 units.
	TotalUnits int64 `json:"totalChars"`
	// Hint says how to get less: the guard's prefix and [Hint].
	Hint string `json:"hint"`
}

// ParseEnvelope reads JSON text that a [Guard] made, and reports whether it is
// such text: an object with exactly the four members, in any order, whose
// values a guard could have written. A guest can return the same text.
func ParseEnvelope(text json.RawMessage) (Envelope, bool) {
	found, ok := recognise(string(text))
	if !ok {
		return Envelope{}, false
	}
	e := Envelope{Truncated: true, TotalUnits: found.total}
	e.Preview = found.preview.decode()
	e.Hint = found.hint.decode()
	return e, true
}

func (s source) decode() string {
	var b strings.Builder
	for i := 0; i < len(s.text); {
		c := s.at(i)
		b.WriteRune(c.r) // half a pair becomes U+FFFD
		i += c.size
	}
	return b.String()
}

func (g Guard) hint() source {
	if g.HintPrefix == "" {
		return source{text: Hint}
	}
	return source{text: g.HintPrefix + " " + Hint}
}

// The texts between the variable parts of an envelope. All are ASCII.
const (
	beforePreview = `{"truncated":true,"preview":`
	beforeTotal   = `,"totalChars":`
	beforeHint    = `,"hint":`
	afterHint     = `}`
)

// fixedUnits is the size of an envelope with an empty preview.
func (g Guard) fixedUnits(total int64) int {
	hint := g.hint()
	_, cost := hint.prefix(len(hint.text), 6*len(hint.text))
	return len(beforePreview+beforeTotal+beforeHint+afterHint) + len(`""`) +
		len(strconv.FormatInt(total, 10)) + len(`""`) + cost
}

func (g Guard) appendEnvelope(dst []byte, preview source, end int, total int64) []byte {
	dst = append(dst, beforePreview...)
	dst = preview.appendQuoted(dst, end)
	dst = append(dst, beforeTotal...)
	dst = strconv.AppendInt(dst, total, 10)
	dst = append(dst, beforeHint...)
	hint := g.hint()
	dst = hint.appendQuoted(dst, len(hint.text))
	return append(dst, afterHint...)
}

// earlier is an envelope found in a text, its strings still as they are written
// there.
type earlier struct {
	preview, hint source
	total         int64
}

// recognise reads text as an envelope. It gives up at the first member that
// does not belong to one, so a large object costs no more than its first
// member.
func recognise(text string) (earlier, bool) {
	var (
		found earlier
		seen  = map[string]bool{}
		r     = reader{text: text}
	)
	if !r.token('{') {
		return found, false
	}
	for n := range 4 {
		if n > 0 && !r.token(',') {
			return found, false
		}
		key, ok := r.str()
		if !ok || !r.token(':') {
			return found, false
		}
		name := key.decode()
		if seen[name] {
			return found, false
		}
		seen[name] = true
		switch name {
		case "truncated":
			ok = r.word("true")
		case "preview":
			found.preview, ok = r.str()
		case "hint":
			found.hint, ok = r.str()
		case "totalChars":
			found.total, ok = r.whole()
		default:
			ok = false
		}
		if !ok {
			return found, false
		}
	}
	if !r.token('}') || !r.end() {
		return found, false
	}
	hint := found.hint.decode()
	if hint != Hint && !strings.HasSuffix(hint, " "+Hint) {
		return found, false
	}
	return found, found.total >= int64(found.preview.units())
}
