package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"
)

// Failure is a typed refusal of a host call: return one from a [HostFunc]. The
// guest catches an Error with own members code, retryable, details and data.
// When the program ends with that same error, Outcome.Failure.Call is this
// record, whatever the guest did to the object it caught.
type Failure struct {
	// Code says which kind of refusal this is, for programs.
	Code string
	// Message says so for people. The guest sees it as the error's message.
	Message string
	// Retryable reports whether the same call may succeed later.
	Retryable bool
	// RetryAfter is how long to wait before that; zero when unknown. It crosses
	// as whole milliseconds, retryAfterMs.
	RetryAfter time.Duration
	// Details are further members of the record. They must have a JSON form. A
	// member named like one of the fields above is ignored.
	Details map[string]any
}

// Error returns the message, or the code when there is none.
func (f *Failure) Error() string {
	if f.Message != "" {
		return f.Message
	}
	return f.Code
}

// MarshalJSON gives the record the guest sees: code, message, retryable,
// retryAfterMs when set, and the details beside them.
func (f *Failure) MarshalJSON() ([]byte, error) {
	record := make(map[string]any, len(f.Details)+4)
	maps.Copy(record, f.Details)
	record["code"], record["message"], record["retryable"] = f.Code, f.Message, f.Retryable
	delete(record, "retryAfterMs")
	if f.RetryAfter > 0 {
		record["retryAfterMs"] = f.RetryAfter.Milliseconds()
	}
	return json.Marshal(record)
}

// UnmarshalJSON reads a record; members other than the four become Details, as
// json.RawMessage. Member names are exact: "Code" is a detail, not the code.
func (f *Failure) UnmarshalJSON(data []byte) error {
	// Not a struct: encoding/json would match its fields in any case.
	record := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &record); err != nil {
		return fmt.Errorf("contract: failure record: %w", err)
	}
	var read Failure
	var retryAfterMs float64
	for name, into := range map[string]any{
		"code": &read.Code, "message": &read.Message, "retryable": &read.Retryable,
		"retryAfterMs": &retryAfterMs,
	} {
		raw, ok := record[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return fmt.Errorf("contract: failure record: %s: %w", name, err)
		}
		delete(record, name)
	}
	read.RetryAfter = milliseconds(retryAfterMs)
	for name, raw := range record {
		if read.Details == nil {
			read.Details = make(map[string]any, len(record))
		}
		read.Details[name] = raw
	}
	*f = read
	return nil
}

func milliseconds(ms float64) time.Duration {
	const most = float64(1<<63-1) / float64(time.Millisecond)
	if !(ms > 0) {
		return 0
	}
	return time.Duration(min(ms, most/2) * float64(time.Millisecond))
}
