package bridge

import (
	"strings"
	"time"

	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/quickjs"
)

// Bounds of what a run may log (SPEC sections 2 and 11).
const (
	maxEntries   = 200
	maxEntry     = 8_000   // UTF-16 units of one entry
	maxUnits     = 256_000 // of all entries
	maxLogBytes  = 524_288 // transport bytes of all entries
	entrySuffix  = "…[entry truncated]"
	countMarker  = "[log truncated after 200 entries]"
	budgetMarker = "[log truncated: size budget exceeded]"
)

// console keeps the log of one run.
type console struct {
	entries []string
	units   int
	bytes   int
	full    bool // the size budget is spent: nothing is kept afterwards
	counted bool // the entry marker was added
}

// log is the native function behind every console method. It never throws into
// the program.
func (g *guest) log(_ *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
	r := g.run
	if r.console.done() {
		return quickjs.Value{}, nil
	}
	if cause := r.overdue(time.Since(r.start)); cause != nil {
		return quickjs.Value{}, cause
	}
	var b strings.Builder
	for i, a := range args {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(g.field(a))
		if b.Len() > 4*maxEntry {
			break // longer than any entry in every encoding
		}
	}
	r.console.add(b.String(), r.program.OnLog)
	return quickjs.Value{}, nil
}

// field is the text of one argument: a string as it is, all else as JSON, by
// string form where JSON throws, and empty where there is no JSON form. No more
// of it is copied out of the guest's memory than an entry can hold, which is why
// the guest's own functions, captured at the start, write it.
func (g *guest) field(v quickjs.Value) string {
	if s, _, ok := v.TextMax(maxEntry + 1); ok {
		return s
	}
	text, err := g.stringify.Call(g.qc.Undefined(), v)
	if err != nil {
		free(err)
		if text, err = g.string.Call(g.qc.Undefined(), v); err != nil {
			free(err)
			return "[object Object]"
		}
	}
	s, _, _ := text.TextMax(maxEntry + 1)
	text.Free()
	return s
}

func free(err error) {
	if e, ok := err.(*quickjs.Exception); ok {
		e.Free()
	}
}

// done reports whether nothing more can be kept or said.
func (c *console) done() bool { return c.counted || c.full && len(c.entries) < maxEntries }

// add keeps one entry, or says once why it does not.
func (c *console) add(entry string, stream func(string)) {
	keep := func(s string) {
		c.entries = append(c.entries, s)
		if stream != nil {
			stream(s)
		}
	}
	if len(c.entries) >= maxEntries {
		if !c.counted {
			c.counted = true
			keep(countMarker)
		}
		return
	}
	if c.full {
		return
	}
	n := units.Count(entry)
	if n > maxEntry {
		entry = units.Cut(entry, maxEntry) + entrySuffix
		n = units.Count(entry)
	}
	bytes := transportBytes(entry)
	if c.units+n > maxUnits || c.bytes+bytes > maxLogBytes-transportBytes(budgetMarker) {
		c.full = true
		keep(budgetMarker)
		return
	}
	c.units += n
	c.bytes += bytes
	keep(entry)
}

// transportBytes is the size of an entry in UTF-8 after two JSON encodings, as
// JSON.stringify does them.
func transportBytes(s string) int {
	n := len(`"\"`) + len(`\""`) // the quotes of both
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			n += len(`\\\"`)
		case r == '\b' || r == '\f' || r == '\n' || r == '\r' || r == '\t':
			n += len(`\\n`)
		case r < 0x20:
			n += len(`\\u0000`)
		case r < 0x80:
			n++
		case r < 0x800:
			n += 2
		case r < 0x10000:
			n += 3
		default:
			n += 4
		}
	}
	return n
}
