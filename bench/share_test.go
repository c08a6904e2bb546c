package bench_test

import (
	"sync"
	"sync/atomic"
	"testing"
)

// share has so many goroutines call f, b.N times in all; each is told its
// number. B.Loop is for one goroutine and RunParallel has its own idea of how
// many there should be.
func share(b *testing.B, goroutines int, f func(i int) error) {
	b.Helper()
	var begun atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for i := range goroutines {
		group.Go(func() {
			for begun.Add(1) <= int64(b.N) {
				if err := f(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}
