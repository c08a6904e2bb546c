package grammar

import "strings"

// Text is a program as somebody might hand it in.
type Text struct {
	Source string
	// Shape names what it is made of, for a message.
	Shape string
	// Known reports whether Want says what running Source must give.
	Known bool
	// Want is the JSON of the value, empty for no value. See [Value].
	Want string
	// Syntax reports that no reading of Source is a program.
	Syntax bool
}

// Source makes the text of a program: a value in one of the shapes that SPEC
// section 5 tells apart, dressed in white space, comments, line ends, a byte
// order mark or a fence; or, when the tape says so, spoilt, and then nothing is
// known about it.
func Source(data []byte) Text {
	t := &tape{data: data}
	shape := shapes[t.pick(len(shapes))]
	dress, fence, spoil := t.pick(256), t.pick(256), t.pick(256)
	expr, want := Value(data[t.pos:])
	calls := shape.calls && want == ""
	out := Text{
		Source: strings.ReplaceAll(shape.text, "$", expr),
		Shape:  shape.name, Known: !shape.bad && !calls, Want: want, Syntax: shape.bad,
	}
	if shape.none {
		out.Want = ""
	}
	for i, d := range dresses {
		if dress&(1<<i) != 0 {
			out.Source = d.on(out.Source)
			out.Shape += "+" + d.name
		}
	}
	if f := fences[fence%len(fences)]; f.on != nil {
		out.Source = f.on(out.Source)
		out.Shape += "+" + f.name
	}
	if dress&128 != 0 {
		out.Source = "\ufeff\n" + out.Source + "\u00a0\n"
		out.Shape += "+white space around all"
	}
	if i := spoil % 4; i == 3 { // one text in four
		s := spoils[spoil/4%len(spoils)]
		out.Source, out.Known, out.Syntax, out.Want = s.on(out.Source), false, false, ""
		out.Shape += "+" + s.name
	}
	return out
}

// shapes of a program; the dollar sign is the value.
var shapes = []struct {
	name, text string
	none       bool // it has no value
	calls      bool // a function for a value would be called
	bad        bool // it is no program
}{
	{name: "body", text: "return $"},
	{name: "async arrow", text: "async () => $"},
	{name: "arrow", text: "() => $"},
	{name: "arrow with parameters", text: "async (a, b = 1, ...c) => {return $}"},
	{name: "async arrow with body", text: "async () => {\n  const x = $;\n  return x;\n}"},
	{name: "parenthesised arrow", text: "(async () => $)"},
	{name: "function expression", text: "(function () {return $})"},
	{name: "function declaration", text: "function main() {return $}"},
	{name: "async function declaration", text: "async function main() {return $}"},
	{name: "nameless async function", text: "async function () {return $}"},
	{name: "function and call", text: "async function main() {return $}\nmain()"},
	{name: "function and awaited call", text: "async function main() {return $}\nawait main();"},
	{name: "function and returned call", text: "async function main() {return $}\nreturn main()"},
	{name: "IIFE", text: "(async () => $)()"},
	{name: "IIFE with semicolon", text: "(async () => {return $})();"},
	{name: "old IIFE", text: "(function () {return $}())", calls: true},
	{name: "expression", text: "($)", calls: true},
	{name: "last statement", text: "const x = $;\nx"},
	{name: "last statement is a promise", text: "const x = $;\nPromise.resolve(x);"},
	{name: "top await", text: "const x = await Promise.resolve($);\nreturn x;"},
	{name: "export default function", text: "export default async function () {return $}"},
	{name: "export default named", text: "export default function main() {return $}"},
	{name: "export default arrow", text: "export default async () => $;"},
	{name: "export default value", text: "export default ($);", calls: true},
	{name: "statement only", text: "const x = $;", none: true},
	{name: "empty body", text: "async () => {$;}", none: true},
	{name: "returns in a branch", text: "if (true) {return $}\nreturn 1"},
	{name: "directive", text: "'use strict'; return $"},
	{name: "unclosed", text: "async () => {return $", bad: true},
	{name: "assignment without value", text: "const x = ;\nreturn $", bad: true},
	{name: "two values", text: "$ $ return", bad: true},
	{name: "stray brace", text: "return $}", bad: true},
}

type change struct {
	name string
	on   func(string) string
}

// dresses leave the meaning of a program alone.
var dresses = []change{
	{"CRLF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"comment before", func(s string) string { return "// what it does\n/* and why */ " + s }},
	{"comment after", func(s string) string { return s + "\n// end" }},
	{"white space", func(s string) string { return "\n\t \u00a0\u2003" + s + " \n\n\u2028" }},
	{"byte order mark", func(s string) string { return "\ufeff" + s }},
	{"blank lines", func(s string) string { return "\n\n\n" + s }},
}

// fences do so too, once.
var fences = []change{
	{},
	{"fence", func(s string) string { return "```js\n" + s + "\n```" }},
	{"bare fence", func(s string) string { return "```\r\n" + s + "\r\n```\r\n" }},
	{"tilde fence", func(s string) string { return "\n~~~~ javascript title=x\n" + s + "\n~~~~\n" }},
}

// spoils turn a program into a text of which nothing is known.
var spoils = []change{
	{"junk after", func(s string) string { return s + " }" }},
	{"prose around", func(s string) string { return "Here is the program:\n" + s + "\nHope it helps!" }},
	{"cut", func(s string) string { return s[:len(s)*2/3] }},
	{"half a fence", func(s string) string { return "```\n" + s }},
	{"two fences", func(s string) string { return "```\n" + s + "\n```\n```\n" + s + "\n```" }},
	{"NUL", func(s string) string { return s + "\x00" }},
	{"bad UTF-8", func(s string) string { return s + "\xff\xfe" }},
	{"HTML comment", func(s string) string { return "<!-- x\n" + s + "\n--> y" }},
	{"closes the wrapper", func(s string) string { return s + "\n}); (async () => {" }},
	{"closes and comments", func(s string) string { return s + "\n}) /*" }},
	{"import", func(s string) string { return "import x from 'y';\n" + s }},
	{"export", func(s string) string { return s + "\nexport const y = 1;" }},
	{"hash bang", func(s string) string { return "#!/usr/bin/env node\n" + s }},
	{"semicolons", func(s string) string { return ";;" + s + ";;;" }},
	{"twice", func(s string) string { return s + s }},
	{"surrogate escape", func(s string) string { return s + "\xed\xa0\x80" }},
}
