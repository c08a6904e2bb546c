package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Value is a JSON value: nil, bool, float64, string (WTF-8), []Value, Object,
// or Undefined where a generator asks for it.
type Value = any

// Undefined stands for no value at all.
type Undefined struct{}

// Object is a JSON object in the order of its members.
type Object []Member

// Member is one member of an Object.
type Member struct {
	Key   string
	Value Value
}

// Get returns the member's value and whether there is one.
func (o Object) Get(key string) (Value, bool) {
	for _, m := range o {
		if m.Key == key {
			return m.Value, true
		}
	}
	return nil, false
}

// Text returns the member if it is a string, else "".
func (o Object) Text(key string) string {
	v, _ := o.Get(key)
	s, _ := v.(string)
	return s
}

// Number returns the member if it is a number, else zero.
func (o Object) Number(key string) float64 {
	v, _ := o.Get(key)
	n, _ := v.(float64)
	return n
}

// set replaces a member where it stands, as JavaScript does, or appends it.
func (o Object) set(key string, v Value) Object {
	for i := range o {
		if o[i].Key == key {
			o[i].Value = v
			return o
		}
	}
	return append(o, Member{key, v})
}

// Units returns s as UTF-16, half pairs included.
func Units(s string) []uint16 {
	units := make([]uint16, 0, len(s))
	for i := 0; i < len(s); {
		if half, ok := halfPair(s[i:]); ok {
			units = append(units, half)
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		units = utf16.AppendRune(units, r)
		i += size
	}
	return units
}

// FromUnits is the inverse of Units.
func FromUnits(units []uint16) string {
	var b strings.Builder
	for i := 0; i < len(units); i++ {
		u := rune(units[i])
		if u >= 0xD800 && u < 0xDC00 && i+1 < len(units) {
			if r := utf16.DecodeRune(u, rune(units[i+1])); r != utf8.RuneError {
				b.WriteRune(r)
				i++
				continue
			}
		}
		if utf16.IsSurrogate(u) {
			b.Write([]byte{0xE0 | byte(u>>12), 0x80 | byte(u>>6&0x3F), 0x80 | byte(u&0x3F)})
			continue
		}
		b.WriteRune(u)
	}
	return b.String()
}

func halfPair(s string) (uint16, bool) {
	if len(s) < 3 || s[0] != 0xED || s[1] < 0xA0 || s[1] > 0xBF {
		return 0, false
	}
	return 0xD000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F), true
}

// Stringify returns v as JSON text, as JSON.stringify writes it. It is UTF-8:
// half a pair is an escape.
func Stringify(v Value) string {
	var b strings.Builder
	stringify(&b, v)
	return b.String()
}

func stringify(b *strings.Builder, v Value) {
	switch v := v.(type) {
	case nil, Undefined:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case float64:
		text, err := json.Marshal(v) // the same digits as JavaScript
		if err != nil {
			text = []byte("null")
		}
		b.Write(text)
	case string:
		quote(b, v)
	case []Value:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			stringify(b, item)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			quote(b, m.Key)
			b.WriteByte(':')
			stringify(b, m.Value)
		}
		b.WriteByte('}')
	default:
		fmt.Fprintf(b, "<%T>", v)
	}
}

func quote(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := 0; i < len(s); {
		if half, ok := halfPair(s[i:]); ok {
			fmt.Fprintf(b, `\u%04x`, half)
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if at := strings.IndexRune("\"\\\b\f\n\r\t", r); at >= 0 {
			b.WriteByte('\\')
			b.WriteByte(`"\bfnrt`[at])
			continue
		}
		if r < 0x20 {
			fmt.Fprintf(b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
}

// Parse reads JSON text.
func Parse(text string) (Value, error) {
	p := parser{text: text}
	v, err := p.value()
	if err != nil {
		return nil, fmt.Errorf("conform: byte %d: %w", p.at, err)
	}
	if p.space(); p.at != len(text) {
		return nil, fmt.Errorf("conform: byte %d: text after the value", p.at)
	}
	return v, nil
}

type parser struct {
	text string
	at   int
}

func (p *parser) space() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *parser) take(word string) bool {
	p.space()
	if !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *parser) value() (Value, error) {
	switch {
	case p.take("null"):
		return nil, nil
	case p.take("true"):
		return true, nil
	case p.take("false"):
		return false, nil
	case p.take(`"`):
		return p.str()
	case p.take("["):
		return p.array()
	case p.take("{"):
		return p.object()
	}
	start := p.at
	for p.at < len(p.text) && strings.IndexByte("+-.0123456789eE", p.text[p.at]) >= 0 {
		p.at++
	}
	n, err := strconv.ParseFloat(p.text[start:p.at], 64)
	if err != nil {
		return nil, errors.New("not a JSON value")
	}
	return n, nil
}

func (p *parser) array() (Value, error) {
	list := []Value{}
	if p.take("]") {
		return list, nil
	}
	for {
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if p.take("]") {
			return list, nil
		}
		if !p.take(",") {
			return nil, errors.New("expected , or ]")
		}
	}
}

func (p *parser) object() (Value, error) {
	o := Object{}
	if p.take("}") {
		return o, nil
	}
	for {
		if !p.take(`"`) {
			return nil, errors.New("expected a member name")
		}
		key, err := p.str()
		if err != nil {
			return nil, err
		}
		if !p.take(":") {
			return nil, errors.New("expected a colon")
		}
		v, err := p.value()
		if err != nil {
			return nil, err
		}
		o = o.set(key, v)
		if p.take("}") {
			return o, nil
		}
		if !p.take(",") {
			return nil, errors.New("expected , or }")
		}
	}
}

// str reads the rest of a string literal.
func (p *parser) str() (string, error) {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] != '"' && p.text[p.at] != '\\' {
		p.at++
	}
	if p.at < len(p.text) && p.text[p.at] == '"' {
		p.at++
		return p.text[start : p.at-1], nil
	}
	units := Units(p.text[start:p.at])
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case '"':
			p.at++
			return FromUnits(units), nil
		case '\\':
			if p.at+1 >= len(p.text) {
				return "", errors.New("unterminated escape")
			}
			e := p.text[p.at+1]
			p.at += 2
			if e == 'u' {
				if p.at+4 > len(p.text) {
					return "", errors.New("unterminated escape")
				}
				n, err := strconv.ParseUint(p.text[p.at:p.at+4], 16, 16)
				if err != nil {
					return "", errors.New("bad escape")
				}
				units = append(units, uint16(n))
				p.at += 4
				continue
			}
			at := strings.IndexByte(`"\/bfnrt`, e)
			if at < 0 {
				return "", errors.New("bad escape")
			}
			units = append(units, uint16("\"\\/\b\f\n\r\t"[at]))
		default:
			r, size := utf8.DecodeRuneInString(p.text[p.at:])
			units = utf16.AppendRune(units, r)
			p.at += size
		}
	}
	return "", errors.New("unterminated string")
}
