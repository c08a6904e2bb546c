package quickjs

import (
	"fmt"
	"math"
	"time"

	"modernc.org/libc"
	lib "modernc.org/libquickjs"
)

// The engine asks the emulated libc for the zone, which reads the environment
// of the whole process. A realm says UTC instead, by what its Date functions
// call: those that carry a "local" bit in their magic number lose it, the
// others are stood in for by the functions here, which compute the UTC answer
// and leave coercion, brand checks and object making to the engine's own
// functions. Every replacement is a static function; what it needs is found
// through its realm.

// dateFuncs are a realm's Date functions as the engine made them.
type dateFuncs struct {
	fixed bool    // the clock stands still, at:
	clock float64 // milliseconds since 1970

	construct uintptr // Date
	now       uintptr // Date.now
	utc       uintptr // Date.UTC
	getTime   uintptr // Date.prototype.getTime, for its brand check
	setField  uintptr // Date.prototype.setFullYear and others
	primitive uintptr // Date.prototype[Symbol.toPrimitive], for OrdinaryToPrimitive
}

const (
	dateLocal     = 0x0F  // bits of get_date_field and set_date_field that say "local"
	dateSetYear   = 0x010 // set_date_field: fields from 0 to 1, UTC
	dateToString  = 0x13  // get_date_string: format 1, date and time
	datePartDate  = 1
	datePartTime  = 2
	dateFmtString = 1
	dateFmtLocale = 3
)

// dateFuncsOf finds them for a realm.
func dateFuncsOf(tls *libc.TLS, ctx uintptr) *dateFuncs { return &contextOf(tls, ctx).date }

// patchDate makes Date say UTC in a realm that has run nothing yet. It fails,
// and then leaves things half done, when the engine is not laid out as this file
// expects: the realm must be given up.
func patchDate(tls *libc.TLS, ctx uintptr, f *dateFuncs) error {
	p := &patcher{tls: tls, ctx: ctx}
	global := lib.XJS_GetGlobalObject(tls, ctx)
	ctor := p.member(global, "Date")
	proto := p.member(ctor, "prototype")

	f.getTime = p.peek(proto, "getTime", lib.EJS_CFUNC_generic)
	f.setField = p.peek(proto, "setFullYear", lib.EJS_CFUNC_generic_magic)
	f.utc = p.peek(ctor, "UTC", lib.EJS_CFUNC_generic)
	f.primitive = p.primitive(proto)

	for _, name := range []string{
		"getYear", "getFullYear", "getMonth", "getDate", "getHours", "getMinutes", "getSeconds", "getMilliseconds", "getDay",
		"setMilliseconds", "setSeconds", "setMinutes", "setHours", "setDate", "setMonth", "setFullYear",
	} {
		p.function(proto, name, lib.EJS_CFUNC_generic_magic, func(c *cfunction) {
			if c.magic&dateLocal != 1 {
				p.fail(name, "is not local")
			}
			c.magic &^= dateLocal
		})
	}
	for _, name := range []string{"toString", "toDateString", "toTimeString", "toLocaleString", "toLocaleDateString", "toLocaleTimeString"} {
		p.function(proto, name, lib.EJS_CFUNC_generic_magic, func(c *cfunction) {
			if c.magic&0x10 == 0 {
				p.fail(name, "is not local")
			}
			c.call = engineFunc(dateText)
		})
	}
	p.replace(proto, "getTimezoneOffset", lib.EJS_CFUNC_generic, engineFunc(dateOffset))
	p.replace(proto, "setYear", lib.EJS_CFUNC_generic, engineFunc(dateSetYearUTC))
	p.replace(ctor, "parse", lib.EJS_CFUNC_generic, engineFunc(dateParse))
	f.now = p.replace(ctor, "now", lib.EJS_CFUNC_generic, engineFunc(dateNow))
	f.construct = p.replace(global, "Date", lib.EJS_CFUNC_constructor_or_func, engineFunc(dateConstruct))
	for _, v := range []jsValue{proto, ctor, global} {
		lib.XFreeValue(tls, ctx, v)
	}
	return p.err
}

func numberOf(v jsValue) float64 {
	if tag(v) == lib.EJS_TAG_INT {
		return float64(intOf(v))
	}
	return floatOf(v)
}

// textValue gives a string.
func textValue(tls *libc.TLS, ctx uintptr, s string) jsValue {
	n := len(s)
	p := tls.Alloc(n)
	copy(memory(p, uintptr(n)), s)
	v := lib.XJS_NewStringLen(tls, ctx, p, lib.Tsize_t(n))
	tls.Free(n)
	return v
}

// timeNow is the time of Date.now and of new Date().
func (f *dateFuncs) timeNow(tls *libc.TLS, ctx uintptr, argv uintptr) float64 {
	if f.fixed {
		return timeClip(f.clock)
	}
	return numberOf(callGeneric(f.now, tls, ctx, jsUndefined, 0, argv))
}

func timeClip(ms float64) float64 {
	if !(math.Abs(ms) <= 8.64e15) {
		return math.NaN()
	}
	return math.Trunc(ms) + 0
}

// dateNow is Date.now (js_Date_now).
func dateNow(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	return jsNumber(dateFuncsOf(tls, ctx).timeNow(tls, ctx, argv))
}

// dateConstruct is Date, called or constructed (js_date_constructor; ECMA-262
// Date).
func dateConstruct(tls *libc.TLS, ctx uintptr, newTarget jsValue, argc int32, argv uintptr) jsValue {
	f := dateFuncsOf(tls, ctx)
	switch {
	case tag(newTarget) == lib.EJS_TAG_UNDEFINED:
		return textValue(tls, ctx, formatDate(f.timeNow(tls, ctx, argv), dateToString))
	case argc == 0:
		return callWith(f.construct, tls, ctx, newTarget, jsNumber(f.timeNow(tls, ctx, argv)))
	case argc > 1:
		ms := callGeneric(f.utc, tls, ctx, jsUndefined, argc, argv)
		if isException(ms) {
			return ms
		}
		return callWith(f.construct, tls, ctx, newTarget, ms)
	}
	arg := loadValue(argv)
	if isObject(arg) && classOf(arg) == lib.EJS_CLASS_DATE {
		return callGeneric(f.construct, tls, ctx, newTarget, 1, argv)
	}
	v := f.toPrimitive(tls, ctx, arg)
	switch tag(v) {
	case lib.EJS_TAG_EXCEPTION:
		return v
	case lib.EJS_TAG_STRING, lib.EJS_TAG_STRING_ROPE:
		text := lib.XJS_ToString(tls, ctx, v) // flat
		lib.XFreeValue(tls, ctx, v)
		if isException(text) {
			return text
		}
		v = jsNumber(parseDate(dateUnits(text)))
		lib.XFreeValue(tls, ctx, text)
	}
	date := callWith(f.construct, tls, ctx, newTarget, v)
	lib.XFreeValue(tls, ctx, v)
	return date
}

// toPrimitive is ECMA-262 ToPrimitive without a preferred type; it gives a
// reference (JS_ToPrimitive).
func (f *dateFuncs) toPrimitive(tls *libc.TLS, ctx uintptr, v jsValue) jsValue {
	if !isObject(v) {
		return lib.XDupValue(tls, ctx, v)
	}
	method := lib.XJS_GetPropertyInternal(tls, ctx, v, lib.EJS_ATOM_Symbol_toPrimitive, v, 0)
	switch tag(method) {
	case lib.EJS_TAG_EXCEPTION:
		return method
	case lib.EJS_TAG_UNDEFINED, lib.EJS_TAG_NULL:
		hint := lib.XJS_AtomToString(tls, ctx, lib.EJS_ATOM_number)
		r := callWith(f.primitive, tls, ctx, v, hint)
		lib.XFreeValue(tls, ctx, hint)
		return r
	}
	hint := lib.XJS_AtomToString(tls, ctx, lib.EJS_ATOM_default)
	argv := tls.Alloc(int(sizeofValue))
	storeValue(argv, hint)
	r := lib.XJS_Call(tls, ctx, method, v, 1, argv)
	tls.Free(int(sizeofValue))
	lib.XFreeValue(tls, ctx, hint)
	lib.XFreeValue(tls, ctx, method)
	if isObject(r) {
		lib.XFreeValue(tls, ctx, r)
		return throwTypeError(tls, ctx, "toPrimitive")
	}
	return r
}

// dateParse is Date.parse (js_Date_parse).
func dateParse(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	v := lib.XJS_ToString(tls, ctx, loadValue(argv))
	if isException(v) {
		return v
	}
	ms := parseDate(dateUnits(v))
	lib.XFreeValue(tls, ctx, v)
	return jsNumber(ms)
}

// dateUnits is the start of a flat string as the engine makes it ready for
// parsing: a byte for each unit, up to the first U+0000.
func dateUnits(v jsValue) string {
	text, units, wide := stringParts(v)
	out := make([]byte, 0, dateTextMax)
	for i := range uintptr(min(units, dateTextMax)) {
		var c uint16
		if wide {
			c = *(*uint16)(address(text + 2*i))
		} else {
			c = uint16(*(*byte)(address(text + i)))
		}
		switch {
		case c == 0x2212: // minus sign
			c = '-'
		case c > 255:
			c = 'x'
		case c == 0:
			return string(out)
		}
		out = append(out, byte(c))
	}
	return string(out)
}

// dateText is Date.prototype.toString and its kin (get_date_string).
func dateText(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr, magic int32) jsValue {
	v := callGeneric(dateFuncsOf(tls, ctx).getTime, tls, ctx, this, 0, argv)
	if isException(v) {
		return v
	}
	return textValue(tls, ctx, formatDate(numberOf(v), magic))
}

// formatDate is the text of a time in UTC, as get_date_string writes it.
func formatDate(ms float64, magic int32) string {
	if math.IsNaN(ms) {
		return "Invalid Date"
	}
	t := time.UnixMilli(int64(ms)).UTC()
	y, mon, d := t.Date()
	h, m, s := t.Clock()
	width := 4
	if y < 0 {
		width++
	}
	var out string
	part := magic & dateLocal
	locale := magic>>4&0x0F == dateFmtLocale
	if part&datePartDate != 0 {
		if locale {
			out = fmt.Sprintf("%02d/%02d/%0*d", mon, d, width, y)
		} else {
			out = fmt.Sprintf("%s %s %02d %0*d", t.Weekday().String()[:3], mon.String()[:3], d, width, y)
		}
		switch {
		case part&datePartTime == 0:
		case locale:
			out += ", "
		default:
			out += " "
		}
	}
	if part&datePartTime != 0 {
		if locale {
			half := "AM"
			if h >= 12 {
				half = "PM"
			}
			out += fmt.Sprintf("%02d:%02d:%02d %s", (h+11)%12+1, m, s, half)
		} else {
			out += fmt.Sprintf("%02d:%02d:%02d GMT+0000", h, m, s)
		}
	}
	return out
}

// dateOffset is Date.prototype.getTimezoneOffset.
func dateOffset(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	v := callGeneric(dateFuncsOf(tls, ctx).getTime, tls, ctx, this, 0, argv)
	if isException(v) || math.IsNaN(numberOf(v)) {
		return v
	}
	return jsInt(0)
}

// dateSetYearUTC is Date.prototype.setYear (js_date_setYear).
func dateSetYearUTC(tls *libc.TLS, ctx uintptr, this jsValue, argc int32, argv uintptr) jsValue {
	f := dateFuncsOf(tls, ctx)
	if v := callGeneric(f.getTime, tls, ctx, this, 0, argv); isException(v) {
		return v
	}
	size := 8 + int(sizeofValue)
	p := tls.Alloc(size)
	v := jsException
	if lib.XJS_ToFloat64(tls, ctx, p+sizeofValue, loadValue(argv)) == 0 {
		y := *(*float64)(address(p + sizeofValue))
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			y = math.Trunc(y)
			if y >= 0 && y < 100 {
				y += 1900
			}
		}
		storeValue(p, jsNumber(y))
		v = callMagic(f.setField, tls, ctx, this, 1, p, dateSetYear)
	}
	tls.Free(size)
	return v
}
