package executor

import (
	"strings"
	"sync"
)

// tailBytes is how much of a child's stderr is kept.
const tailBytes = 8 << 10

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func newTail() *tail { return &tail{} }

// Write implements io.Writer; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n >= tailBytes {
		t.buf = append(t.buf[:0], p[n-tailBytes:]...)
		return n, nil
	}
	if over := len(t.buf) + n - tailBytes; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// text is what is kept, as UTF-8.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.buf), "\uFFFD")
}
