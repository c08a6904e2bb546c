package conform_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/conform"
)

func answerAdmission(t *testing.T, v conform.Vector) (got conform.Value, err error) {
	synctest.Test(t, func(t *testing.T) {
		got, err = playAdmission(t, v.Input)
	})
	return got, err
}

func playAdmission(t *testing.T, input conform.Object) (conform.Value, error) {
	raw, _ := input.Get("controller")
	config, _ := raw.(conform.Object)
	options, inexpressible := admissionOptions(config)
	if inexpressible != "" {
		return conform.Object{{Key: "inexpressible", Value: inexpressible}}, nil
	}
	controller, err := admission.New(options)
	if err != nil {
		return refusedOptions(err), nil
	}
	s := &script{t: t, controller: controller, leases: map[string]*admission.Lease{}, signals: map[string]*signal{}}
	defer s.end()
	snapshot := controller.Snapshot()
	effective := conform.Object{
		{Key: "concurrency", Value: float64(snapshot.Concurrency)},
		{Key: "maxQueueSize", Value: float64(snapshot.MaxQueueSize)},
		{Key: "queueTimeoutMs", Value: millis(snapshot.QueueTimeout)},
		{Key: "retryAfterMs", Value: millis(snapshot.RetryAfter)},
	}
	steps := []conform.Value{}
	rawSteps, _ := input.Get("steps")
	list, _ := rawSteps.([]conform.Value)
	for _, item := range list {
		step, _ := item.(conform.Object)
		if err := s.play(step); err != nil {
			return nil, err
		}
		synctest.Wait()
		steps = append(steps, conform.Object{
			{Key: "events", Value: s.delivered()},
			{Key: "snapshot", Value: counts(controller.Snapshot())},
		})
	}
	return conform.Object{{Key: "effective", Value: effective}, {Key: "steps", Value: steps}}, nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// admissionOptions translates a configuration. What Go's types cannot hold, or
// what its zero values stand for, cannot be said.
func admissionOptions(config conform.Object) (o admission.Options, inexpressible string) {
	duration := func(name string) time.Duration {
		return time.Duration(config.Number(name) * float64(time.Millisecond))
	}
	for _, name := range []string{"concurrency", "maxQueueSize"} {
		if n := config.Number(name); n != math.Trunc(n) {
			return o, name + " is an int in Go"
		}
	}
	for _, name := range []string{"queueTimeoutMs", "retryAfterMs", "maxDurationMs"} {
		if n := config.Number(name); n != math.Trunc(n) {
			return o, name + " is a duration in Go, which may be a part of a millisecond"
		}
	}
	o = admission.Options{
		Concurrency:  int(config.Number("concurrency")),
		MaxQueueSize: int(config.Number("maxQueueSize")),
		QueueTimeout: duration("queueTimeoutMs"),
		RetryAfter:   duration("retryAfterMs"),
		MaxDuration:  duration("maxDurationMs"),
	}
	if _, given := config.Get("retryAfterMs"); given && o.RetryAfter == 0 {
		o.RetryAfter = admission.RetryAtOnce
	}
	if _, given := config.Get("maxDurationMs"); given && o.MaxDuration == 0 {
		return o, "a maxDurationMs of zero is the default in Go: no limit"
	}
	return o, ""
}

// refusedOptions puts an error of the constructor in the vectors' words: the
// same text with the fields' names there, and TypeError for ErrInvalid.
func refusedOptions(err error) conform.Value {
	text := strings.TrimPrefix(err.Error(), contract.ErrInvalid.Error()+": ")
	text = strings.NewReplacer(
		"Concurrency", "concurrency", "MaxQueueSize", "maxQueueSize", "QueueTimeout", "queueTimeoutMs",
		"RetryAfter", "retryAfterMs", "MaxDuration", "maxDurationMs",
	).Replace(text)
	kind := "Error"
	if errors.Is(err, contract.ErrInvalid) {
		kind = "TypeError"
	}
	return conform.Object{{Key: "constructorError", Value: conform.Object{
		{Key: "name", Value: kind}, {Key: "message", Value: text},
	}}}
}

func counts(s contract.Snapshot) conform.Value {
	number := func(n uint64) conform.Value { return float64(n) }
	return conform.Object{
		{Key: "active", Value: float64(s.Active)},
		{Key: "queued", Value: float64(s.Queued)},
		{Key: "closed", Value: s.Closed},
		{Key: "totals", Value: conform.Object{
			{Key: "admitted", Value: number(s.Totals.Admitted)},
			{Key: "queued", Value: number(s.Totals.Queued)},
			{Key: "rejected", Value: number(s.Totals.Rejected)},
			{Key: "cancelled", Value: number(s.Totals.Cancelled)},
			{Key: "closed", Value: number(s.Totals.Closed)},
		}},
		{Key: "queueWaitMs", Value: conform.Object{
			{Key: "count", Value: number(s.QueueWait.Count)},
			{Key: "total", Value: millis(s.QueueWait.Total)},
			{Key: "max", Value: millis(s.QueueWait.Max)},
		}},
	}
}

// script plays the steps of a vector on the bubble's clock.
type script struct {
	t          *testing.T
	controller *admission.Controller
	signals    map[string]*signal
	acquired   int

	mu     sync.Mutex
	leases map[string]*admission.Lease
	events []event
}

type signal struct {
	ctx   context.Context
	abort context.CancelFunc
}

type event struct {
	at    time.Time
	order int
	value conform.Value
}

func (s *script) signal(name string) *signal {
	if s.signals[name] == nil {
		ctx, abort := context.WithCancel(context.Background())
		s.signals[name] = &signal{ctx, abort}
	}
	return s.signals[name]
}

func (s *script) play(step conform.Object) error {
	id := step.Text("id")
	switch op := step.Text("op"); op {
	case "acquire":
		ctx := context.Background()
		if name := step.Text("signal"); name != "" {
			ctx = s.signal(name).ctx
		}
		wait, given := step.Get("wait")
		s.acquired++
		order := s.acquired
		go func() {
			lease, err := s.controller.Acquire(ctx, contract.AcquireOptions{NoWait: given && wait == false})
			s.settled(id, order, lease, err)
		}()
	case "release":
		s.mu.Lock()
		lease := s.leases[id]
		s.mu.Unlock()
		if lease == nil {
			return fmt.Errorf("release of %s, which has no lease", id)
		}
		lease.Release()
	case "abort":
		s.signal(step.Text("signal")).abort()
	case "close":
		s.controller.Close()
	case "advance":
		time.Sleep(time.Duration(step.Number("ms") * float64(time.Millisecond)))
	default:
		return fmt.Errorf("unknown step %q", op)
	}
	return nil
}

func (s *script) settled(id string, order int, lease *admission.Lease, err error) {
	value := conform.Object{{Key: "id", Value: id}, {Key: "admitted", Value: err == nil}}
	if err == nil {
		value = append(value, conform.Member{Key: "waitMs", Value: millis(lease.Waited())})
	} else {
		value = append(value, conform.Member{Key: "error", Value: refusal(err)})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leases[id] = lease
	s.events = append(s.events, event{time.Now(), order, value})
}

// refusal is an error in the vectors' words.
func refusal(err error) conform.Value {
	var refused *contract.RefusedError
	if !errors.As(err, &refused) {
		return conform.Object{{Key: "message", Value: err.Error()}}
	}
	kind := "ExecutorAdmissionError"
	if refused.Started {
		kind = "ExecutorExecutionError"
	}
	o := conform.Object{
		{Key: "name", Value: kind},
		{Key: "code", Value: refused.Code},
		{Key: "retryable", Value: refused.Retryable},
		{Key: "message", Value: refused.Message},
	}
	if refused.Code == contract.CodeOverloaded {
		o = append(o, conform.Member{Key: "retryAfterMs", Value: millis(refused.RetryAfter)})
	}
	return o
}

// delivered takes the events since the last step. Several of one instant reach
// their goroutines in any order; the queue settles in order of arrival.
func (s *script) delivered() []conform.Value {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortFunc(s.events, func(a, b event) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.order, b.order))
	})
	values := []conform.Value{}
	for _, e := range s.events {
		values = append(values, e.value)
	}
	s.events = nil
	return values
}

// end lets every goroutine of the bubble go.
func (s *script) end() {
	s.controller.Close()
	for _, signal := range s.signals {
		signal.abort()
	}
	synctest.Wait()
}
