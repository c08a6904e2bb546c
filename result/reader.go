package result

import (
	"math"
	"strconv"
	"strings"
)

// reader takes the few tokens of an envelope off the front of JSON text.
type reader struct{ text string }

func (r *reader) space() { r.text = strings.TrimLeft(r.text, " \t\r\n") }

func (r *reader) end() bool {
	r.space()
	return r.text == ""
}

func (r *reader) word(w string) bool {
	r.space()
	rest, ok := strings.CutPrefix(r.text, w)
	if ok {
		r.text = rest
	}
	return ok
}

func (r *reader) token(b byte) bool { return r.word(string(b)) }

// str takes a string literal and returns its inside, undecoded.
func (r *reader) str() (source, bool) {
	if !r.token('"') {
		return source{}, false
	}
	for i := 0; i < len(r.text); i++ {
		switch r.text[i] {
		case '\\':
			i++
		case '"':
			inside := r.text[:i]
			r.text = r.text[i+1:]
			return source{text: inside, literal: true}, true
		}
	}
	return source{}, false
}

// whole takes a number and reports whether it is a safe whole one, however it
// is written.
func (r *reader) whole() (int64, bool) {
	r.space()
	n := 0
	for n < len(r.text) && strings.IndexByte("+-.0123456789Ee", r.text[n]) >= 0 {
		n++
	}
	f, err := strconv.ParseFloat(r.text[:n], 64)
	if err != nil || f != math.Trunc(f) || f < 0 || f > maxSafeInteger {
		return 0, false
	}
	r.text = r.text[n:]
	return int64(f), true
}
