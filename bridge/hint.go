package bridge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/guestjs/guestjs/contract"
)

// A hint says what to write instead. It is for people and models that wrote
// their program for another place; nothing is decided by it.

// hint finds one for an error that ended the run or that refused the source.
func (r *run) hint(e *contract.GuestError) string {
	switch e.Name {
	case "ReferenceError":
		if name, ok := quoted(e.Message); ok {
			return r.missingGlobal(name)
		}
	case "SyntaxError":
		if r.refused && e.Line > 0 {
			return r.source.hint(e)
		}
		if r.calls.open() > 0 { // one that the program threw, as JSON.parse does
			return awaitHint
		}
	case "TypeError":
		if severalFences(r.program.Source) {
			return fenceHint // three backticks call an empty template
		}
		if r.calls.made > 0 && strings.Contains(e.Message, "not a function") || r.calls.open() > 0 && looksUnawaited(e.Message) {
			return awaitHint
		}
	}
	return ""
}

const awaitHint = "A host call returns a promise: write `await` in front of the call before using its result."

// looksUnawaited reports the engine's words for using a promise as the value it
// stands for.
func looksUnawaited(message string) bool {
	for _, words := range []string{"not iterable", "of undefined", "not an object"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// hint says more about a syntax error.
func (s *source) hint(e *contract.GuestError) string {
	if s.moduleError != "" && strings.Contains(e.Message, "keyword: export") {
		return "Read as a module with its `export`, the text does not compile either: " + s.moduleError + "."
	}
	if h := syntaxHint(s.handed, e.Line, e.Column); h != "" {
		return h
	}
	if s.atEnd(e.Line, e.Column) {
		return "The program ends too early: a bracket, a brace or a quote is not closed."
	}
	return ""
}

// quoted returns the name in the engine's "'name' is not defined".
func quoted(message string) (string, bool) {
	rest, ok := strings.CutPrefix(message, "'")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "' is not defined")
}

var globalHints = map[string]string{
	"require":         "`require` does not exist here: there are no modules to load. Write the code in this program.",
	"module":          "`module` does not exist here. Return the value instead.",
	"exports":         "`exports` does not exist here. Return the value instead.",
	"fetch":           "`fetch` does not exist here: a program has no network.",
	"XMLHttpRequest":  "`XMLHttpRequest` does not exist here: a program has no network.",
	"WebSocket":       "`WebSocket` does not exist here: a program has no network.",
	"setTimeout":      "`setTimeout` does not exist here: there are no timers. Call what you want to call, with `await`.",
	"setInterval":     "`setInterval` does not exist here: there are no timers. Use a loop with `await`.",
	"setImmediate":    "`setImmediate` does not exist here: there are no timers. Use `await null`.",
	"queueMicrotask":  "`queueMicrotask` does not exist here. Use `Promise.resolve().then(f)`.",
	"process":         "`process` does not exist here: a program has no process and no environment.",
	"Buffer":          "`Buffer` does not exist here. Use Uint8Array.",
	"structuredClone": "`structuredClone` does not exist here. Use JSON.parse(JSON.stringify(value)) for plain data.",
	"URL":             "`URL` does not exist here. Take the text apart by hand.",
	"crypto":          "`crypto` does not exist here.",
	"performance":     "`performance` does not exist here. Use Date.now().",
	"TextEncoder":     "`TextEncoder` does not exist here.",
	"TextDecoder":     "`TextDecoder` does not exist here.",
	"atob":            "`atob` does not exist here.",
	"btoa":            "`btoa` does not exist here.",
	"localStorage":    "`localStorage` does not exist here: nothing is kept between two runs.",
	"window":          "`window` does not exist here. Use globalThis.",
	"document":        "`document` does not exist here: there is no page.",
	"global":          "`global` does not exist here. Use globalThis.",
	"Deno":            "`Deno` does not exist here: a program has no access to the system.",
	"Intl":            "`Intl` does not exist here. Format by hand; dates are in UTC.",
	"Bun":             "`Bun` does not exist here: a program has no access to the system.",
}

func (r *run) missingGlobal(name string) string {
	h, known := globalHints[name]
	if !known {
		return ""
	}
	if offer := r.functionNames(); offer != "" {
		h += " Functions that exist: " + offer + "."
	}
	return h
}

// functionNames lists what the program can call.
func (r *run) functionNames() string {
	var names []string
	for _, p := range r.program.Providers {
		for f := range p.Functions {
			names = append(names, p.Name+"."+f)
		}
		for f := range p.Immediate {
			names = append(names, p.Name+"."+f)
		}
	}
	slices.Sort(names)
	const most = 20
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

const fenceHint = "Send the program alone, or in one fence with nothing around it: the text has a fence with prose or a second fence."

// severalFences reports whether a text has fence marks that were not taken for
// one fence around it.
func severalFences(text string) bool {
	_, inside := unfence(text)
	return strings.Count(inside, "```") > 1
}

// syntaxHint names the construct at a place that the parser refused, or near
// it.
func syntaxHint(text string, line, column int) string {
	at := text
	for ; line > 1; line-- {
		_, at, _ = strings.Cut(at, "\n")
	}
	at, _, _ = strings.Cut(at, "\n")
	trimmed := strings.TrimSpace(at)
	first, _, _ := strings.Cut(trimmed, " ")
	first = strings.TrimFunc(first, func(r rune) bool { return !isWordPart(r) })
	switch {
	case strings.ContainsAny(at, "\u201C\u201D\u2018\u2019"):
		return "The text has typographic quotes (\u201C \u201D \u2018 \u2019). Use \" or '."
	case severalFences(text) || strings.Count(text, "~~~") > 1:
		return fenceHint
	case strings.HasPrefix(trimmed, "import(") || first == "import":
		return "`import` does not work here: there are no modules to load. Write the code in this program; host functions are globals."
	case first == "export":
		return "`export` works only as one `export default`. Return the value instead."
	case typeScript(trimmed, first, at, column):
		return "This looks like TypeScript. Types are not accepted: write plain JavaScript without annotations, interfaces, enums and `as`."
	case strings.Contains(at, "await ") || strings.Contains(at, "await("):
		return "`await` works in the program itself and in functions that are `async`: write `async` in front of this one."
	case strings.HasPrefix(trimmed, "#!"):
		return "A `#!` line is not accepted. Leave it out."
	}
	return ""
}

// typeScript guesses whether the parser stopped at a type.
func typeScript(trimmed, first, line string, column int) bool {
	switch first {
	case "interface", "type", "enum", "namespace", "declare", "abstract", "private", "public", "protected", "readonly":
		return true
	}
	for _, token := range []string{": string", ": number", ": boolean", ": any", ": void", ": unknown", ": Promise<", "[] =", " as ", "satisfies ", "<T>", ": Record<", ": Array<"} {
		if strings.Contains(line, token) {
			return true
		}
	}
	// An annotation: the parser expected something else where a colon stands.
	return column > 0 && column <= len(line) && line[column-1] == ':'
}
