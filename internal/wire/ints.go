package wire

import "strconv"

// appendInts appends list as a JSON array.
func appendInts(dst []byte, list []int64) []byte {
	for i, n := range list {
		sep := byte(',')
		if i == 0 {
			sep = '['
		}
		dst = strconv.AppendInt(append(dst, sep), n, 10)
	}
	return append(dst, ']')
}

// cutInts reads a JSON array of exactly len(into) whole numbers, without blanks,
// from the beginning of s.
func cutInts(s string, into []int64) (rest string, ok bool) {
	for i := range into {
		sep := byte(',')
		if i == 0 {
			sep = '['
		}
		if s == "" || s[0] != sep {
			return s, false
		}
		end := 1
		for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '-') {
			end++
		}
		n, err := strconv.ParseInt(s[1:end], 10, 64)
		if err != nil {
			return s, false
		}
		into[i], s = n, s[end:]
	}
	if s == "" || s[0] != ']' {
		return s, false
	}
	return s[1:], true
}
