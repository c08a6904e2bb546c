package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// BoundError is the error of a value that is too large to send, or has no JSON
// form. Name is the error class a guest is shown.
type BoundError struct{ Name, Message string }

// Error returns the message.
func (e *BoundError) Error() string { return e.Message }

func tooLarge(label string, size, limit int) error {
	return &BoundError{"RangeError", fmt.Sprintf("%s is %d UTF-8 bytes, over the %d-byte IPC limit.", label, size, limit)}
}

// Bounded writes v as JSON and checks the text against limit bytes, MaxMessage
// when limit is zero. The error is a [*BoundError] with the text of SPEC
// section 13.
func Bounded(label string, v any, limit int) ([]byte, error) {
	if limit == 0 {
		limit = MaxMessage
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, &BoundError{"TypeError", label + " is not JSON-serializable."}
	}
	text := bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	return text, Within(label, len(text), limit)
}

// Within is the check of Bounded for text that exists already.
func Within(label string, size, limit int) error {
	if size > limit {
		return tooLarge(label, size, limit)
	}
	return nil
}
