package bridge_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// What encoding/json cannot do: strings as UTF-16 units, a lone surrogate
// included.

func writeUnits(b *strings.Builder, quoted string) error {
	b.WriteByte('"')
	in := strings.TrimSuffix(strings.TrimPrefix(quoted, `"`), `"`)
	for in != "" {
		if in[0] != '\\' {
			r := []rune(in)[0]
			for _, u := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(b, "%04x", u)
			}
			in = in[len(string(r)):]
			continue
		}
		if in[1] == 'u' {
			u, err := strconv.ParseUint(in[2:6], 16, 16)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "%04x", u)
			in = in[6:]
			continue
		}
		i := strings.IndexByte(`"\/bfnrt`, in[1])
		if i < 0 {
			return fmt.Errorf("bad escape in %q", quoted)
		}
		fmt.Fprintf(b, "%04x", "\"\\/\b\f\n\r\t"[i])
		in = in[2:]
	}
	b.WriteByte('"')
	return nil
}

// splitMembers takes an object's text apart into names and values.
func splitMembers(text string) (members [][2]string) {
	depth, start, colon, quoted := 0, 1, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == ':' && depth == 1 && colon == 0:
			colon = i
		case (c == ',' || c == '}') && depth == 1:
			if colon > 0 {
				members = append(members, [2]string{text[start:colon], text[colon+1 : i]})
			}
			start, colon = i+1, 0
			if c == '}' {
				depth--
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return members
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}
