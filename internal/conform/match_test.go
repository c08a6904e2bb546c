package conform_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/conform"
)

func TestDiff(t *testing.T) {
	const hashAB = "97c9ec7e0d1d4ecd5e6d52ad54d3a8a4c9fd3d3f0a3ef1f1f1d8c8cf8d1f3a50"
	cases := []struct {
		name, want, got string
		same            bool
	}{
		{"equal", `{"a":[1,"x",null]}`, `{"a":[1,"x",null]}`, true},
		{"order of members", `{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{"zero and minus zero", `0`, `-0`, true},
		{"extra member", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"missing member", `{"a":1,"b":2}`, `{"a":1}`, false},
		{"shorter list", `[1,2]`, `[1]`, false},
		{"other kind", `[1]`, `{"0":1}`, false},
		{"object for a text", `"x"`, `{}`, false},
		{"null and false", `null`, `false`, false},
		{"any", `{"a":{"$any":true}}`, `{"a":[1]}`, true},
		{"any, absent", `{"a":{"$any":true}}`, `{}`, true},
		{"int", `{"$int":{"min":1,"max":3}}`, `3`, true},
		{"int out of range", `{"$int":{"min":1,"max":3}}`, `4`, false},
		{"int, not whole", `{"$int":{"min":1,"max":3}}`, `2.5`, false},
		{"int, a text", `{"$int":{"min":1,"max":3}}`, `"2"`, false},
		{"int is not optional", `{"a":{"$int":{"min":0,"max":3}}}`, `{}`, false},
		{"prefix", `{"$prefix":"ab"}`, `"abc"`, true},
		{"not the prefix", `{"$prefix":"ab"}`, `"ba"`, false},
		{"one of", `{"$oneOf":[1,{"$prefix":"a"}]}`, `"abc"`, true},
		{"none of", `{"$oneOf":[1,2]}`, `3`, false},
		{"contains", `{"$contains":"b"}`, `{"x":["abc"]}`, true},
		{"does not contain", `{"$contains":"z"}`, `{"x":["abc"]}`, false},
		{"unknown matcher", `{"$what":1}`, `1`, false},
		{"string", `{"$string":{"length":1,"prefix":"a","suffix":"a","sha256":"ffe9aaeaa2a2d5048174df0b80599ef0197ec024c4b051bc9860cff58ef7f9f3"}}`, `"a"`, true},
		{"string of another length", `{"$string":{"length":2,"prefix":"a","suffix":"a","sha256":"` + hashAB + `"}}`, `"a"`, false},
		{"string of another hash", `{"$string":{"length":1,"prefix":"a","suffix":"a","sha256":"` + hashAB + `"}}`, `"a"`, false},
		{"string, other start", `{"$string":{"length":1,"prefix":"b","suffix":"a","sha256":""}}`, `"a"`, false},
		{"string, other end", `{"$string":{"length":1,"prefix":"a","suffix":"b","sha256":""}}`, `"a"`, false},
		{"string, half a pair at the end", `{"$string":{"length":3,"prefix":"x\ud83d","suffix":"\ude00","sha256":"510b58b970569248a6687ab9ef7400804cfd6a7f2508fbf24a271b6b6dbbb867"}}`, `"x😀"`, true},
		{"array", `{"$array":{"length":3,"head":["a"],"tail":[1],"sha256":"00929cc58533aa84bc7863f442767dfbaad66c2f5ab253efc3ad0c16a9c4f510"}}`, `["a","b",1]`, true},
		{"array without a hash", `{"$array":{"length":3,"head":["a"],"tail":[1]}}`, `["a","b",1]`, true},
		{"array of another length", `{"$array":{"length":2,"head":[],"tail":[]}}`, `["a"]`, false},
		{"array with another head", `{"$array":{"length":1,"head":["b"],"tail":[]}}`, `["a"]`, false},
		{"array with another tail", `{"$array":{"length":1,"head":[],"tail":["b"]}}`, `["a"]`, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := conform.Diff(parse(t, c.want), parse(t, c.got))
			if c.same {
				require.Empty(t, d)
			} else {
				require.NotEmpty(t, d)
			}
		})
	}
}

func TestDiffHashesItems(t *testing.T) {
	// sha256 over "a\n[1]" in UTF-16LE.
	const sum = "8c38272446c1a22c1dc82c1e72bec46eae278a70e3366c513956a16558647a0d"
	d := conform.Diff(parse(t, `{"$array":{"length":2,"head":[],"tail":[],"sha256":"`+sum+`"}}`), parse(t, `["a",[1]]`))
	require.Empty(t, d)
}

func TestShape(t *testing.T) {
	const syntax = `{"outcome":{"error":"SyntaxError: expecting ')'","failure":{"name":"SyntaxError","line":1}}}`
	cases := []struct {
		name, want, got string
		same            bool
	}{
		{"other wording and line", syntax, `{"outcome":{"error":"SyntaxError: unexpected x","failure":{"name":"SyntaxError","line":7}}}`, true},
		{"other class", syntax, `{"outcome":{"error":"TypeError: unexpected","failure":{"name":"SyntaxError","line":1}}}`, false},
		{"class missing", syntax, `{"outcome":{"error":"unexpected","failure":{"name":"SyntaxError","line":1}}}`, false},
		{"other name", syntax, `{"outcome":{"error":"SyntaxError: x","failure":{"name":"Error","line":1}}}`, false},
		{"no line", syntax, `{"outcome":{"error":"SyntaxError: x","failure":{"name":"SyntaxError"}}}`, false},
		{"a value instead", syntax, `{"outcome":{"result":41}}`, false},
		{"timed out as well", syntax, `{"outcome":{"error":"SyntaxError: x","failure":{"name":"SyntaxError","line":1}},"timedOut":true}`, false},
		{"texts and numbers differ", `{"outcome":{"result":[2,"dc00"]}}`, `{"outcome":{"result":[3,"fffd"]}}`, true},
		{"booleans do not", `{"outcome":{"result":[true]}}`, `{"outcome":{"result":[false]}}`, false},
		{"kinds do not", `{"outcome":{"result":"x"}}`, `{"outcome":{"result":5}}`, false},
		{"lengths do not", `{"outcome":{"logs":["x"]}}`, `{"outcome":{"logs":["x","y"]}}`, false},
		{"a call record is the host's", `{"outcome":{"error":"x","failure":{"name":"E","call":{"code":"a"}}}}`, `{"outcome":{"error":"x","failure":{"name":"E","call":{"code":"b"}}}}`, false},
		{"long text", `{"outcome":{"logs":[{"$string":{"length":9}}]}}`, `{"outcome":{"logs":["abc"]}}`, true},
		{"long text, no text", `{"outcome":{"logs":[{"$string":{"length":9}}]}}`, `{"outcome":{"logs":[1]}}`, false},
		{"prefix stays", `{"outcome":{"result":{"$prefix":"Host"}}}`, `{"outcome":{"result":"Guest"}}`, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := conform.Shape(parse(t, c.want), parse(t, c.got))
			if c.same {
				require.Empty(t, d)
			} else {
				require.NotEmpty(t, d)
			}
		})
	}
}
