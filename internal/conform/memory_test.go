package conform_test

import (
	"fmt"
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
	during      string // what ran when it was most
	samples     []sample
}

type sample struct {
	name  string
	bytes int64
}

// watchMemory starts from here. Where the kernel lets the high-water mark be
// set back, nothing between two samples is missed.
func watchMemory(t *testing.T) *peak {
	debug.FreeOSMemory()
	p := &peak{t: t, start: resident(t)}
	p.exact = lowerMark()
	p.sample("")
	return p
}

func lowerMark() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// sample looks at what the process held since the last one, while name ran.
func (p *peak) sample(name string) {
	field := "VmRSS:"
	if p.exact {
		field = "VmHWM:"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := statusField(p.t, field)
	if now > p.most {
		p.most, p.during = now, name
	}
	p.samples = append(p.samples, sample{name, now})
	if p.exact {
		lowerMark()
	}
}

// above lists what ran when the process held more than bytes.
func (p *peak) above(bytes int64) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for _, s := range p.samples {
		if s.bytes > bytes {
			names = append(names, fmt.Sprintf("%s (%d MiB)", s.name, s.bytes>>20))
		}
	}
	return names
}

// result returns the resident memory at the start and at most, and what ran
// then.
func (p *peak) result() (start, most int64, during string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.start, p.most, p.during
}
