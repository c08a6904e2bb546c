package contract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/contract"
)

// The short ways through the adapters give what the general decoder and encoder
// give.
func TestAdaptersLikeTheGeneralCodec(t *testing.T) {
	ctx := context.Background()
	like := func(t require.TestingT, args string, call func(json.RawMessage) (json.RawMessage, error), into any) {
		var list []json.RawMessage
		got, err := call(json.RawMessage(args))
		if json.Unmarshal([]byte(args), &list) != nil {
			return // the shape of a bad list is tested elsewhere
		}
		raw := json.RawMessage("null")
		if len(list) > 0 {
			raw = list[0]
		}
		if json.Unmarshal(raw, into) != nil {
			require.Error(t, err, args)
			return
		}
		require.NoError(t, err, args)
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		require.NoError(t, enc.Encode(into))
		require.Equal(t, bytes.TrimSpace(want.Bytes()), []byte(got), args)
	}
	echo := map[string]func(require.TestingT, string){
		"string": func(t require.TestingT, a string) {
			like(t, a, func(r json.RawMessage) (json.RawMessage, error) {
				return contract.Func(func(_ context.Context, s string) (string, error) { return s, nil })(ctx, r)
			}, new(string))
		},
		"int": func(t require.TestingT, a string) {
			like(t, a, func(r json.RawMessage) (json.RawMessage, error) {
				return contract.Func(func(_ context.Context, s int) (int, error) { return s, nil })(ctx, r)
			}, new(int))
		},
		"int64": func(t require.TestingT, a string) {
			like(t, a, func(r json.RawMessage) (json.RawMessage, error) {
				return contract.Func(func(_ context.Context, s int64) (int64, error) { return s, nil })(ctx, r)
			}, new(int64))
		},
		"float64": func(t require.TestingT, a string) {
			like(t, a, func(r json.RawMessage) (json.RawMessage, error) {
				return contract.Func(func(_ context.Context, s float64) (float64, error) { return s, nil })(ctx, r)
			}, new(float64))
		},
		"bool": func(t require.TestingT, a string) {
			like(t, a, func(r json.RawMessage) (json.RawMessage, error) {
				return contract.Func(func(_ context.Context, s bool) (bool, error) { return s, nil })(ctx, r)
			}, new(bool))
		},
	}
	values := []string{
		"0", "-0", "1", "-1", "01", "1.5", "1e3", "9223372036854775807", "9223372036854775808", "123456789012345678901234567890", "-9223372036854775808",
		`""`, `"a"`, `"<b>&"`, `"é"`, `"\u00e9"`, `"a\"b"`, `"]["`, `",{"`, `"\\"`, "true", "false", "null", "[]", "[1,[2]]", "{}", `{"a":"]"}`,
	}
	for name, f := range echo {
		t.Run(name, func(t *testing.T) {
			f(t, "[]")
			f(t, " [ ] ")
			for _, v := range values {
				f(t, "["+v+"]")
				f(t, " [ "+v+" , 2 ]")
			}
			rapid.Check(t, func(t *rapid.T) {
				v, err := json.Marshal(rapid.OneOf(
					rapid.Custom(func(t *rapid.T) any { return rapid.String().Draw(t, "s") }),
					rapid.Custom(func(t *rapid.T) any { return rapid.Int64().Draw(t, "n") }),
					rapid.Custom(func(t *rapid.T) any { return rapid.Float64().Draw(t, "f") }),
				).Draw(t, "value"))
				require.NoError(t, err)
				f(t, "["+string(v)+",1]")
			})
		})
	}
}

func TestBadArgumentLists(t *testing.T) {
	f := contract.Func2(func(context.Context, int, int) (int, error) { return 0, nil })
	for _, args := range []string{"", "1", "{}", "[", "]", "[1", "1]", "[,]", "[1,]", "[,1]", "[1]]", "[1}]"} {
		_, err := f(context.Background(), json.RawMessage(args))
		require.Error(t, err, args)
	}
}
