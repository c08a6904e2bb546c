package conform_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/guestjs/guestjs/internal/conform"
	"github.com/guestjs/guestjs/result"
)

func answerResult(_ *testing.T, v conform.Vector) (conform.Value, error) {
	value, _ := v.Input.Get("value")
	switch op := v.Input.Text("op"); op {
	case "guard":
		return guard(v.Input, jsonOf(value))
	case "serialize":
		return conform.Object{{Key: "text", Value: result.Text(jsonOf(value))}}, nil
	case "cut":
		text := result.CutText(v.Input.Text("text"), int(v.Input.Number("max")))
		return conform.Object{{Key: "text", Value: text}}, nil
	case "prepare":
		return prepare(v.Input)
	default:
		return nil, fmt.Errorf("unknown op %q", op)
	}
}

// jsonOf is how a value reaches the package: as JSON text, or nil for none.
func jsonOf(v conform.Value) json.RawMessage {
	if _, none := v.(conform.Undefined); none || v == nil {
		if none {
			return nil
		}
		return json.RawMessage("null")
	}
	return json.RawMessage(conform.Stringify(v))
}

func guard(input conform.Object, value json.RawMessage) (conform.Value, error) {
	g := result.Guard{HintPrefix: input.Text("hintPrefix"), MaxUnits: int(input.Number("maxChars"))}
	if _, given := input.Get("maxChars"); given && g.MaxUnits == 0 {
		g.MaxUnits = -1 // zero is the default; this is the nearest cap that can be written
	}
	shown, truncated, err := g.Apply(value)
	var tooSmall *result.CapError
	switch {
	case errors.As(err, &tooSmall):
		return conform.Object{{Key: "error", Value: err.Error()}}, nil
	case err != nil:
		return nil, err
	case !truncated:
		if string(shown) != string(value) {
			return nil, errors.New("not truncated, yet not the same text")
		}
		return conform.Object{{Key: "unchanged", Value: true}}, nil
	}
	parsed, err := conform.Parse(string(shown))
	if err != nil {
		return nil, err
	}
	return conform.Object{
		{Key: "value", Value: parsed},
		{Key: "serializedLength", Value: float64(result.Units(string(shown)))},
	}, nil
}

func prepare(input conform.Object) (conform.Value, error) {
	raw, _ := input.Get("outcome")
	outcome, _ := raw.(conform.Object)
	var t result.Transport
	for _, m := range outcome {
		switch m.Key {
		case "result":
			t.Result = jsonOf(m.Value)
		case "failure":
			t.Failure = jsonOf(m.Value)
		case "error":
			text := outcome.Text("error")
			t.Error = &text
		case "logs":
			list, _ := m.Value.([]conform.Value)
			t.Logs = []string{}
			for _, entry := range list {
				text, _ := entry.(string)
				t.Logs = append(t.Logs, text)
			}
		default:
			return nil, fmt.Errorf("unknown member %q of an outcome", m.Key)
		}
	}
	text, err := json.Marshal(result.Prepare(t))
	if err != nil {
		return nil, err
	}
	prepared, err := conform.Parse(string(text))
	if err != nil {
		return nil, err
	}
	return conform.Object{{Key: "outcome", Value: prepared}}, nil
}
