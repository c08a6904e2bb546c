package conform_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/guestjs/guestjs/internal/conform"
	"github.com/guestjs/guestjs/internal/wire"
)

// answerProtocol asks the package that speaks between the processes.
func answerProtocol(_ *testing.T, v conform.Vector) (conform.Value, error) {
	value, _ := v.Input.Get("value")
	args, _ := v.Input.Get("args")
	switch op := v.Input.Text("op"); op {
	case "chunks":
		return pieces(int(v.Input.Number("length")))
	case "label":
		label := wire.Label(v.Input.Text("namespace"), v.Input.Text("functionName"), jsonOf(args))
		return conform.Object{{Key: "label", Value: label}}, nil
	case "bounded":
		return bounded(v.Input.Text("label"), jsonOf(value), int(v.Input.Number("limit")))
	default:
		return nil, fmt.Errorf("unknown op %q", op)
	}
}

// pieces are the sizes that a text of n ASCII characters is sent in.
func pieces(n int) (conform.Value, error) {
	chunks, final := []conform.Value{}, 0
	err := wire.Split(bytes.Repeat([]byte("r"), n), func(piece string, last bool) error {
		if last {
			final = len(piece)
			return nil
		}
		chunks = append(chunks, float64(len(piece)))
		return nil
	})
	return conform.Object{{Key: "chunks", Value: chunks}, {Key: "final", Value: float64(final)}}, err
}

func bounded(label string, text json.RawMessage, limit int) (conform.Value, error) {
	sent, err := wire.Bounded(label, text, limit)
	var bound *wire.BoundError
	switch {
	case errors.As(err, &bound):
		return conform.Object{{Key: "error", Value: conform.Object{
			{Key: "name", Value: bound.Name}, {Key: "message", Value: bound.Message},
		}}}, nil
	case err != nil:
		return nil, err
	}
	return conform.Object{{Key: "bytes", Value: float64(len(sent))}}, nil
}
