package child

import (
	"fmt"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// fixed makes the Err of a failure without a record.
func fixed(text string) error {
	if r := []rune(text); len(r) > 2000 { // at most 4,000 units, whatever they are
		text = string(r[:2000])
	}
	return &wire.TextError{Text: text}
}

// fail answers the job with a fixed failure.
func (j *job) fail(text string) error {
	out := contract.Outcome{Err: fixed(text)}
	return j.result(out, wire.NewReport(out))
}

// result sends a report and a result. One that is too large is replaced by a
// fixed failure.
func (j *job) result(out contract.Outcome, report wire.Report) error {
	const label = "QuickJS execution result"
	text, err := wire.AppendResult(nil, out)
	if err == nil {
		err = wire.Within(label, len(text), wire.MaxResult)
	}
	extra, reportErr := report.Encode()
	if err == nil && reportErr == nil && len(text)+len(extra) > wire.MaxResult {
		reportErr = wire.Within("QuickJS execution report", len(text)+len(extra), wire.MaxResult)
	}
	if err == nil {
		err = reportErr
	}
	if err != nil {
		out = contract.Outcome{Err: fixed(fmt.Sprintf(
			"QuickJS execution result exceeded the %d-byte aggregate transport limit: %s", wire.MaxResult, err))}
		small := wire.NewReport(out)
		small.Usage, small.ProcessCPU, small.Rest.Recycle = report.Usage, report.ProcessCPU, true
		text, _ = wire.AppendResult(nil, out) // text and numbers always have a JSON form
		extra, _ = small.Encode()
	}
	if len(extra) <= wire.ChunkUnits && len(text) <= wire.ChunkUnits { // nearly always: one write
		return j.send(wire.Message{Type: wire.TypeReport, Job: j.id, Body: string(extra)}, label,
			wire.Message{Type: wire.TypeResult, Job: j.id, Body: string(text)})
	}
	pieces := func(first, last wire.Type) func(string, bool) error {
		return func(piece string, end bool) error {
			typ := first
			if end {
				typ = last
			}
			return j.send(wire.Message{Type: typ, Job: j.id, Body: piece}, label)
		}
	}
	if err := wire.Split(extra, pieces(wire.TypeReport, wire.TypeReport)); err != nil {
		return err
	}
	return wire.Split(text, pieces(wire.TypeResultChunk, wire.TypeResult))
}
