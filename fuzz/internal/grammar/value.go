package grammar

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Value makes a literal expression and the JSON text that JavaScript's own
// rules (ECMA-262 JSON.stringify) give for it, up to the order of members and
// the spelling of numbers and escapes. A lone surrogate stands in the JSON as
// U+FFFD, as it crosses to the host. JSON is empty when the value has none
// (undefined, a function, a symbol).
func Value(data []byte) (expr, json string) {
	v := valuer{t: &tape{data: data}}
	return v.value(0)
}

const maxValueDepth, maxValueNodes = 6, 400

type valuer struct {
	t     *tape
	nodes int
}

func (v *valuer) value(depth int) (expr, json string) {
	v.nodes++
	kinds := 12
	if depth >= maxValueDepth || v.nodes > maxValueNodes {
		kinds = 8
	}
	switch v.t.pick(kinds) {
	default:
		return "null", "null"
	case 1:
		s := v.t.one("true", "false")
		return s, s
	case 2:
		n := v.t.pick(256)<<8 + v.t.pick(256) - 1<<15
		return strconv.Itoa(n), strconv.Itoa(n)
	case 3, 4:
		return v.str()
	case 5:
		return v.number()
	case 6:
		none := v.t.one("undefined", "() => 1", "Symbol()", "class {}")
		return "(" + none + ")", ""
	case 7:
		return v.odd()
	case 8, 9:
		return v.array(depth)
	case 10, 11:
		return v.object(depth)
	}
}

// number makes finite doubles of any size, and the three that are not finite.
func (v *valuer) number() (expr, json string) {
	switch v.t.pick(6) {
	case 1:
		return v.t.one("NaN", "(1 / 0)", "(-1 / 0)"), "null"
	case 2:
		return "(-0)", "0"
	case 3:
		s := v.t.one("9007199254740991", "9007199254740993", "4294967296", "1e21", "5e-324", "1.7976931348623157e308", "0.1")
		return s, s
	}
	var bits uint64
	for range 8 {
		bits = bits<<8 | uint64(v.t.next())
	}
	f := math.Float64frombits(bits)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "NaN", "null"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	return "(" + s + ")", s
}

// odd makes what JSON.stringify treats in a way of its own.
func (v *valuer) odd() (expr, json string) {
	odds := [...][2]string{
		{"new Date(0)", `"1970-01-01T00:00:00.000Z"`}, {"new Date(NaN)", "null"},
		{"Object(1)", "1"}, {`Object("x")`, `"x"`}, {"Object(false)", "false"},
		{"new Map([[1, 2]])", "{}"}, {"/x/g", "{}"}, {"({toJSON() {return 5}})", "5"},
		{"({toJSON() {}})", ""}, {"[,]", "[null]"}, {"[undefined]", "[null]"}, {"({a: undefined})", "{}"},
		{"({get a() {return 1}})", `{"a":1}`}, {"Object.create({a: 1})", "{}"},
		{"Object.defineProperty({}, 'a', {value: 1})", "{}"}, {"({[Symbol()]: 1})", "{}"},
		{"new Uint8Array([1, 2])", `{"0":1,"1":2}`}, {"new Proxy({a: 1}, {})", `{"a":1}`},
		{"new Proxy([1], {})", "[1]"}, {"(function* () {})()", "{}"}, {"Object.assign([1], {x: 2})", "[1]"},
	}
	o := odds[v.t.pick(len(odds))]
	return o[0], o[1]
}

func (v *valuer) array(depth int) (expr, json string) {
	var e, j strings.Builder
	for i := range v.t.pick(6) {
		if i > 0 {
			e.WriteByte(',')
			j.WriteByte(',')
		}
		x, y := v.value(depth + 1)
		e.WriteString(x)
		if y == "" {
			y = "null"
		}
		j.WriteString(y)
	}
	return "[" + e.String() + "]", "[" + j.String() + "]"
}

func (v *valuer) object(depth int) (expr, json string) {
	var e, j strings.Builder
	seen := map[string]bool{}
	for range v.t.pick(6) {
		kx, kj := v.key()
		if seen[kj] || kj == `"toJSON"` {
			continue
		}
		seen[kj] = true
		x, y := v.value(depth + 1)
		if y == "" && kj == `"then"` {
			x = "undefined" // a callable one would make the value a promise
		}
		e.WriteString("[" + kx + "]:" + x + ",") // computed, or __proto__ would be no member
		if y == "" {
			continue
		}
		if j.Len() > 0 {
			j.WriteByte(',')
		}
		j.WriteString(kj + ":" + y)
	}
	return "({" + e.String() + "})", "{" + j.String() + "}"
}

func (v *valuer) key() (expr, json string) {
	if v.t.oddly(3) {
		return v.str()
	}
	k := v.t.one("a", "b", "c", "length", "0", "10", "__proto__", "then", "constructor", "toString", "message", "truncated", "ok", "value", "")
	return quote(k), quote(k)
}

// str makes strings of UTF-16 code units, surrogates alone and in pairs and
// U+0000 among them.
func (v *valuer) str() (expr, json string) {
	var units []uint16
	for range v.t.pick(10) {
		switch v.t.pick(8) {
		default:
			units = append(units, uint16(' '+v.t.pick(95)))
		case 3:
			units = append(units, uint16(v.t.next()))
		case 4:
			units = append(units, 0xd800+uint16(v.t.next()))
		case 5:
			units = append(units, 0xdc00+uint16(v.t.next()))
		case 6:
			units = append(units, uint16(v.t.next())<<8|uint16(v.t.next()))
		case 7:
			units = append(units, 0)
		}
	}
	var e strings.Builder
	e.WriteByte('"')
	for _, u := range units {
		if u >= ' ' && u < 0x7f && u != '"' && u != '\\' {
			e.WriteByte(byte(u))
		} else {
			e.WriteString(`\u` + strconv.FormatUint(0x10000+uint64(u), 16)[1:])
		}
	}
	e.WriteByte('"')
	return e.String(), quote(string(utf16.Decode(units)))
}
