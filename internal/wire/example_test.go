package wire_test

import (
	"bytes"
	"fmt"

	"github.com/guestjs/guestjs/internal/wire"
)

func Example() {
	frame, _ := wire.AppendFrame(nil, wire.Message{Type: wire.TypeLog, Job: 1, Body: `"hello"`}, "log")
	fmt.Printf("%q\n", frame[4:])
	m, _ := wire.NewReader(bytes.NewReader(frame)).Next()
	fmt.Println(m.Type, m.Job, m.Body)
	// Output:
	// "{\"type\":\"log\",\"jobId\":1,\"payloadJson\":\"\\\"hello\\\"\"}"
	// log 1 "hello"
}
