package conform

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// Tally counts verdicts of one category. It may be used by several goroutines.
type Tally struct {
	Category string

	mu     sync.Mutex
	counts [3]int
	failed []string
}

// Add counts one.
func (t *Tally) Add(id string, v Verdict) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[v.State]++
	if v.State == Failed {
		t.failed = append(t.failed, id)
	}
}

// Count returns how many were added.
func (t *Tally) Count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[Passed] + t.counts[Failed] + t.counts[Deviating]
}

// Print writes `category: N passed, N failed, N deviating` and, below, the ids
// that failed.
func (t *Tally) Print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	slices.Sort(t.failed)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d passed, %d failed, %d deviating\n", t.Category, t.counts[Passed], t.counts[Failed], t.counts[Deviating])
	for _, id := range t.failed {
		fmt.Fprintf(&b, "  failed: %s\n", id)
	}
	_, _ = io.WriteString(w, b.String())
}
