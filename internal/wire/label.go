package wire

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Label names a host call in messages (SPEC section 7): namespace and function,
// but for connecta.call the string form of its first argument, the address that
// the program asked for. Args is a JSON array.
func Label(namespace, function string, args json.RawMessage) string {
	if namespace != "connecta" || function != "call" {
		return namespace + "." + function
	}
	var list []json.RawMessage
	if json.Unmarshal(args, &list) != nil || len(list) == 0 {
		return "undefined"
	}
	return stringForm(list[0], 16)
}

// stringForm is ECMA-262 ToString of a JSON value. Arrays deeper than depth are
// left empty: each level is read again, and the guest chooses how many there are.
func stringForm(raw json.RawMessage, depth int) string {
	raw = bytes.TrimSpace(raw)
	switch {
	case depth == 0:
		return ""
	case raw[0] == '{':
		return "[object Object]"
	case raw[0] == '"':
		var s string
		_ = json.Unmarshal(raw, &s)
		return s
	case raw[0] != '[':
		return string(raw) // null, booleans, and numbers as the engine wrote them
	}
	var list []json.RawMessage
	_ = json.Unmarshal(raw, &list)
	parts := make([]string, len(list))
	for i, item := range list {
		if string(item) != "null" {
			parts[i] = stringForm(item, depth-1)
		}
	}
	return strings.Join(parts, ",")
}
