package wire_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// BenchmarkRoundTrip is what encoding and decoding cost one trivial run, both
// sides together.
func BenchmarkRoundTrip(b *testing.B) {
	p := contract.Program{Source: "1 + 1"}
	limits := contract.DefaultLimits()
	out := contract.Outcome{Value: json.RawMessage("2"), Usage: contract.Usage{CPU: 12345, Wall: 23456, Memory: 262144}}
	b.Run("message=run", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			body, err := wire.EncodeRun(wire.NewRun(p, limits), "run")
			require.NoError(b, err)
			frame, err := wire.AppendFrame(nil, wire.Message{Type: wire.TypeRun, Job: 1, Body: string(body)}, "run")
			require.NoError(b, err)
			m, err := wire.Decode(frame[4:])
			require.NoError(b, err)
			run, err := wire.DecodeRun(m.Body)
			require.NoError(b, err)
			run.Program(nil)
		}
	})
	b.Run("message=result", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			text, err := wire.AppendResult(nil, out)
			require.NoError(b, err)
			report := wire.NewReport(out)
			report.ProcessCPU = time.Second
			extra, err := report.Encode()
			require.NoError(b, err)
			frames, err := wire.AppendFrame(nil, wire.Message{Type: wire.TypeReport, Job: 1, Body: string(extra)}, "")
			require.NoError(b, err)
			first, err := wire.Decode(frames[4:])
			require.NoError(b, err)
			frames, err = wire.AppendFrame(nil, wire.Message{Type: wire.TypeResult, Job: 1, Body: string(text)}, "")
			require.NoError(b, err)
			second, err := wire.Decode(frames[4:])
			require.NoError(b, err)
			got, err := wire.DecodeReport([]byte(first.Body))
			require.NoError(b, err)
			_, err = wire.DecodeResult([]byte(second.Body), got)
			require.NoError(b, err)
		}
	})
}
