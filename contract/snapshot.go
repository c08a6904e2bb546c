package contract

import (
	"encoding/json"
	"log/slog"
	"time"
)

// Snapshot is a copy of an executor's admission counters (SPEC section 3.7). It
// carries no payload of any request. It logs as a group, and its String is JSON,
// which is what expvar asks of a variable.
type Snapshot struct {
	Concurrency  int
	MaxQueueSize int
	QueueTimeout time.Duration
	RetryAfter   time.Duration

	Active int  // leases that live
	Queued int  // callers that wait
	Closed bool // whether new callers are refused

	Totals    Totals
	QueueWait QueueWait

	// Notes are what the executor has to say about its isolation, one sentence
	// each: a step of hardening that this system does not grant, say. Most have
	// none.
	Notes []string
}

// Totals count what became of every caller since the start. Queued callers are
// counted again under what became of them.
type Totals struct {
	Admitted  uint64 `json:"admitted"`
	Queued    uint64 `json:"queued"`
	Rejected  uint64 `json:"rejected"`
	Cancelled uint64 `json:"cancelled"`
	Closed    uint64 `json:"closed"`
}

// QueueWait sums the waits of callers that were handed a slot. Callers that
// found a slot free are not in it.
type QueueWait struct {
	Count      uint64
	Total, Max time.Duration
}

// MarshalJSON writes the members that SPEC section 3.7 names, times in
// milliseconds.
func (s Snapshot) MarshalJSON() ([]byte, error) {
	type wait struct {
		Count uint64  `json:"count"`
		Total float64 `json:"total"`
		Max   float64 `json:"max"`
	}
	return json.Marshal(struct {
		Concurrency    int      `json:"concurrency"`
		MaxQueueSize   int      `json:"maxQueueSize"`
		QueueTimeoutMs float64  `json:"queueTimeoutMs"`
		RetryAfterMs   float64  `json:"retryAfterMs"`
		Active         int      `json:"active"`
		Queued         int      `json:"queued"`
		Closed         bool     `json:"closed"`
		Totals         Totals   `json:"totals"`
		QueueWaitMs    wait     `json:"queueWaitMs"`
		Notes          []string `json:"notes,omitempty"`
	}{
		s.Concurrency, s.MaxQueueSize, toMs(s.QueueTimeout), toMs(s.RetryAfter),
		s.Active, s.Queued, s.Closed, s.Totals,
		wait{s.QueueWait.Count, toMs(s.QueueWait.Total), toMs(s.QueueWait.Max)}, s.Notes,
	})
}

// String returns the snapshot as JSON, so that it is an expvar.Var.
func (s Snapshot) String() string {
	text, _ := s.MarshalJSON() // numbers, booleans and texts have no way to fail
	return string(text)
}

// LogValue implements slog.LogValuer.
func (s Snapshot) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("concurrency", s.Concurrency),
		slog.Int("active", s.Active),
		slog.Int("queued", s.Queued),
		slog.Bool("closed", s.Closed),
		slog.Group("totals",
			slog.Uint64("admitted", s.Totals.Admitted),
			slog.Uint64("queued", s.Totals.Queued),
			slog.Uint64("rejected", s.Totals.Rejected),
			slog.Uint64("cancelled", s.Totals.Cancelled),
			slog.Uint64("closed", s.Totals.Closed)),
		slog.Group("queueWait",
			slog.Uint64("count", s.QueueWait.Count),
			slog.Duration("total", s.QueueWait.Total),
			slog.Duration("max", s.QueueWait.Max)),
	)
}
