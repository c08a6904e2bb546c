package contract

import (
	"go/token"
	"reflect"
	"strings"
)

const maxName = 40

// Name returns what to call e in logs and messages, or "" when there is nothing
// to call it: the name it declares as a [Namer] unless that is blank, else the
// name of its Go type if that is exported; sanitised either way. (SPEC section
// 4. An unexported type is what an object literal is there: its name says
// nothing outside its package.)
func Name(e Executor) string {
	if isNil(e) {
		return ""
	}
	if n, ok := e.(Namer); ok {
		if name := n.Name(); strings.TrimSpace(name) != "" {
			return SanitizeName(name)
		}
	}
	t := reflect.TypeOf(e)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[") // Pool[int] is a Pool
	if !token.IsExported(name) {
		return ""
	}
	return SanitizeName(name)
}

// SanitizeName returns name with each run of characters other than ASCII
// letters, digits, _, space, ., + and - made one space, white space collapsed
// and trimmed, and the whole cut to 40 characters. It may leave nothing. A name
// that came out of it comes out of it unchanged. (SPEC section 4.)
func SanitizeName(name string) string {
	var b strings.Builder
	gap := false
	for i := 0; i < len(name) && b.Len() < maxName; i++ {
		c := name[i]
		if !plain(c) {
			gap = b.Len() > 0 // the space waits for a character to follow it
			continue
		}
		if gap {
			if b.Len() == maxName-1 {
				break // it would be the last character, and be trimmed
			}
			b.WriteByte(' ')
			gap = false
		}
		b.WriteByte(c)
	}
	return b.String()
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '.' || c == '+' || c == '-'
}
