package bridge

import (
	"cmp"
	"errors"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/guestjs/guestjs/quickjs"
)

// Two syntax errors the engine throws without saying where. Both are about
// something that stands in the text.
const (
	unaryPower   = "the left-hand side of '**'"
	privateField = "undefined private field '"
)

// locate finds the place of an error that came without one, from compiling the
// text within wrap. It returns the error, or one that ended the search.
func (s *source) locate(c compiler, err error, wrap func(string) string) error {
	thrown, ok := errors.AsType[*quickjs.Exception](err)
	if !ok {
		return err
	}
	if name, ok := strings.CutPrefix(thrown.Message, privateField); ok {
		s.fails = privateUse(s.text, strings.TrimSuffix(name, "'"))
	} else if strings.HasSuffix(thrown.Message, unaryPower) {
		return s.locatePower(c, thrown, wrap)
	}
	return err
}

// locatePower looks for the first operator up to which the text gives the same
// error: the parser stops at its first, so what comes after it changes nothing.
func (s *source) locatePower(c compiler, thrown *quickjs.Exception, wrap func(string) string) error {
	const power = "**"
	var places []int
	for from := 0; ; {
		i := strings.Index(s.text[from:], power)
		if i < 0 {
			break
		}
		places = append(places, from+i)
		from += i + len(power)
	}
	attempt := c.surely()
	var ended error
	n := sort.Search(len(places)-1, func(n int) bool {
		if ended != nil {
			return true
		}
		v, err := attempt.qc.Compile(wrap(s.text[:places[n]+len(power)]), quickjs.EvalOptions{Name: attempt.name})
		if err == nil {
			v.Free()
			return false
		}
		other, ok := errors.AsType[*quickjs.Exception](err)
		if !ok {
			ended = err
			return true
		}
		other.Free()
		return other.Message == thrown.Message
	})
	if ended != nil {
		thrown.Free()
		return ended
	}
	s.fails = places[n] + 1
	return thrown
}

// privateUse is where a private name is used, from 1: behind a dot if it is
// anywhere, else where it first stands by itself, else where it begins a longer
// one, since the engine cuts long names off. One that is written with escapes is
// where the first private name is.
func privateUse(text, name string) int {
	alone, longer := 0, 0
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			break
		}
		i += from
		from = i + len(name)
		switch next, _ := utf8.DecodeRuneInString(text[from:]); {
		case next == '$' || next == '_' || unicode.IsLetter(next) || unicode.IsDigit(next):
			longer = cmp.Or(longer, i+1)
		case strings.HasSuffix(text[:i], "."):
			return i + 1
		default:
			alone = cmp.Or(alone, i+1)
		}
	}
	return cmp.Or(alone, longer, strings.IndexByte(text, '#')+1)
}

// failsAt is the place that locate found, in the text as it was handed in; zeros
// when there is none.
func (s *source) failsAt() (line, column int) {
	if s.fails == 0 {
		return 0, 0
	}
	whole := s.before + s.text[:s.fails-1]
	return 1 + strings.Count(whole, "\n"), characters(whole[strings.LastIndexByte(whole, '\n')+1:]) + 1
}
