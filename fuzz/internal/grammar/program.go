package grammar

import "strings"

// Options bound a program and say where it will run. The zero value is a
// program for a sandbox.
type Options struct {
	// Size is the length in bytes at which a program stops to grow; what was
	// begun is still closed. Default 4096, at most 65536.
	Size int
	// Depth is how deep rules nest. Default 14, at most 40.
	Depth int
	// Namespaces are the globals on which host functions are called. Default
	// "tools".
	Namespaces []string
	// Functions are the names called on them. Default [HostFunctions].
	Functions []string
	// Script asks for a text without await and return at its top.
	Script bool
	// Fixed leaves out what differs from run to run or engine to engine by
	// design: clocks, random numbers, host calls, logs, the size of the stack.
	Fixed bool
	// Endless lets in loops without end, and builtins that run for seconds or
	// ask for gigabytes.
	Endless bool
}

// HostFunctions are the names that programs call by default. Which of them
// exist is for the caller to say; the last ones are there to be refused.
var HostFunctions = [...]string{
	"echo", "fail", "refuse", "never", "late", "big", "bad",
	"missing", "then", "toString", "__proto__", "constructor", "a b", "",
}

const (
	defaultSize, maxSize   = 4096, 1 << 16
	defaultDepth, maxDepth = 14, 40
	// overrun bounds what may follow once Size is reached: the ends of what is
	// open, each a few leaves.
	overrun = 1 << 11
	// topStatements bounds the statements at the top of a program.
	topStatements = 60
)

func (o Options) normal() Options {
	o.Size = clamp(o.Size, defaultSize, maxSize)
	o.Depth = clamp(o.Depth, defaultDepth, maxDepth)
	if len(o.Namespaces) == 0 {
		o.Namespaces = []string{"tools"}
	}
	if len(o.Functions) == 0 {
		o.Functions = HostFunctions[:]
	}
	return o
}

func clamp(n, byDefault, most int) int {
	if n <= 0 {
		return byDefault
	}
	return min(n, most)
}

// Program makes a program of a tape: statements, until the tape ends. It is at
// most Size and some kilobytes long, and meant as the body of an async function
// (a script, when Script is set). ECMA-262 is the grammar.
func Program(data []byte, o Options) string {
	g := newGen(data, o)
	g.program()
	return g.out.String()
}

func (g *gen) program() {
	for n := 0; n < topStatements; n++ {
		g.expand("stmt")
		g.out.WriteByte('\n')
		if g.t.ended() || g.full() {
			return
		}
	}
}

// gen expands rules. Its ctx is what holds at the place it has come to.
type gen struct {
	t       *tape
	o       Options
	out     strings.Builder
	at      ctx
	depth   int
	fresh   int            // names handed out
	late    []string       // names declared by a statement that is not complete yet
	seen    map[string]int // how often each alternative was taken; nil but in tests
	outside []ctx          // what to go back to at each Out
}

// ctx is what a place in a program allows.
type ctx struct {
	is     flags
	names  []string // variables in scope
	labels []string // loops around
	blocks []string // labelled blocks around
	secret []string // private names of the classes around
}

func newGen(data []byte, o Options) *gen {
	g := &gen{t: &tape{data: data}, o: o.normal()}
	g.at.is = sloppy
	if !o.Script {
		g.at.is |= async | function
	}
	if o.Endless {
		g.at.is |= endless
	}
	if !o.Fixed {
		g.at.is |= ambient
	}
	return g
}

func (g *gen) full() bool { return g.out.Len() >= g.o.Size }

// expand writes one alternative of a rule, the first when nothing more may
// grow.
func (g *gen) expand(rule string) {
	open := rules[rule]
	i := 0
	if g.depth < g.o.Depth && !g.full() && !g.t.ended() {
		i = g.choose(open)
	}
	if g.seen != nil {
		g.seen[name(rule+"/", i)]++
	}
	g.depth++
	g.text(open[i].text)
	g.depth--
	if rule == "stmt" {
		g.publish()
	}
}

// choose picks among the alternatives whose needs are met.
func (g *gen) choose(open []alt) int {
	is, n := g.flags(), 0
	for _, a := range open {
		if is.has(a.need) {
			n++
		}
	}
	k := g.t.pick(n)
	for i, a := range open {
		if !is.has(a.need) {
			continue
		}
		if k == 0 {
			return i
		}
		k--
	}
	return 0
}

// flags adds to those of the place what depends on the names around it.
func (g *gen) flags() flags {
	is := g.at.is
	for _, f := range []struct {
		flag  flags
		names []string
	}{{labelled, g.at.labels}, {blocked, g.at.blocks}, {private, g.at.secret}, {named, g.at.names}} {
		if len(f.names) > 0 {
			is |= f.flag
		}
	}
	return is
}

// text writes the text of an alternative. A dollar sign and letters is a hook
// or a rule; any other dollar sign is itself.
func (g *gen) text(t string) {
	for {
		at := strings.IndexByte(t, '$')
		if at < 0 {
			g.out.WriteString(t)
			return
		}
		g.out.WriteString(t[:at])
		t = t[at+1:]
		end := 0
		for end < len(t) && (t[end] >= 'a' && t[end] <= 'z' || t[end] >= 'A' && t[end] <= 'Z') {
			end++
		}
		word := t[:end]
		t = t[end:]
		if hook, ok := hooks[word]; ok {
			hook(g)
		} else if _, ok := rules[word]; ok {
			g.expand(word)
		} else {
			g.out.WriteString("$" + word)
		}
	}
}
