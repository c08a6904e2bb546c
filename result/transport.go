package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Transport is an outcome in the form in which it crosses to another process.
type Transport struct {
	// Result is the value as JSON text; nil when there is none.
	Result json.RawMessage `json:"result,omitempty"`
	// Error is the text of the failure; nil when there was none. An empty text
	// is a failure all the same.
	Error *string `json:"error,omitempty"`
	// Failure is the failure's record as JSON text, or nil.
	Failure json.RawMessage `json:"failure,omitempty"`
	// Logs are the entries of the run's log.
	Logs []string `json:"logs,omitempty"`
}

// Prepare returns t as it may be sent. With an error the result is dropped.
// Without one the result must be JSON: if it is not, the error becomes
// `result is not JSON-serializable: <reason>`. Sizes are not cut here, and an
// empty log is none (SPEC section 12).
func Prepare(t Transport) Transport {
	if len(t.Logs) == 0 {
		t.Logs = nil
	}
	if t.Error != nil {
		t.Result = nil
		return t
	}
	t.Failure = nil
	if len(t.Result) == 0 {
		t.Result = nil
		return t
	}
	if err := checkJSON(t.Result); err != nil {
		text := "result is not JSON-serializable: " + err.Error()
		t.Result, t.Error = nil, &text
	}
	return t
}

func checkJSON(text json.RawMessage) error {
	var probe json.RawMessage
	if err := json.Unmarshal(text, &probe); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && syntax.Error() != "unexpected end of JSON input" {
			return fmt.Errorf("%w, at byte %d", err, syntax.Offset)
		}
		return err
	}
	if !utf8.Valid(text) {
		return errors.New("the text is not UTF-8")
	}
	return nil
}
