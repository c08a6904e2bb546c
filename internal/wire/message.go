package wire

import (
	"encoding/binary"
	"strconv"
)

// Sizes of SPEC section 2, in bytes unless units are named.
const (
	MaxMessage   = 1 << 20   // one frame's JSON
	MaxHostArgs  = 256 << 10 // the payload of a host call
	MaxHostReply = 256 << 10 // the payload of a host result
	MaxResult    = 64 << 20  // the pieces of one result, summed
	ChunkUnits   = 65_536    // one piece of a result, in UTF-16 units
)

// MaxChunks is more pieces than an honest child needs for MaxResult bytes.
const MaxChunks = MaxResult/(ChunkUnits-1) + 2

// Type says what a message is.
type Type string

// The types of SPEC section 13, and hello, call and report (see the package
// comment).
const (
	TypeHello       Type = "hello"        // child: main reached the executor
	TypeReady       Type = "ready"        // child: the engine is loaded
	TypeHostCall    Type = "host-call"    // child: a HostCall
	TypeLog         Type = "log"          // child: one log entry, a JSON string
	TypeCall        Type = "call"         // child: one ended contract.Call
	TypeReport      Type = "report"       // child: a piece of a Report
	TypeResultChunk Type = "result-chunk" // child: a piece of the result text
	TypeResult      Type = "result"       // child: the last piece of it
	TypeRun         Type = "run"          // parent: a Run
	TypeHostResult  Type = "host-result"  // parent: a HostResult
)

// needs says which numbers a type of message carries.
type needs struct{ job, call, body bool }

var types = map[Type]needs{
	TypeHello:       {},
	TypeReady:       {},
	TypeHostCall:    {job: true, call: true, body: true},
	TypeLog:         {job: true, body: true},
	TypeCall:        {job: true, body: true},
	TypeReport:      {job: true, body: true},
	TypeResultChunk: {job: true, body: true},
	TypeResult:      {job: true, body: true},
	TypeRun:         {job: true, body: true},
	TypeHostResult:  {job: true, call: true, body: true},
}

// Message is one message. Job and Call count from 1; zero means there is none.
type Message struct {
	Type Type
	Job  uint64
	Call uint64
	Body string
}

// AppendFrame appends m as a frame. It fails with a [*BoundError] under label
// when the JSON is larger than MaxMessage; dst is then returned as it was.
func AppendFrame(dst []byte, m Message, label string) ([]byte, error) {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = append(dst, `{"type":"`...)
	dst = append(dst, m.Type...)
	dst = append(dst, '"')
	if m.Job != 0 {
		dst = append(dst, `,"jobId":`...)
		dst = strconv.AppendUint(dst, m.Job, 10)
	}
	if m.Call != 0 {
		dst = append(dst, `,"callId":`...)
		dst = strconv.AppendUint(dst, m.Call, 10)
	}
	if types[m.Type].body || m.Body != "" {
		dst = append(dst, `,"payloadJson":`...)
		dst = AppendQuote(dst, m.Body)
	}
	dst = append(dst, '}')
	size := len(dst) - start - 4
	if size > MaxMessage {
		return dst[:start], tooLarge(label, size, MaxMessage)
	}
	binary.BigEndian.PutUint32(dst[start:], uint32(size))
	return dst, nil
}
