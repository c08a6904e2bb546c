package contract_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

type point struct{ X, Y int }

func TestAdaptersPassArgumentsAndReplies(t *testing.T) {
	seven := contract.Func0(func(context.Context) (int, error) { return 7, nil })
	double := contract.Func(func(_ context.Context, n float64) (float64, error) { return 2 * n, nil })
	sum := contract.Func2(func(_ context.Context, p point, n *int) (point, error) {
		if n == nil {
			return p, nil
		}
		return point{p.X + *n, p.Y + *n}, nil
	})
	list := contract.Func3(func(_ context.Context, a string, b []int, c map[string]bool) (string, error) {
		return fmt.Sprint(a, b, c), nil
	})
	raw := contract.Func(func(_ context.Context, v json.RawMessage) (json.RawMessage, error) { return v, nil })
	silent := contract.Func(func(context.Context, string) (struct{}, error) { return struct{}{}, nil })
	nothing := contract.Func0(func(context.Context) (json.RawMessage, error) { return nil, nil })
	null := contract.Func0(func(context.Context) (*int, error) { return nil, nil })
	html := contract.Func0(func(context.Context) (string, error) { return "<b>&\u2028", nil })

	tests := []struct {
		name string
		f    contract.HostFunc
		args string
		want string // "" for no value
	}{
		{"no argument wanted, none given", seven, `[]`, `7`},
		{"no argument wanted, some given", seven, `[1,2]`, `7`},
		{"one", double, `[21]`, `42`},
		{"a fraction", double, `[0.5]`, `1`},
		{"further ones are ignored", double, `[21,"x",{}]`, `42`},
		{"a missing one is null", double, `[]`, `0`},
		{"two", sum, `[{"X":1,"Y":2},3]`, `{"X":4,"Y":5}`},
		{"the second missing", sum, `[{"X":1,"Y":2}]`, `{"X":1,"Y":2}`},
		{"unknown members are ignored", sum, `[{"X":1,"Z":2}]`, `{"X":1,"Y":0}`},
		{"three", list, `["a",[1,2],{"x":true}]`, `"a[1 2] map[x:true]"`},
		{"three, all missing", list, `[]`, `"[] map[]"`},
		{"raw stays as it is", raw, `[{"b": 1.50, "a":[]}]`, `{"b": 1.50, "a":[]}`},
		{"raw, missing", raw, `[]`, `null`},
		{"a function with effects only has no value", silent, `["x"]`, ``},
		{"a nil raw reply is no value", nothing, `[]`, ``},
		{"a nil pointer is null", null, `[]`, `null`},
		{"HTML is not escaped", html, `[]`, `"<b>&\u2028"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply, err := test.f(t.Context(), json.RawMessage(test.args))
			require.NoError(t, err)
			require.Equal(t, test.want, string(reply))
			require.Equal(t, test.want == "", reply == nil)
		})
	}
}

func TestAdaptersRefuseBadArguments(t *testing.T) {
	type nested struct{ P point }
	called := false
	number := contract.Func(func(context.Context, float64) (int, error) { called = true; return 0, nil })
	small := contract.Func(func(context.Context, uint8) (int, error) { called = true; return 0, nil })
	text := contract.Func(func(context.Context, string) (int, error) { called = true; return 0, nil })
	flag := contract.Func(func(context.Context, bool) (int, error) { called = true; return 0, nil })
	list := contract.Func(func(context.Context, []int) (int, error) { called = true; return 0, nil })
	object := contract.Func(func(context.Context, nested) (int, error) { called = true; return 0, nil })
	picky := contract.Func(func(context.Context, picky) (int, error) { called = true; return 0, nil })
	second := contract.Func2(func(context.Context, int, string) (int, error) { called = true; return 0, nil })
	third := contract.Func3(func(context.Context, int, int, map[string]int) (int, error) { called = true; return 0, nil })

	tests := []struct {
		name     string
		f        contract.HostFunc
		args     string
		argument int
		want     string
	}{
		{"a string for a number", number, `["1"]`, 1, "argument 1: must be a number, not string"},
		{"an object for a string", text, `[{}]`, 1, "argument 1: must be a string, not object"},
		{"a number for a boolean", flag, `[1]`, 1, "argument 1: must be a boolean, not number"},
		{"an object for an array", list, `[{}]`, 1, "argument 1: must be an array, not object"},
		{"an array for an object", object, `[[]]`, 1, "argument 1: must be an object, not array"},
		{"a member of a member", object, `[{"P":{"X":"1"}}]`, 1, "argument 1: P.X must be a whole number in range, not string"},
		{"out of range", small, `[300]`, 1, "argument 1: must be a whole number in range, not number 300"},
		{"a fraction", small, `[1.5]`, 1, "argument 1: must be a whole number in range, not number 1.5"},
		{"an error of the type itself", picky, `["x"]`, 1, "argument 1: I want a fish"},
		{"the second", second, `[1,2]`, 2, "argument 2: must be a string, not number"},
		{"the third", third, `[1,2,3]`, 3, "argument 3: must be an object, not number"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reply, err := test.f(t.Context(), json.RawMessage(test.args))
			require.Nil(t, reply)
			var f *contract.Failure
			require.ErrorAs(t, err, &f)
			require.Equal(t, contract.Failure{
				Code: "invalid_args", Message: test.want, Details: map[string]any{"argument": test.argument},
			}, *f)
		})
	}
	require.False(t, called, "a bad argument never reaches the function")

	for _, args := range []string{`{}`, `1`, ``, `[`} {
		_, err := number(t.Context(), json.RawMessage(args))
		require.ErrorContains(t, err, "the argument list is not a JSON array", args)
	}
}

// picky has an opinion of its own.
type picky struct{}

func (*picky) UnmarshalJSON([]byte) error { return errors.New("I want a fish") }

func TestAdaptersPassErrorsOn(t *testing.T) {
	boom := errors.New("boom")
	for name, f := range map[string]contract.HostFunc{
		"none":  contract.Func0(func(context.Context) (int, error) { return 7, boom }),
		"one":   contract.Func(func(context.Context, int) (int, error) { return 7, boom }),
		"two":   contract.Func2(func(context.Context, int, int) (int, error) { return 7, boom }),
		"three": contract.Func3(func(context.Context, int, int, int) (int, error) { return 7, boom }),
	} {
		reply, err := f(t.Context(), json.RawMessage(`[1,2,3]`))
		require.Nil(t, reply, name)
		require.Same(t, boom, err, name)
	}
}

func TestAdaptersPassTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := contract.Func0(func(ctx context.Context) (int, error) { return 0, ctx.Err() })(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestRepliesWithoutJSONForm(t *testing.T) {
	cycle := map[string]any{}
	cycle["self"] = cycle
	for name, f := range map[string]contract.HostFunc{
		"a channel":       contract.Func0(func(context.Context) (chan int, error) { return make(chan int), nil }),
		"not a number":    contract.Func0(func(context.Context) (float64, error) { return math.NaN(), nil }),
		"a cycle":         contract.Func0(func(context.Context) (any, error) { return cycle, nil }),
		"a bad MarshalFn": contract.Func0(func(context.Context) (badMarshal, error) { return badMarshal{}, nil }),
	} {
		reply, err := f(t.Context(), nil)
		require.Nil(t, reply, name)
		var r *contract.ReplyError
		require.ErrorAs(t, err, &r, name)
		require.ErrorIs(t, err, r.Reason)
	}
}

type badMarshal struct{}

func (badMarshal) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }

type panics struct{}

func (*panics) UnmarshalJSON([]byte) error  { panic("in UnmarshalJSON") }
func (panics) MarshalJSON() ([]byte, error) { panic("in MarshalJSON") }

// TestPanicsPassThrough: a conversion that panics is a bug of the host as much
// as a function that does, and who runs host functions recovers both alike.
func TestPanicsPassThrough(t *testing.T) {
	for want, f := range map[string]contract.HostFunc{
		"in UnmarshalJSON": contract.Func(func(context.Context, panics) (int, error) { return 0, nil }),
		"in MarshalJSON":   contract.Func0(func(context.Context) (panics, error) { return panics{}, nil }),
		"in the function":  contract.Func0(func(context.Context) (int, error) { panic("in the function") }),
	} {
		require.PanicsWithValue(t, want, func() { _, _ = f(t.Context(), json.RawMessage(`[1]`)) })
	}
}
