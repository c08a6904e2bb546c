package conform_test

import (
	"os"
	"runtime/debug"
	"sync"
	"testing"
)

// peak follows the resident memory of the process.
type peak struct {
	t     *testing.T
	exact bool // the kernel keeps the high-water mark

	mu          sync.Mutex
	start, most int64
}

// watchMemory starts from here. Where the kernel lets the high-water mark be
// set back, nothing between two samples is missed.
func watchMemory(t *testing.T) *peak {
	debug.FreeOSMemory()
	p := &peak{t: t, start: resident(t)}
	p.exact = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
	p.sample()
	return p
}

func (p *peak) sample() {
	field := "VmRSS:"
	if p.exact {
		field = "VmHWM:"
	}
	now := statusField(p.t, field)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.most = max(p.most, now)
}

func (p *peak) result() (start, most int64) {
	p.sample()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start, p.most
}
