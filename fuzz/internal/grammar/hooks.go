package grammar

import (
	"bytes"
	"encoding/json"
	"strings"
)

// flags are what a place allows and an alternative needs.
type flags uint32

const (
	async     flags = 1 << iota // await is an operator
	generator                   // yield is an operator
	function                    // return is allowed
	loop                        // continue is allowed
	breakable                   // break is allowed
	labelled                    // a labelled loop is around
	blocked                     // a labelled block is around
	private                     // private names are in scope
	named                       // variables are in scope
	method                      // super.x is allowed
	derived                     // super() is allowed
	target                      // new.target and arguments are allowed
	sloppy                      // not strict code
	endless                     // Options.Endless
	ambient                     // not Options.Fixed
)

func (f flags) has(need flags) bool { return f&need == need }

// alt is one alternative of a rule.
type alt struct {
	need flags
	text string
}

// always makes the alternatives that need nothing.
func always(texts ...string) []alt { return when(0, texts...) }

// when makes alternatives with a need.
func when(need flags, texts ...string) []alt {
	out := make([]alt, len(texts))
	for i, t := range texts {
		out[i] = alt{need, t}
	}
	return out
}

func join(parts ...[]alt) []alt {
	var out []alt
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// rules and hooks are filled by init, since hooks expand rules.
var (
	rules = map[string][]alt{}
	hooks map[string]func(*gen)
)

func init() {
	const inner = method | derived | target // arrows see these of the function around
	hooks = map[string]func(*gen){
		// names
		"new":  func(g *gen) { g.out.WriteString(g.declare()) },
		"bind": func(g *gen) { g.out.WriteString(g.declare()); g.publish() },
		"id": func(g *gen) {
			if n := len(g.at.names); n > 0 {
				g.out.WriteString(g.at.names[n-1-g.t.pick(n)]) // the newest first
			} else {
				g.out.WriteString("globalThis")
			}
		},
		"priv":  func(g *gen) { g.out.WriteString(g.t.one(g.at.secret...)) },
		"lab":   func(g *gen) { g.out.WriteString(g.t.one(g.at.labels...)) },
		"blab":  func(g *gen) { g.out.WriteString(g.t.one(g.at.blocks...)) },
		"ns":    func(g *gen) { g.out.WriteString(g.t.one(g.o.Namespaces...)) },
		"hostq": func(g *gen) { g.out.WriteString(quote(g.t.one(g.o.Functions...))) },

		// statements
		"block":     func(g *gen) { g.in(func() { g.list("stmt", 0, 4) }) },
		"loop":      func(g *gen) { g.in(func() { g.at.is |= loop | breakable; g.list("stmt", 1, 3) }) },
		"switch":    func(g *gen) { g.in(func() { g.at.is |= breakable; g.list("case", 1, 3) }) },
		"loops":     func(g *gen) { g.label(&g.at.labels, "loopstmt") },
		"blocks":    func(g *gen) { g.label(&g.at.blocks, "blockstmt") },
		"scope":     func(g *gen) { g.in(func() { g.expand("scoped") }) },
		"loopscope": func(g *gen) { g.in(func() { g.expand("loopstmt") }) },

		// functions: each writes parameters and body
		"fn":       func(g *gen) { g.function(target, 0) },
		"afn":      func(g *gen) { g.function(target|async, 0) },
		"gfn":      func(g *gen) { g.function(target|generator, 0) },
		"agfn":     func(g *gen) { g.function(target|async|generator, 0) },
		"meth":     func(g *gen) { g.function(target|method, 0) },
		"ameth":    func(g *gen) { g.function(target|method|async, 0) },
		"gmeth":    func(g *gen) { g.function(target|method|generator, 0) },
		"agmeth":   func(g *gen) { g.function(target|method|async|generator, 0) },
		"ctor":     func(g *gen) { g.function(target|method|derived, 0) },
		"arrow":    func(g *gen) { g.function(0, inner) },
		"aarrow":   func(g *gen) { g.function(async, inner) },
		"getter":   func(g *gen) { g.body(target|method, 0) },
		"setter":   func(g *gen) { g.setter() },
		"static":   func(g *gen) { g.under(method, 0, func() { g.list("stmt", 0, 3) }) },
		"field":    func(g *gen) { g.under(method, 0, func() { g.expand("expr") }) },
		"concise":  func(g *gen) { g.under(function, 0, func() { g.expand("expr") }) },
		"arrowed":  func(g *gen) { g.under(function, inner, func() { g.expand("expr") }) },
		"aarrowed": func(g *gen) { g.under(function|async, inner, func() { g.expand("expr") }) },
		"class":    func(g *gen) { g.class() },
		// between In and Out is the inside of a function that a rule spells out
		"run":    func(g *gen) { g.under(function, 0, func() { g.list("stmt", 0, 2) }) },
		"In":     func(g *gen) { g.outside = append(g.outside, g.at); g.publish(); g.narrow(function, 0) },
		"Strict": func(g *gen) { g.outside = append(g.outside, g.at); g.at.is &^= sloppy | derived },
		"Out":    func(g *gen) { last := len(g.outside) - 1; g.at = g.outside[last]; g.outside = g.outside[:last] },

		// lists
		"args":    func(g *gen) { g.separated("arg", 3) },
		"elems":   func(g *gen) { g.separated("elem", 5) },
		"props":   func(g *gen) { g.separated("prop", 4) },
		"targets": func(g *gen) { g.separated("target", 4) },
		"chain":   func(g *gen) { g.list("link", 1, 4) },
		"steps":   func(g *gen) { g.list("step", 1, 4) },
		"traps":   func(g *gen) { g.separated("trap", 4) },

		// programs within programs
		"code": func(g *gen) { g.code() },
	}
}

// declare hands out a name that comes into scope when its statement is
// complete.
func (g *gen) declare() string {
	v := name("v", g.fresh)
	g.fresh++
	g.late = append(g.late, v)
	return v
}

// publish brings the names handed out so far into scope at once.
func (g *gen) publish() {
	g.at.names = append(g.at.names[:len(g.at.names):len(g.at.names)], g.late...)
	g.late = nil
}

// in writes something in a scope of its own.
func (g *gen) in(write func()) {
	saved, late := g.at, g.late
	g.publish()
	write()
	g.at, g.late = saved, late
}

// under writes something that sees the variables around it and, of all else a
// place allows, only what is given and what it may inherit.
func (g *gen) under(gains, inherits flags, write func()) {
	g.in(func() {
		g.narrow(gains, inherits)
		write()
	})
}

func (g *gen) narrow(gains, inherits flags) {
	const everywhere = sloppy | endless | ambient
	g.at.is = g.at.is&(everywhere|inherits) | gains
	g.at.labels, g.at.blocks = nil, nil
}

func (g *gen) list(rule string, least, most int) {
	for range least + g.t.pick(most-least+1) {
		g.expand(rule)
	}
}

func (g *gen) separated(rule string, most int) {
	for i := range g.t.pick(most + 1) {
		if i > 0 {
			g.out.WriteByte(',')
		}
		g.expand(rule)
	}
}

// function writes parameters and a body. Parameters may hold neither await nor
// yield, whatever the function is.
func (g *gen) function(gains, inherits flags) {
	g.in(func() {
		outside := g.at.is
		g.narrow(gains&^(async|generator), inherits)
		g.out.WriteByte('(')
		g.separated("param", 3)
		g.out.WriteByte(')')
		g.publish()
		if inherits != 0 {
			g.out.WriteString("=>")
		}
		g.at.is = outside
		g.body(gains, inherits)
	})
}

func (g *gen) body(gains, inherits flags) {
	g.under(gains|function, inherits, func() {
		g.out.WriteByte('{')
		g.list("stmt", 0, 4)
		g.out.WriteByte('}')
	})
}

func (g *gen) setter() {
	g.in(func() {
		g.out.WriteString("(" + g.declare() + ")")
		g.body(target|method, 0)
	})
}

// label writes a labelled statement.
func (g *gen) label(labels *[]string, rule string) {
	g.in(func() {
		l := name("L", g.fresh)
		g.fresh++
		*labels = append((*labels)[:len(*labels):len(*labels)], l)
		g.out.WriteString(l + ":")
		g.expand(rule)
	})
}

// class writes the heritage and the body of a class. Its private names are a
// field, a method and an accessor pair, of which any may be missing.
func (g *gen) class() {
	g.in(func() {
		g.at.is &^= sloppy
		heir := false
		if g.t.oddly(2) {
			g.out.WriteString(" extends ")
			g.expand("parent")
			heir = true
		}
		g.out.WriteByte('{')
		have := g.t.pick(8)
		kinds := []string{"pfield", "pmethod", "paccess"}
		var own []string
		for i := range kinds {
			own = append(own, name("#p", g.fresh+i))
		}
		g.fresh += len(kinds)
		var mine []string
		for i := range kinds {
			if have&(1<<i) != 0 {
				mine = append(mine, own[i])
			}
		}
		g.at.secret = append(g.at.secret[:len(g.at.secret):len(g.at.secret)], mine...)
		for i, kind := range kinds {
			if have&(1<<i) != 0 {
				g.text(strings.ReplaceAll(rules[kind][g.t.pick(len(rules[kind]))].text, "#", own[i]))
			}
		}
		if heir {
			g.expand("heirctor")
		} else {
			g.expand("ctordef")
		}
		g.list("member", 0, 4)
		g.out.WriteByte('}')
	})
}

// code writes a program as a string literal.
func (g *gen) code() {
	if g.depth+4 >= g.o.Depth {
		g.out.WriteString(`"1"`)
		return
	}
	inner := &gen{t: g.t, o: g.o, depth: g.depth + 4, fresh: g.fresh, seen: g.seen}
	inner.o.Size = max(1, min(g.o.Size-g.out.Len(), 512))
	inner.at.is = g.at.is & (endless | ambient)
	inner.at.is |= sloppy
	for range 1 + g.t.pick(3) {
		inner.expand("stmt")
	}
	g.fresh = inner.fresh
	g.out.WriteString(quote(inner.out.String()))
}

// quote writes a string literal that JavaScript and JSON read alike.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(s) != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
