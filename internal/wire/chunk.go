package wire

import "unicode/utf8"

// Split cuts text into pieces of ChunkUnits UTF-16 units and a last one of 1 to
// ChunkUnits, and calls send with each, in order. The text of n units gives
// ceil(n/ChunkUnits) pieces. A cut that would fall inside a surrogate pair falls
// one unit earlier, since half a pair has no UTF-8 form; joining the pieces
// gives the text whatever the cuts. It stops at the first error.
func Split(text []byte, send func(piece string, last bool) error) error {
	for {
		n := pieceLen(text, ChunkUnits)
		last := n == len(text)
		if err := send(string(text[:n]), last); err != nil || last {
			return err
		}
		text = text[n:]
	}
}

// pieceLen is the length in bytes of the longest prefix of at most max units.
func pieceLen(text []byte, max int) int {
	if len(text) <= max {
		return len(text) // no fewer bytes than units
	}
	i := 0
	for units := 0; i < len(text); {
		size, width := 1, 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			if r, size = utf8.DecodeRune(text[i:]); r > 0xFFFF {
				width = 2
			}
		}
		if units += width; units > max {
			return i
		}
		i += size
	}
	return i
}
