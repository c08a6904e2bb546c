package grammar

// Reach makes a program and counts, under "rule/alternative", what it took.
func Reach(data []byte, o Options, seen map[string]int) string {
	g := newGen(data, o)
	g.seen = seen
	g.program()
	return g.out.String()
}

// ReachThrow does so for a thrown value.
func ReachThrow(data []byte, o Options, seen map[string]int) string {
	o.Script = true
	g := newGen(data, o)
	g.seen = seen
	g.expand("trapped")
	return g.out.String()
}

// Rules are the texts of every rule's alternatives.
func Rules() map[string][]string {
	out := map[string][]string{}
	for rule, alts := range rules {
		for _, a := range alts {
			out[rule] = append(out[rule], a.text)
		}
	}
	return out
}

// Known reports whether a word after a dollar sign is a hook, and a rule.
func Known(word string) (hook, rule bool) {
	_, hook = hooks[word]
	_, rule = rules[word]
	return hook, rule
}

// Shapes, Dresses and Spoils name the parts of Source.
func Shapes() (out []string) {
	for _, s := range shapes {
		out = append(out, s.name)
	}
	for _, list := range [][]change{dresses, fences[1:], spoils} {
		for _, c := range list {
			out = append(out, "+"+c.name)
		}
	}
	return append(out, "+white space around all")
}

const (
	Overrun = overrun
	OpKinds = int(opKinds)
)
