package bench_test

import (
	"encoding/json"
	"testing"

	"github.com/guestjs/guestjs/bench"
	"github.com/guestjs/guestjs/result"
)

// The presentation guard on values from just over its cap to 10 MB.
func BenchmarkGuard(b *testing.B) {
	for _, size := range []bench.Size{{Name: "24KB", Rows: 115}, {Name: "256KB", Rows: 1160}, {Name: "1MB", Rows: 4700}, {Name: "10MB", Rows: 47_000}} {
		b.Run("size="+size.Name, func(b *testing.B) {
			value := bench.Rows(size.Rows)
			var guard result.Guard
			shown, truncated, err := guard.Apply(value)
			if err != nil || !truncated || !json.Valid(shown) || result.Units(string(shown)) > result.DefaultMaxUnits {
				b.Fatalf("%d bytes shown, truncated %v, error %v", len(shown), truncated, err)
			}
			b.SetBytes(int64(len(value)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := guard.Apply(value); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
