package grammar_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/fuzz/internal/grammar"
)

// tapes are n tapes of random bytes, the same at each run.
func tapes(n, most int, f func(i int, tape []byte)) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		tape := make([]byte, r.IntN(most+1))
		for j := range tape {
			tape[j] = byte(r.Uint32())
		}
		f(i, tape)
	}
}

func options(t *rapid.T) grammar.Options {
	return grammar.Options{
		Size: rapid.IntRange(-1, 1<<17).Draw(t, "size"), Depth: rapid.IntRange(-1, 60).Draw(t, "depth"),
		Script: rapid.Bool().Draw(t, "script"), Fixed: rapid.Bool().Draw(t, "fixed"), Endless: rapid.Bool().Draw(t, "endless"),
	}
}

// Everything is a function of the tape, of bounded size, and valid UTF-8.
func TestSameTapeSameAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tape := rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "tape")
		o := options(t)
		program := grammar.Program(tape, o)
		require.Equal(t, program, grammar.Program(tape, o))
		size := o.Size
		if size <= 0 {
			size = 4096
		}
		require.LessOrEqual(t, len(program), min(size, 1<<16)+grammar.Overrun)
		require.True(t, utf8.ValidString(program))

		thrown := grammar.Throw(tape, o)
		require.Equal(t, thrown, grammar.Throw(tape, o))
		require.LessOrEqual(t, len(thrown), min(size, 1<<16)+grammar.Overrun)

		expr, text := grammar.Value(tape)
		again, sameText := grammar.Value(tape)
		require.Equal(t, []string{expr, text}, []string{again, sameText})
		require.LessOrEqual(t, len(expr), 1<<16)
		require.True(t, text == "" || json.Valid([]byte(text)), "%s", text)

		require.Equal(t, grammar.Source(tape), grammar.Source(tape))
		require.Equal(t, grammar.Ops(tape), grammar.Ops(tape))
	})
}

// What was made of the first bytes stands when later ones change.
func TestChangeNearTheEndIsASmallEdit(t *testing.T) {
	tapes(200, 400, func(_ int, tape []byte) {
		if len(tape) < 100 {
			return
		}
		o := grammar.Options{Size: 1 << 16}
		a := grammar.Program(tape, o)
		tape[len(tape)-1]++
		b := grammar.Program(tape, o)
		same := 0
		for same < min(len(a), len(b)) && a[same] == b[same] {
			same++
		}
		require.Greater(t, same, len(a)/4, "%s\n---\n%s", a, b)
	})
}

func TestEmptyTapeIsTheSmallestProgram(t *testing.T) {
	require.Equal(t, ";\n", grammar.Program(nil, grammar.Options{}))
	require.Equal(t, "1", grammar.Throw(nil, grammar.Options{}))
	expr, text := grammar.Value(nil)
	require.Equal(t, "null", expr)
	require.Equal(t, "null", text)
	require.Equal(t, grammar.Text{Source: "return null", Shape: "body", Known: true, Want: "null"}, grammar.Source(nil))
	require.Empty(t, grammar.Ops(nil))
}

var word = regexp.MustCompile(`\$([a-zA-Z]+)`)

// Every word is a hook or a rule, never both, and the first alternatives form
// no cycle, so that a program ends when its tape does.
func TestRules(t *testing.T) {
	rules := grammar.Rules()
	leaf := map[string]bool{}
	var check func(rule string, path []string)
	check = func(rule string, path []string) {
		require.NotContains(t, path, rule, "the first alternatives go round in a circle")
		if leaf[rule] {
			return
		}
		for _, m := range word.FindAllStringSubmatch(rules[rule][0], -1) {
			if _, isRule := grammar.Known(m[1]); isRule {
				check(m[1], append(path, rule))
			}
		}
		leaf[rule] = true
	}
	for rule, alts := range rules {
		require.NotEmpty(t, alts, rule)
		for _, a := range alts {
			for _, m := range word.FindAllStringSubmatch(a, -1) {
				hook, isRule := grammar.Known(m[1])
				require.NotEqual(t, hook, isRule, "%s: $%s", rule, m[1])
			}
			require.Equal(t, strings.Count(a, "$In")+strings.Count(a, "$Strict"), strings.Count(a, "$Out"), "%s: %s", rule, a)
		}
		check(rule, nil)
	}
}

// Every alternative is taken sooner or later.
func TestEveryAlternativeIsReached(t *testing.T) {
	seen := map[string]int{}
	rules, missing := grammar.Rules(), 1
	tapes(12000, 1200, func(i int, tape []byte) {
		if i%500 == 0 {
			missing = 0
			for rule, alts := range rules {
				for i := range alts {
					if !written[rule] && seen[fmt.Sprintf("%s/%d", rule, i)] == 0 {
						missing++
					}
				}
			}
		}
		if missing == 0 {
			return
		}
		o := grammar.Options{Size: 1 << 16, Depth: 20, Endless: i%4 == 0, Script: i%8 == 1}
		grammar.Reach(tape, o, seen)
		grammar.ReachThrow(tape, o, seen)
	})
	for rule, alts := range rules {
		for i, a := range alts {
			if !written[rule] {
				require.Positive(t, seen[fmt.Sprintf("%s/%d", rule, i)], "%s is never %s", rule, a)
			}
		}
	}
}

// Rules that a hook writes itself, without counting.
var written = map[string]bool{"pfield": true, "pmethod": true, "paccess": true}

func TestEveryShapeIsReached(t *testing.T) {
	seen := map[string]int{}
	known, syntax := 0, 0
	tapes(5000, 60, func(_ int, tape []byte) {
		s := grammar.Source(tape)
		for i, part := range strings.Split(s.Shape, "+") {
			if i > 0 {
				part = "+" + part
			}
			seen[part]++
		}
		if s.Known {
			known++
		}
		if s.Syntax {
			syntax++
			require.False(t, s.Known)
		}
	})
	for _, name := range grammar.Shapes() {
		require.Positive(t, seen[name], name)
	}
	require.Greater(t, known, 2000)
	require.Greater(t, syntax, 200)
}

func TestEveryOpIsReached(t *testing.T) {
	seen := map[grammar.OpKind]int{}
	tapes(200, 500, func(_ int, tape []byte) {
		for _, op := range grammar.Ops(tape) {
			seen[op.Kind]++
			require.True(t, op.Amount >= 1 && op.Amount <= 8 && op.Which >= 0 && op.Which < 32, "%+v", op)
		}
	})
	for k := range grammar.OpKinds {
		require.Positive(t, seen[grammar.OpKind(k)], grammar.OpKind(k).String())
	}
	require.Equal(t, "op(200)", grammar.OpKind(200).String())
}

func TestFixedLeavesOutWhatDiffers(t *testing.T) {
	tapes(500, 800, func(_ int, tape []byte) {
		p := grammar.Program(tape, grammar.Options{Fixed: true, Size: 1 << 16})
		for _, not := range []string{"Date.now", "Math.random", "new Date()", "tools.echo"} {
			require.NotContains(t, p, not)
		}
	})
}

func ExampleProgram() {
	fmt.Print(grammar.Program([]byte("\x02\x03\x10"), grammar.Options{}))
	// Output: let v0 = ({then(y) {y(1)}});
}
