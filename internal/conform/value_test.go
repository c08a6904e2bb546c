package conform_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/internal/conform"
)

func parse(t *testing.T, text string) conform.Value {
	t.Helper()
	v, err := conform.Parse(text)
	require.NoError(t, err)
	return v
}

func TestParseAndStringify(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `0`, `-1.5`, `1e+21`, `1e-7`, `100000000000000000000`, `0.1`,
		`""`, `"a\"b\\c"`, `"\b\f\n\r\t"`, `"\u0001\u001f"`, `"<a>& "`, "\"\u2028\"", `"é€😀"`,
		`"\ud800"`, `"\udc00\ud800"`, `"a\ud83dx"`,
		`[]`, `[1,[2],{}]`, `{}`, `{"b":1,"a":{"__proto__":2}}`,
	} {
		require.Equal(t, text, conform.Stringify(parse(t, text)))
	}
	for text, want := range map[string]string{
		` [ 1 , 2 ] `:           `[1,2]`,
		`"\ud83d\ude00"`:        `"😀"`,
		`"\u0041\/"`:            `"A/"`,
		`{"a":1,"b":2,"a":3}`:   `{"a":3,"b":2}`,
		`100000000000000000001`: `100000000000000000000`,
	} {
		require.Equal(t, want, conform.Stringify(parse(t, text)))
	}
	for _, text := range []string{``, `nul`, `[1`, `[1 2]`, `{"a"}`, `{a:1}`, `"abc`, `"\x"`, `"\u12"`, `1 2`, `--1`} {
		_, err := conform.Parse(text)
		require.Error(t, err, text)
	}
}

func TestUnitsKeepHalfPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.SliceOf(rapid.SampledFrom([]uint16{'a', 0, 0xE9, 0x20AC, 0xD7FF, 0xD83D, 0xDE00, 0xDC00, 0xD800, 0xE000, 0xFFFD})).Draw(t, "units")
		text := conform.FromUnits(units)
		require.Equal(t, len(units), len(conform.Units(text)))
		require.Equal(t, text, conform.FromUnits(conform.Units(text)))
		back, err := conform.Parse(conform.Stringify(text))
		require.NoError(t, err)
		require.Equal(t, conform.Value(text), back)
	})
}

func TestExpand(t *testing.T) {
	for input, want := range map[string]string{
		`{"$repeat":["ab",3]}`:                            `"ababab"`,
		`{"$repeat":["😀",2]}`:                             `"😀😀"`,
		`{"a":[{"$fill":[{"k":{"$repeat":["x",2]}},2]}]}`: `{"a":[[{"k":"xx"},{"k":"xx"}]]}`,
		`{"$concat":["x",{"$repeat":["y",2]},"z"]}`:       `"xyyz"`,
		`{"$units":[55296,97]}`:                           `"\ud800a"`,
		`{"$concat":["\ud83d","\ude00"]}`:                 `"😀"`,
		`{"$repeat":["",5]}`:                              `""`,
	} {
		got, err := conform.Expand(parse(t, input))
		require.NoError(t, err)
		require.Equal(t, want, conform.Stringify(got), input)
	}
	got, err := conform.Expand(parse(t, `{"$undefined":true}`))
	require.NoError(t, err)
	require.Equal(t, conform.Value(conform.Undefined{}), got)
	for _, bad := range []string{`{"$other":1}`, `{"$repeat":["a"]}`, `{"$concat":[1]}`, `{"$fill":1}`} {
		_, err := conform.Expand(parse(t, bad))
		require.Error(t, err, bad)
	}
}
