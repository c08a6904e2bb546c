package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// The caps of a zero [Guard], in UTF-16 units (SPEC section 2).
const (
	DefaultMaxUnits    = 24_000
	DefaultMaxLogUnits = 4_000
)

// Guard says how much of a result is shown. It is plain data; the zero value
// has the documented caps.
type Guard struct {
	// MaxUnits is the most UTF-16 units a shown value may take. Zero means
	// DefaultMaxUnits. An envelope needs room for its fixed parts; see Floor.
	MaxUnits int
	// MaxLogUnits is the most units of a joined log, before the marker. Zero
	// means DefaultMaxLogUnits.
	MaxLogUnits int
	// HintPrefix, when not empty, is put in front of the hint of an envelope,
	// with a space between: the place to say where the whole value is kept.
	HintPrefix string
}

// CapError is the error of a cap that cannot hold even an envelope with an
// empty preview.
type CapError struct {
	MaxUnits   int // the cap
	NeedUnits  int // what the fixed parts took
	FloorUnits int // the smallest cap that every value can be cut to
}

// Error implements error.
func (e *CapError) Error() string {
	return fmt.Sprintf("result: a cap of %d units cannot hold the truncation notice, which takes %d; use at least %d",
		e.MaxUnits, e.NeedUnits, e.FloorUnits)
}

// Floor returns the smallest cap, in units, at which Apply never fails: the
// size of an envelope with an empty preview and the largest total. Without a
// prefix it is 142.
func (g Guard) Floor() int { return g.fixedUnits(maxSafeInteger) }

// Validate reports a cap that no value over it can be cut to. Call it once,
// where the guard is configured.
func (g Guard) Validate() error {
	switch {
	case g.MaxUnits < 0:
		return errors.New("result: Guard.MaxUnits is negative; zero means the default")
	case g.MaxLogUnits < 0:
		return errors.New("result: Guard.MaxLogUnits is negative; zero means the default")
	}
	if limit := g.max(); limit < g.Floor() {
		return &CapError{MaxUnits: limit, NeedUnits: g.Floor(), FloorUnits: g.Floor()}
	}
	return nil
}

// Apply returns value, JSON text, as it may be shown. At or under the cap it is
// the same bytes. Over the cap it is an [Envelope] of at most the cap, and
// truncated is true. An envelope that an earlier guard made is shortened from
// its own preview, whatever prefix its hint had, and gets this guard's hint.
// No value (nil) stays none. Applying the same guard to what it returned
// changes nothing.
//
// A cap below the fixed parts of the envelope, which [Guard.Validate] reports,
// shows what fits whole and is a [*CapError] for what does not.
//
// Value must be JSON; that is not checked. Only an object that has the members
// of an envelope is looked into.
func (g Guard) Apply(value json.RawMessage) (shown json.RawMessage, truncated bool, err error) {
	limit := g.max()
	if len(value) <= limit || len(value) == 0 {
		return value, false, nil // no text has more units than bytes
	}
	text := source{text: string(value)}
	total := int64(text.units())
	if total <= int64(limit) {
		return value, false, nil
	}
	if earlier, ok := recognise(text.text); ok {
		text, total = earlier.preview, earlier.total
	}
	fixed := g.fixedUnits(total)
	if fixed > limit {
		return nil, false, &CapError{MaxUnits: limit, NeedUnits: fixed, FloorUnits: g.Floor()}
	}
	end := fit(text, fixed, limit)
	return g.appendEnvelope(make([]byte, 0, fixed+end+end/8), text, end, total), true, nil
}

// fit returns how many bytes of text to show. It follows the estimate of SPEC
// section 12, so that the same value is cut at the same place as by other
// implementations: take what the cap leaves; while the envelope is too large
// for its escapes, scale down in proportion, and a little more. Where eight
// steps do not reach the cap, the longest beginning that fits is taken.
func fit(text source, fixed, limit int) (end int) {
	budget := limit - fixed
	for range 9 {
		end, cost := text.prefix(budget, math.MaxInt)
		size := fixed + cost
		if size <= limit {
			return end
		}
		budget = max(0, scale(budget, limit, size)-8)
	}
	end, _ = text.prefix(math.MaxInt, limit-fixed)
	return end
}

// scale returns floor(n * limit / size), for limit < size.
func scale(n, limit, size int) int {
	high, low := bits.Mul64(uint64(n), uint64(limit))
	quotient, _ := bits.Div64(high, low, uint64(size))
	return int(quotient)
}

func (g Guard) max() int {
	if g.MaxUnits == 0 {
		return DefaultMaxUnits
	}
	return g.MaxUnits
}
