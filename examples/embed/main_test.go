package main

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/executor"
)

func TestMain(m *testing.M) {
	executor.ChildMain()
	os.Exit(m.Run())
}

func Example() {
	if err := remind(context.Background(), os.Stdout, executor.Options{}); err != nil {
		panic(err)
	}
	// Output:
	// log: rate_limited: the mail server takes no more letters for now (3 a minute)
	// call 1: billing.overdue completed
	// call 2: mail.send completed
	// call 3: mail.send completed
	// call 4: mail.send completed
	// call 5: mail.send failed
	// sent 3, left [R-118 R-130], again in 60000 ms
}

// One option moves the guest into a process of its own.
func TestInAChildProcess(t *testing.T) {
	var here, there writer
	require.NoError(t, remind(t.Context(), &here, executor.Options{}))
	require.NoError(t, remind(t.Context(), &there, executor.Options{Isolation: executor.Process}))
	require.NotEmpty(t, here)
	require.Equal(t, string(here), string(there))
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}
