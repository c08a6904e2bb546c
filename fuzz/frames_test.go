package fuzz_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/wire"
)

// FuzzFrames: any bytes from the other side of the pipe are messages, each one
// that this version sends, or one of four kinds of bad news; never a panic, and
// never more memory than the bytes that came. A message that is read can be
// written and read again. Bodies, however odd, decode to what their type says or
// to an error, and what decodes goes round.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(nil), strings.Repeat("a", wire.ChunkUnits-1)+"\U0001f600b") // a pair at the cut
	f.Add([]byte("\x00\x00\x00\x10{\"type\":\"ready\"}"), "")
	f.Fuzz(func(t *testing.T, stream []byte, body string) {
		r := wire.NewReader(bytes.NewReader(stream))
		for at := 0; ; {
			m, err := r.Next()
			length := lengthAt(stream, at)
			var frame *wire.FrameError
			var refused *wire.RefusedError
			switch {
			case length > wire.MaxMessage || length == 0:
				require.ErrorAs(t, err, &frame, "a length of %d", length)
			case err == nil:
				carries(t, m)
				again(t, m)
				bodies(t, m.Body)
				at += 4 + length
				continue
			case errors.As(err, &refused):
				require.Zero(t, m)
				at += 4 + length
				continue
			default:
				require.True(t, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, wire.ErrMalformed), "%v", err)
			}
			break
		}
		framed(t, stream)
		bodies(t, body)
		pieces(t, body)
	})
}

// lengthAt is the length of the frame that begins there, or -1.
func lengthAt(stream []byte, at int) int {
	if at+4 > len(stream) {
		return -1
	}
	return int(binary.BigEndian.Uint32(stream[at:]))
}

// carries checks that a message has the numbers of its type and no others.
func carries(t *testing.T, m wire.Message) {
	switch m.Type {
	case wire.TypeHello, wire.TypeReady:
		require.Zero(t, m.Job)
		require.Zero(t, m.Call)
	case wire.TypeHostCall, wire.TypeHostResult:
		require.NotZero(t, m.Job)
		require.NotZero(t, m.Call)
	case wire.TypeLog, wire.TypeCall, wire.TypeReport, wire.TypeResultChunk, wire.TypeResult, wire.TypeRun:
		require.NotZero(t, m.Job)
		require.Zero(t, m.Call)
	default:
		t.Fatalf("a message of type %q", m.Type)
	}
}

// again writes a message and reads it.
func again(t *testing.T, m wire.Message) {
	frame, err := wire.AppendFrame([]byte("before"), m, "label")
	var bound *wire.BoundError
	if errors.As(err, &bound) { // escapes can make it longer than it came
		require.Equal(t, "before", string(frame))
		return
	}
	require.NoError(t, err)
	frame = frame[len("before"):]
	require.EqualValues(t, len(frame)-4, binary.BigEndian.Uint32(frame))
	got, err := wire.NewReader(bytes.NewReader(frame)).Next()
	require.NoError(t, err)
	want := m
	want.Body = string([]rune(m.Body))
	require.Equal(t, want, got)
}

// framed takes the input as the JSON of one frame, so that the fuzzer need not
// guess lengths, and compares the quick way of reading with the general one: the
// same object with white space in it.
func framed(t *testing.T, text []byte) {
	if len(text) > wire.MaxMessage-1 {
		return
	}
	m, err := wire.Decode(text)
	spaced, serr := wire.Decode(append([]byte(" "), text...))
	require.Equal(t, err == nil, serr == nil, "%v and %v", err, serr)
	if err == nil {
		require.Equal(t, spaced, m)
		again(t, m)
	}
}

// bodies reads a text as the body of each type.
func bodies(t *testing.T, body string) {
	if c, err := wire.DecodeHostCall(body); err == nil {
		require.True(t, json.Valid(c.Args))
		back, err := wire.DecodeHostCall(string(c.Append(nil)))
		require.NoError(t, err)
		require.Equal(t, c.Function, back.Function)
		require.Equal(t, c.Namespace, back.Namespace)
		require.Equal(t, string(c.Args), string(back.Args))
		require.NotPanics(t, func() { wire.Label("connecta", "call", c.Args) })
	}
	if r, err := wire.DecodeHostResult(body); err == nil {
		text, err := r.Append(nil)
		if err == nil {
			back, err := wire.DecodeHostResult(string(text))
			require.NoError(t, err, "%s", text)
			require.Equal(t, r.OK, back.OK)
			if !r.OK {
				require.Equal(t, r.Error, back.Error)
			}
		}
	}
	var report wire.Report
	if json.Unmarshal([]byte(body), &report) != nil {
		report = wire.Report{}
	}
	if out, err := wire.DecodeResult([]byte(body), report); err == nil {
		text, err := wire.AppendResult(nil, out)
		require.NoError(t, err)
		require.True(t, json.Valid(text), "%s", text)
		require.Equal(t, out.Interrupt == contract.InterruptWall, out.TimedOut())
	}
}

// pieces cuts a text and joins it.
func pieces(t *testing.T, text string) {
	if !utf8.ValidString(text) {
		return
	}
	joined, lasts := "", 0
	require.NoError(t, wire.Split([]byte(text), func(piece string, last bool) error {
		require.LessOrEqual(t, units(piece), wire.ChunkUnits)
		require.True(t, utf8.ValidString(piece))
		require.Zero(t, lasts)
		joined += piece
		if last {
			lasts++
		}
		return nil
	}))
	require.Equal(t, 1, lasts)
	require.Equal(t, text, joined)
}
