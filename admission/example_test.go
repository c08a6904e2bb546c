package admission_test

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/guestjs/guestjs/admission"
	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/contract/contracttest"
)

func Example() {
	gate, err := admission.New(admission.Options{
		Concurrency:  1,
		MaxQueueSize: 0,
		QueueTimeout: 5 * time.Second,
	})
	if err != nil {
		panic(err)
	}
	lease, err := gate.Acquire(context.Background(), contract.AcquireOptions{})
	if err != nil {
		panic(err)
	}

	_, err = gate.Acquire(context.Background(), contract.AcquireOptions{})
	var refused *contract.RefusedError
	if errors.As(err, &refused) {
		fmt.Println(refused)
		fmt.Println(errors.Is(err, admission.ErrOverloaded), refused.Retryable, refused.RetryAfter)
	}

	lease.Release()
	fmt.Println(gate.Snapshot().Totals.Admitted, "admitted,", gate.Snapshot().Active, "active")
	// Output:
	// Executor queue is full.
	// true true 5s
	// 1 admitted, 0 active
}

// A host function runs a program on the executor it was called from.
func ExampleWrap_nested() {
	gate, err := admission.New(admission.Options{Concurrency: 1, MaxQueueSize: 8, QueueTimeout: time.Second})
	if err != nil {
		panic(err)
	}
	executor := admission.Wrap(contracttest.NewFake(), gate)

	nested := func(ctx context.Context) (string, error) {
		lease, err := executor.Acquire(ctx, contract.AcquireOptions{NoWait: true})
		if err != nil {
			return "", err
		}
		defer lease.Release()
		out, err := lease.Execute(ctx, contract.Program{Source: "return 1 + 1"})
		return string(out.Value), errors.Join(err, out.Err)
	}

	out, err := executor.Execute(context.Background(), contract.Program{
		Source: "return await tools.echo(1)",
		Providers: []contract.Provider{{
			Name:      "tools",
			Functions: map[string]contract.HostFunc{"echo": contract.Func0(nested)},
		}},
	})
	fmt.Println(err)
	fmt.Println(out.Err)
	// Output:
	// <nil>
	// No executor slot is free for nested execution. Invoke the operation directly, after this program ends.
}

func ExampleController_Snapshot() {
	gate, err := admission.New(admission.Options{Concurrency: 4, QueueTimeout: time.Second})
	if err != nil {
		panic(err)
	}
	expvar.Publish("guests", expvar.Func(func() any { return gate.Snapshot() }))
	fmt.Println(expvar.Get("guests"))

	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if len(groups) == 0 && a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))
	log.Info("gate", "admission", gate.Snapshot())
	// Output:
	// {"concurrency":4,"maxQueueSize":0,"queueTimeoutMs":1000,"retryAfterMs":1000,"active":0,"queued":0,"closed":false,"totals":{"admitted":0,"queued":0,"rejected":0,"cancelled":0,"closed":0},"queueWaitMs":{"count":0,"total":0,"max":0}}
	// level=INFO msg=gate admission.concurrency=4 admission.active=0 admission.queued=0 admission.closed=false admission.totals.admitted=0 admission.totals.queued=0 admission.totals.rejected=0 admission.totals.cancelled=0 admission.totals.closed=0 admission.queueWait.count=0 admission.queueWait.total=0s admission.queueWait.max=0s
}
