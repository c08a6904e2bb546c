package bench_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/guestjs/guestjs/bench"
	"github.com/stretchr/testify/require"
)

func TestEveryProgramStatesItsAnswer(t *testing.T) {
	entries, err := fs.ReadDir(os.DirFS("testdata"), ".")
	require.NoError(t, err)
	loaded := map[string]bool{}
	for _, e := range entries {
		name, isProgram := strings.CutSuffix(e.Name(), ".js")
		if !isProgram {
			continue
		}
		p := bench.Load(name)
		require.NotContains(t, p.Source, "// expect:", name)
		loaded[name] = true
	}
	for _, name := range bench.Compute {
		require.True(t, loaded[name], name)
	}
}

func TestParse(t *testing.T) {
	for _, tc := range []struct{ name, text, want, err string }{
		{name: "good", text: "// expect: [1,2]\n[1, 2]\n", want: "[1, 2]"},
		{name: "no answer", text: "1 + 2\n", err: `bench: no answer.js: the first line must be "// expect: " and the answer as JSON, not "1 + 2"`},
		{name: "not JSON", text: "// expect: {a:1}\n1\n", err: `bench: not JSON.js: the expected answer "{a:1}" is not JSON`},
		{name: "empty", text: "// expect: 1\n", err: `bench: empty.js: there is no program below the answer`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := bench.Parse(tc.name, tc.text)
			if tc.err != "" {
				require.EqualError(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, p.Source)
		})
	}
}

func TestCheck(t *testing.T) {
	p, err := bench.Parse("pair", "// expect: {\"a\":1,\"b\":[2]}\n0")
	require.NoError(t, err)
	require.NoError(t, p.Check([]byte(`{ "b": [2], "a": 1 }`)))
	require.EqualError(t, p.Check([]byte(`{"a":1}`)), `bench: pair.js gave {"a":1}, want {"a":1,"b":[2]}`)
	require.ErrorContains(t, p.Check([]byte(`{`)), `bench: pair.js gave "{", which is not JSON`)
}

func TestAwait(t *testing.T) {
	require.True(t, strings.HasSuffix(bench.Await(1, false).Source, "})(1)"))
	many := bench.Await(200, true)
	require.True(t, strings.HasSuffix(many.Source, "})(200)"))
	require.NotContains(t, many.Source, "host.add")
	require.Contains(t, many.Source, "host.now(i + j, 1)")
}

func TestSizesAreWhatTheySay(t *testing.T) {
	for i, want := range []int{1 << 10, 256 << 10, 4 << 20} {
		text := bench.Rows(bench.Sizes[i].Rows)
		require.True(t, json.Valid(text))
		require.InEpsilon(t, want, len(text), 0.1, bench.Sizes[i].Name)
		repeated := bench.Sizes[i].Rows*(len(bench.Row)+1) + 1
		require.InEpsilon(t, want, repeated, 0.1, bench.Sizes[i].Name)
	}
}

func TestMiddleSizeFitsOneHostReply(t *testing.T) {
	const limit = 262_144 // SPEC section 7, wrapper included
	rows := bench.Sizes[1].Rows
	require.Less(t, len(bench.Rows(rows))+len(`{"ok":true,"value":}`), limit)
	require.Less(t, rows*(len(bench.Row)+1)+1+len(`[]`), limit)
}
