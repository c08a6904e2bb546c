package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFlags(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		err  string
	}{
		{"no rounds", []string{"-count", "0"}, "-count is 0; want at least 1"},
		{"argument", []string{"results.txt"}, `"results.txt" is one argument too many; collect takes flags only`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			require.EqualError(t, run(tc.args, &out, &errs), tc.err)
			require.Empty(t, out.String())
		})
	}
}

func TestHeaderIsConfiguration(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, header(&out, options{benchtime: "10ms"}))
	require.Regexp(t, `\Agoversion: go\S+\nprocessors: \d+\nbenchtime: 10ms\n\z`, out.String())
}

func TestMeasureLeavesOutPass(t *testing.T) {
	var out bytes.Buffer
	p := part{"echo", "", []string{"go", "env", "GOOS"}}
	require.NoError(t, p.measure(&out, &out))
	require.NotEmpty(t, out.String())
	p.argv = []string{"go", "no-such-command"}
	require.Error(t, p.measure(&out, &out))
}
