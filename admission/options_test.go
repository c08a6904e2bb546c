package admission_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
)

func TestNewRefusesTheFirstBadField(t *testing.T) {
	good := admission.Options{Concurrency: 1, MaxQueueSize: 1, QueueTimeout: time.Second}
	const day = 24 * time.Hour
	tests := []struct {
		name   string
		change func(*admission.Options)
		want   string
	}{
		{"zero concurrency", func(o *admission.Options) { o.Concurrency = 0 }, "Concurrency must be a positive whole number."},
		{"negative concurrency", func(o *admission.Options) { o.Concurrency = -1 }, "Concurrency must be a positive whole number."},
		{"negative queue", func(o *admission.Options) { o.MaxQueueSize = -1 }, "MaxQueueSize must be a non-negative whole number."},
		{"zero timeout", func(o *admission.Options) { o.QueueTimeout = 0 }, "QueueTimeout must be a positive whole number."},
		{"negative timeout", func(o *admission.Options) { o.QueueTimeout = -1 }, "QueueTimeout must be a positive whole number."},
		{"negative retry", func(o *admission.Options) { o.RetryAfter = -time.Millisecond }, "RetryAfter must be a non-negative whole number."},
		{"negative duration", func(o *admission.Options) { o.MaxDuration = -1 }, "MaxDuration must be a positive whole number."},
		{"duration too long", func(o *admission.Options) { o.MaxDuration = math.MaxInt32*time.Millisecond + 1 }, "MaxDuration must be at most 2,147,483,647 milliseconds."},
		{"concurrency before the rest", func(o *admission.Options) { *o = admission.Options{MaxQueueSize: -1, MaxDuration: 99 * day} }, "Concurrency must be a positive whole number."},
		{"queue before the rest", func(o *admission.Options) {
			*o = admission.Options{Concurrency: 1, MaxQueueSize: -1, MaxDuration: 99 * day}
		}, "MaxQueueSize must be a non-negative whole number."},
		{"timeout before the rest", func(o *admission.Options) {
			*o = admission.Options{Concurrency: 1, RetryAfter: -1, MaxDuration: 99 * day}
		}, "QueueTimeout must be a positive whole number."},
		{"retry before duration", func(o *admission.Options) { o.RetryAfter, o.MaxDuration = -1, 99*day }, "RetryAfter must be a non-negative whole number."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := good
			test.change(&o)
			c, err := admission.New(o)
			require.Nil(t, c)
			require.ErrorIs(t, err, contract.ErrInvalid)
			require.EqualError(t, err, "contract: invalid argument: "+test.want)
		})
	}
}

func TestOptionsDefaults(t *testing.T) {
	tests := []struct {
		name  string
		given time.Duration
		want  time.Duration
	}{
		{"zero means the queue timeout", 0, 3 * time.Second},
		{"at once must be written", admission.RetryAtOnce, 0},
		{"a value is kept", 750 * time.Millisecond, 750 * time.Millisecond},
		{"cut to whole milliseconds", 1500 * time.Microsecond, time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := admission.New(admission.Options{
				Concurrency: 1, MaxQueueSize: 7, QueueTimeout: 3 * time.Second, RetryAfter: test.given,
			})
			require.NoError(t, err)
			s := c.Snapshot()
			require.Equal(t, contract.Snapshot{
				Concurrency: 1, MaxQueueSize: 7, QueueTimeout: 3 * time.Second, RetryAfter: test.want,
			}, s)

			lease, err := c.Acquire(t.Context(), contract.AcquireOptions{})
			require.NoError(t, err)
			defer lease.Release()
			_, err = c.Acquire(t.Context(), contract.AcquireOptions{NoWait: true})
			var refused *contract.RefusedError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, test.want, refused.RetryAfter)
		})
	}
}

func TestLongestDurationIsAccepted(t *testing.T) {
	_, err := admission.New(admission.Options{
		Concurrency: 1, QueueTimeout: 1, MaxDuration: math.MaxInt32 * time.Millisecond,
	})
	require.NoError(t, err)
}
