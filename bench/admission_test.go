package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

// Admission under contention: callers that take one of two slots and give it
// back at once, against a buffered channel, which has no order, no deadline and
// no counters. One operation is one lease.
func BenchmarkAdmission(b *testing.B) {
	const slots = 2
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("gate=controller/callers=%d", callers), func(b *testing.B) {
			c, err := admission.New(admission.Options{Concurrency: slots, MaxQueueSize: callers, QueueTimeout: time.Minute})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			share(b, callers, func(int) error {
				lease, err := c.Acquire(context.Background(), contract.AcquireOptions{})
				if err != nil {
					return err
				}
				lease.Release()
				return nil
			})
			if s := c.Snapshot(); s.Totals.Admitted != uint64(b.N) || s.Active != 0 || s.Queued != 0 {
				b.Fatalf("%d admitted of %d, %d active, %d queued", s.Totals.Admitted, b.N, s.Active, s.Queued)
			}
			c.Close()
		})
		b.Run(fmt.Sprintf("gate=channel/callers=%d", callers), func(b *testing.B) {
			free := make(chan struct{}, slots)
			b.ReportAllocs()
			share(b, callers, func(int) error {
				free <- struct{}{}
				<-free
				return nil
			})
		})
	}
}
