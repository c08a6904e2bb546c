package wire_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/wire"
)

// protocolVector is one line of the behaviour vectors' category protocol.
type protocolVector struct {
	ID    string
	Input struct {
		Op, Label, Namespace, FunctionName string
		Length, Limit                      int
		Args, Value                        json.RawMessage
	}
	Expected struct {
		Chunks []int
		Final  int
		Label  string
		Bytes  int
		Error  *struct{ Name, Message string }
	}
}

func TestProtocolVectors(t *testing.T) {
	file, err := os.Open("../conform/testdata/vectors/protocol.jsonl")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	ran := 0
	for lines.Scan() {
		var v protocolVector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v))
		ran++
		t.Run(strings.TrimPrefix(v.ID, "protocol/"), func(t *testing.T) { answerVector(t, v) })
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 15, ran)
}

func answerVector(t *testing.T, v protocolVector) {
	switch v.Input.Op {
	case "chunks":
		chunks, final := []int{}, 0
		require.NoError(t, wire.Split(bytes.Repeat([]byte("r"), v.Input.Length), func(piece string, last bool) error {
			if last {
				final = len(piece)
			} else {
				chunks = append(chunks, len(piece))
			}
			return nil
		}))
		require.Equal(t, v.Expected.Chunks, chunks)
		require.Equal(t, v.Expected.Final, final)
	case "label":
		require.Equal(t, v.Expected.Label, wire.Label(v.Input.Namespace, v.Input.FunctionName, v.Input.Args))
	case "bounded":
		text, err := wire.Bounded(v.Input.Label, expand(t, v.Input.Value), v.Input.Limit)
		if v.Expected.Error != nil {
			require.Equal(t, &wire.BoundError{Name: v.Expected.Error.Name, Message: v.Expected.Error.Message}, err)
			return
		}
		require.NoError(t, err)
		require.Len(t, text, v.Expected.Bytes)
	default:
		t.Fatalf("no such op: %s", v.Input.Op)
	}
}

// expand replaces the two generators that this category uses. A lone surrogate
// has no form as a Go string; its JSON text has.
func expand(t *testing.T, value json.RawMessage) any {
	var g struct {
		Repeat []json.RawMessage `json:"$repeat"`
		Units  []uint16          `json:"$units"`
	}
	if value[0] != '{' {
		return value
	}
	require.NoError(t, json.Unmarshal(value, &g))
	if g.Units != nil {
		require.Equal(t, []uint16{0xD800}, g.Units)
		return json.RawMessage(`"\ud800"`)
	}
	var text string
	var n int
	require.NoError(t, json.Unmarshal(g.Repeat[0], &text))
	require.NoError(t, json.Unmarshal(g.Repeat[1], &n))
	return strings.Repeat(text, n)
}
