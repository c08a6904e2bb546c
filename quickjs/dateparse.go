package quickjs

import (
	"math"
	"strings"
	"time"
)

// dateTextMax is how much of a text Date.parse looks at, in units.
const dateTextMax = 127

// parseDate is Date.parse of a text, as the engine parses it, with UTC for a
// text without a zone: first the ISO form, then the forms of toString,
// toUTCString and what people write (js_date_parse_isostring,
// js_date_parse_otherstring). NaN when it is no date.
func parseDate(text string) float64 {
	d := dateReader{text: text}
	if !d.iso() {
		d = dateReader{text: text}
		if !d.other() {
			return math.NaN()
		}
	}
	f := &d.field
	for i, most := range []int{1: 11, 2: 31, 3: 24, 4: 59, 5: 59} {
		if i > 0 && f[i] > most {
			return math.NaN()
		}
	}
	if f[3] == 24 && f[4]|f[5]|f[6] != 0 {
		return math.NaN()
	}
	if f[0] < -271821 || f[0] > 275760 {
		return math.NaN()
	}
	t := time.Date(f[0], time.Month(f[1]+1), f[2], f[3], f[4], f[5], f[6]*1e6, time.UTC)
	return timeClip(float64(t.UnixMilli())) - float64(d.zone*60000)
}

// dateReader reads a text from left to right. Past its end are zero bytes.
type dateReader struct {
	text  string
	pos   int
	field [7]int // year, month from 0, day, hour, minute, second, millisecond
	zone  int    // minutes east of UTC
}

func (d *dateReader) peek() byte { return d.byteAt(d.pos) }

func (d *dateReader) byteAt(i int) byte {
	if i < len(d.text) {
		return d.text[i]
	}
	return 0
}

func (d *dateReader) skip(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.pos++
	return true
}

func (d *dateReader) skipAny(of string) {
	for d.peek() != 0 && strings.IndexByte(of, d.peek()) >= 0 {
		d.pos++
	}
}

func (d *dateReader) skipUntil(stop string) {
	for d.peek() != 0 && strings.IndexByte(stop, d.peek()) < 0 {
		d.pos++
	}
}

// digits reads a number of at least least and at most most digits; most 0 for
// no bound. More than nine digits are no number.
func (d *dateReader) digits(into *int, least, most int) bool {
	v, p := 0, d.pos
	for c := d.byteAt(p); c >= '0' && c <= '9'; c = d.byteAt(p) {
		if v >= 100000000 {
			return false
		}
		v = v*10 + int(c-'0')
		p++
		if p-d.pos == most {
			break
		}
	}
	if p-d.pos < least {
		return false
	}
	*into, d.pos = v, p
	return true
}

// milliseconds reads an optional fraction of a second, of which three digits
// count.
func (d *dateReader) milliseconds() {
	if c := d.peek(); c != '.' && c != ',' {
		return
	}
	ms, unit, p := 0, 100, d.pos+1
	for c := d.byteAt(p); c >= '0' && c <= '9'; c = d.byteAt(p) {
		ms += int(c-'0') * unit
		unit /= 10
		p++
		if p-d.pos-1 == 9 {
			break
		}
	}
	if p > d.pos+1 {
		d.field[6], d.pos = ms, p
	}
}

// offset reads a zone: Z, or hours and minutes with a sign.
func (d *dateReader) offset(strict bool) bool {
	was := d.pos
	sign := d.peek()
	d.pos++
	zone := 0
	switch sign {
	case 'Z':
	case '+', '-':
		hh, mm := 0, 0
		start := d.pos
		if !d.digits(&hh, 1, 0) {
			d.pos = was
			return false
		}
		n := d.pos - start
		if strict && n != 2 && n != 4 {
			d.pos = was
			return false
		}
		for n > 4 {
			n -= 2
			hh /= 100
		}
		switch {
		case n > 2:
			hh, mm = hh/100, hh%100
		case d.skip(':'):
			if !d.digits(&mm, 2, 2) {
				d.pos = was
				return false
			}
		case strict:
			d.pos = was
			return false
		}
		if hh > 23 || mm > 59 {
			d.pos = was
			return false
		}
		zone = hh*60 + mm
		if sign == '-' {
			zone = -zone
		}
	default:
		d.pos = was
		return false
	}
	d.zone = zone
	return true
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

// word reads a word in any case.
func (d *dateReader) word(w string) bool {
	for i := range len(w) {
		if upper(d.byteAt(d.pos+i)) != w[i] {
			return false
		}
	}
	d.pos += len(w)
	return true
}

func (d *dateReader) month() bool {
	const names = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
	for i := 0; i < len(names); i += 3 {
		if d.word(names[i : i+3]) {
			d.field[1] = i/3 + 1
			return true
		}
	}
	return false
}

// dateZones are abbreviations in the order in which they are tried, and their
// offsets in hours.
var dateZones = [...]struct {
	name  string
	hours int
}{
	{"GMT", 0}, {"UTC", 0}, {"UT", 0}, {"Z", 0}, {"EDT", -4}, {"EST", -5}, {"CDT", -5}, {"CST", -6}, {"MDT", -6},
	{"MST", -7}, {"PDT", -7}, {"PST", -8}, {"WET", 0}, {"WEST", 1}, {"CET", 1}, {"CEST", 2}, {"EET", 2}, {"EEST", 3},
}

func (d *dateReader) abbreviation() bool {
	for _, z := range dateZones {
		if d.word(z.name) {
			d.zone = z.hours * 60
			return true
		}
	}
	return false
}

// iso reads the form of toISOString.
func (d *dateReader) iso() bool {
	f := &d.field
	f[2] = 1
	if sign := d.peek(); sign == '-' || sign == '+' {
		d.pos++
		if !d.digits(&f[0], 6, 6) || sign == '-' && f[0] == 0 {
			return false
		}
		if sign == '-' {
			f[0] = -f[0]
		}
	} else if !d.digits(&f[0], 4, 4) {
		return false
	}
	if d.skip('-') {
		if !d.digits(&f[1], 2, 2) || f[1] < 1 {
			return false
		}
		f[1]--
		if d.skip('-') && (!d.digits(&f[2], 2, 2) || f[2] < 1) {
			return false
		}
	}
	if d.skip('T') {
		if !d.digits(&f[3], 2, 2) || !d.skip(':') || !d.digits(&f[4], 2, 2) {
			f[3] = 100 // it has this form, and is no date
			return true
		}
		if d.skip(':') {
			if !d.digits(&f[5], 2, 2) {
				return false
			}
			d.milliseconds()
		}
	}
	if d.peek() != 0 && !d.offset(true) {
		return false
	}
	return d.peek() == 0
}

// other reads everything else.
func (d *dateReader) other() bool {
	f := &d.field
	f[0], f[1], f[2] = 2001, 1, 1
	var year, month, clock bool
	var nums []int
	for d.skipAny(" "); d.peek() != 0; d.skipAny(" ") {
		start, c, n := d.pos, d.peek(), 0
		switch {
		case c == '+' || c == '-':
			if clock && d.offset(false) {
				break
			}
			d.pos++
			if d.digits(&n, 1, 0) {
				if c == '-' {
					if n == 0 {
						return false
					}
					n = -n
				}
				f[0], year = n, true
			}
		case d.digits(&n, 1, 0):
			if d.skip(':') {
				f[3] = n
				if !d.digits(&f[4], 1, 2) {
					return false
				}
				if d.skip(':') {
					if !d.digits(&f[5], 1, 2) {
						return false
					}
					d.milliseconds()
				}
				clock = true
				if c := d.peek(); c == '+' || c == '-' {
					d.offset(false)
				}
				break
			}
			switch {
			case d.pos-start > 2 && !year:
				f[0], year = n, true
			case (n < 1 || n > 31) && !year:
				f[0], year = fullYear(n), true
			case len(nums) == 3:
				return false
			default:
				nums = append(nums, n)
			}
		case d.month():
			month = true
			d.skipUntil("0123456789 -/(")
		case clock && d.word("PM"):
			if f[3] < 12 {
				f[3] += 12
			}
			continue
		case clock && d.word("AM"):
			if f[3] == 12 {
				f[3] -= 12
			}
			continue
		case d.abbreviation():
			continue
		case c == '(':
			if !d.parenthesis() {
				return false
			}
		case c == ')', year, month, clock, len(nums) > 0:
			return false
		default:
			d.skipUntil(" -/(")
		}
		d.skipAny("-/.,")
	}
	return d.assign(nums, year, month)
}

func (d *dateReader) parenthesis() bool {
	level := 0
	for d.peek() != 0 {
		switch d.peek() {
		case '(':
			level++
		case ')':
			level--
		}
		d.pos++
		if level == 0 {
			break
		}
	}
	return level <= 0
}

// assign says which of the numbers is the year, the month and the day.
func (d *dateReader) assign(nums []int, year, month bool) bool {
	f := &d.field
	known := len(nums)
	if year {
		known++
	}
	if month {
		known++
	}
	if known > 3 {
		return false
	}
	switch len(nums) {
	case 0:
		if !year {
			return false
		}
	case 1:
		if month {
			f[2] = nums[0]
		} else {
			f[1] = nums[0]
		}
	case 2:
		if !year && month {
			f[0], f[2] = fullYear(nums[1]), nums[0]
		} else {
			f[1], f[2] = nums[0], nums[1]
		}
	case 3:
		f[0], f[1], f[2] = fullYear(nums[2]), nums[0], nums[1]
	}
	if f[1] < 1 || f[2] < 1 {
		return false
	}
	f[1]--
	return true
}

// fullYear takes years below 50 for those of 2000 and below 100 for those of
// 1900.
func fullYear(n int) int {
	switch {
	case n < 50:
		return n + 2000
	case n < 100:
		return n + 1900
	}
	return n
}
