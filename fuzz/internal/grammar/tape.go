package grammar

import "fmt"

// tape is a reader of choices. Past its end it answers zero.
type tape struct {
	data []byte
	pos  int
}

func (t *tape) ended() bool { return t.pos >= len(t.data) }

func (t *tape) next() byte {
	if t.ended() {
		return 0
	}
	b := t.data[t.pos]
	t.pos++
	return b
}

// pick answers a number from 0 to n-1.
func (t *tape) pick(n int) int {
	switch {
	case n <= 1:
		return 0
	case n <= 256:
		return int(t.next()) % n
	}
	return (int(t.next())<<8 | int(t.next())) % n
}

// one answers one of the texts.
func (t *tape) one(of ...string) string { return of[t.pick(len(of))] }

// oddly reports true for one byte in n, never past the end.
func (t *tape) oddly(n int) bool { return t.pick(n) == n-1 && n > 1 }

func name(prefix string, n int) string { return fmt.Sprintf("%s%d", prefix, n) }
