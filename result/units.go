package result

import "unicode/utf8"

// Units returns the length of s in UTF-16 code units. A byte that is not part
// of valid UTF-8 counts as the one U+FFFD it is shown as.
func Units(s string) int {
	n := len(s)
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n -= size - unitsOf(r)
		i += size
	}
	return n
}

func unitsOf(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}

// char is one step of a source: a character, or half a surrogate pair that
// stands alone.
type char struct {
	r    rune
	size int // bytes in the source
}

// units is the length in the text.
func (c char) units() int { return unitsOf(c.r) }

// cost is the length in units once the text is written as a JSON string, by the
// rules of ECMA-262 25.5.2.3 QuoteJSONString.
func (c char) cost() int {
	switch {
	case c.r == '"' || c.r == '\\':
		return 2
	case c.r < 0x20:
		if shortEscape(c.r) != 0 {
			return 2
		}
		return 6
	case isSurrogate(c.r):
		return 6
	}
	return unitsOf(c.r)
}

// source is text that can be walked without decoding it first: plain UTF-8, or
// the inside of a JSON string literal.
type source struct {
	text    string
	literal bool
}

// at returns the char at byte i, which must be below len(s.text).
func (s source) at(i int) char {
	b := s.text[i]
	if s.literal && b == '\\' {
		return s.escape(i)
	}
	if b < utf8.RuneSelf {
		return char{rune(b), 1}
	}
	r, size := utf8.DecodeRuneInString(s.text[i:])
	return char{r, size}
}

func (s source) escape(i int) char {
	if i+1 >= len(s.text) {
		return char{'\\', 1}
	}
	switch b := s.text[i+1]; b {
	case 'b':
		return char{'\b', 2}
	case 'f':
		return char{'\f', 2}
	case 'n':
		return char{'\n', 2}
	case 'r':
		return char{'\r', 2}
	case 't':
		return char{'\t', 2}
	case 'u':
		high, ok := s.hex(i)
		if !ok {
			return char{utf8.RuneError, 2}
		}
		if high >= 0xD800 && high < 0xDC00 {
			if low, ok := s.hex(i + 6); ok && low >= 0xDC00 && low < 0xE000 {
				return char{0x10000 + (high-0xD800)<<10 + (low - 0xDC00), 12}
			}
		}
		return char{high, 6}
	default:
		return char{rune(b), 2}
	}
}

// hex reads the four digits of a \u escape that starts at byte i.
func (s source) hex(i int) (rune, bool) {
	if i+6 > len(s.text) || s.text[i] != '\\' || s.text[i+1] != 'u' {
		return 0, false
	}
	var r rune
	for _, b := range []byte(s.text[i+2 : i+6]) {
		r <<= 4
		switch {
		case b >= '0' && b <= '9':
			r |= rune(b - '0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			r |= rune(b|0x20-'a') + 10
		default:
			return 0, false
		}
	}
	return r, true
}

// plain reports whether a byte of a source is a character by itself, written as
// it is.
func plain(b byte) bool { return b >= ' ' && b < utf8.RuneSelf && b != '"' && b != '\\' }

// plainRun counts the plain bytes from byte i on, at most n.
func (s source) plainRun(i, n int) int {
	run := s.text[i : i+min(n, len(s.text)-i)]
	for k := range len(run) {
		if !plain(run[k]) {
			return k
		}
	}
	return len(run)
}

// units is the length of the whole source.
func (s source) units() int {
	if !s.literal {
		return Units(s.text)
	}
	n := 0
	for i := 0; i < len(s.text); {
		c := s.at(i)
		n += c.units()
		i += c.size
	}
	return n
}

// prefix returns the end, in bytes, of the longest beginning of s that has at
// most units units and costs at most cost units inside a JSON string, and what
// it does cost.
func (s source) prefix(units, cost int) (end, spent int) {
	for end < len(s.text) {
		if n := s.plainRun(end, min(units, cost-spent)); n > 0 {
			end, units, spent = end+n, units-n, spent+n
			continue
		}
		c := s.at(end)
		units -= c.units()
		w := c.cost()
		if units < 0 || spent+w > cost {
			break
		}
		spent += w
		end += c.size
	}
	return end, spent
}

func isSurrogate(r rune) bool { return r >= 0xD800 && r < 0xE000 }

// shortEscape returns the letter of a control character's two-unit escape, or
// zero.
func shortEscape(r rune) byte {
	switch r {
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

// appendQuoted appends s[:end] as a JSON string, as JSON.stringify writes it:
// nothing is escaped that need not be, and half a pair stays an escape.
func (s source) appendQuoted(dst []byte, end int) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < end; {
		if n := s.plainRun(i, end-i); n > 0 {
			dst = append(dst, s.text[i:i+n]...)
			i += n
			continue
		}
		c := s.at(i)
		i += c.size
		switch {
		case c.r == '"' || c.r == '\\':
			dst = append(dst, '\\', byte(c.r))
		case shortEscape(c.r) != 0:
			dst = append(dst, '\\', shortEscape(c.r))
		case c.r < 0x20 || isSurrogate(c.r):
			dst = append(dst, '\\', 'u', digits[c.r>>12&15], digits[c.r>>8&15], digits[c.r>>4&15], digits[c.r&15])
		default:
			dst = utf8.AppendRune(dst, c.r)
		}
	}
	return append(dst, '"')
}
