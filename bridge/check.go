package bridge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/units"
	"github.com/guestjs/guestjs/quickjs"
)

// check finds everything that is wrong with a program before anything runs,
// and returns the limits it runs under.
func (s *Sandbox) check(p *contract.Program) (contract.Limits, error) {
	if err := p.Limits.Validate(); err != nil {
		return contract.Limits{}, err
	}
	l := p.Limits.Or(s.limits)
	switch {
	case l.Memory > s.limits.Memory:
		return l, invalid("Limits.Memory is %d bytes, more than the %d the sandbox was built with", l.Memory, s.limits.Memory)
	case l.Stack > s.limits.Stack:
		return l, invalid("Limits.Stack is %d bytes, more than the %d the sandbox was built with", l.Stack, s.limits.Stack)
	case l.Source > s.limits.Source:
		return l, invalid("Limits.Source is %d bytes, more than the %d the sandbox was built with", l.Source, s.limits.Source)
	case int64(len(p.Source)) > l.Source:
		return l, invalid("the source is %d bytes, over the limit of %d; raise Limits.Source or send less", len(p.Source), l.Source)
	case !utf8.ValidString(p.Source):
		return l, invalid("the source is not UTF-8 (first bad byte at offset %d)", badByte(p.Source))
	}
	if !utf8.ValidString(p.Name) || strings.ContainsFunc(p.Name, unicode.IsControl) {
		return l, invalid("Program.Name %q is not UTF-8 or contains a control character", p.Name)
	}
	if !p.Clock.IsZero() {
		switch ms := p.Clock.UnixMilli(); {
		case s.opts.HostTimeZone:
			return l, invalid("Program.Clock cannot be set on a sandbox made with Options.HostTimeZone")
		case ms < -maxDate || ms > maxDate:
			return l, invalid("Program.Clock is %v; a JavaScript date is within 100,000,000 days of 1970", p.Clock)
		}
	}
	switch n := len(p.Providers); {
	case n == 0 && len(p.Globals) == 0:
		return l, nil
	case n > quickjs.MaxHostNamespaces:
		return l, invalid("the program has %d providers; at most %d are possible", n, quickjs.MaxHostNamespaces)
	}
	return l, s.checkNames(p)
}

// checkNames finds what is wrong with what a program is to see.
func (s *Sandbox) checkNames(p *contract.Program) error {
	taken := map[string]string{}
	claim := func(name, what string) error {
		switch {
		case !isIdentifier(name):
			return invalid("%s name %q is not a JavaScript identifier; use letters, digits, _ and $", what, name)
		case s.guest.globals[name]:
			return invalid("%s name %q clashes with a global that exists; choose another", what, name)
		case taken[name] != "":
			return invalid("%s name %q is used twice (also by a %s)", what, name, taken[name])
		}
		taken[name] = what
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.Globals)) {
		if err := claim(name, "global"); err != nil {
			return err
		}
		if !json.Valid(p.Globals[name]) {
			return invalid("global %q is not JSON text", name)
		}
	}
	for _, pr := range p.Providers {
		if err := claim(pr.Name, "provider"); err != nil {
			return err
		}
		if err := checkFunctions(&pr); err != nil {
			return err
		}
		if !utf8.ValidString(pr.Prelude) {
			return invalid("the prelude of provider %q is not UTF-8", pr.Name)
		}
	}
	return nil
}

// checkFunctions finds what is wrong with a provider's functions, and names the
// first one in alphabetical order.
func checkFunctions(p *contract.Provider) error {
	names := slices.AppendSeq(slices.Collect(maps.Keys(p.Functions)), maps.Keys(p.Immediate))
	slices.Sort(names)
	for i, name := range names {
		switch {
		case i > 0 && names[i-1] == name:
			return invalid("function %s.%s is listed twice, in Functions and in Immediate", p.Name, name)
		case p.Functions[name] == nil && p.Immediate[name] == nil:
			return invalid("function %s.%s is nil", p.Name, name)
		case !utf8.ValidString(name):
			return invalid("function name %q of provider %q is not UTF-8, so that no program could call it", name, p.Name)
		case units.Count(name) > maxText:
			return invalid("a function name of provider %q has %d characters; at most %d are possible", p.Name, units.Count(name), maxText)
		}
	}
	return nil
}

// maxDate is the largest time value of ECMA-262 section 21.4.1.1, in
// milliseconds.
const maxDate = 8_640_000_000_000_000

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{contract.ErrInvalid}, args...)...)
}

func badByte(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

// isIdentifier reports whether name can be written as a plain reference in
// sloppy and strict code (ECMA-262 IdentifierReference, without escapes).
func isIdentifier(name string) bool {
	if name == "" || reserved[name] {
		return false
	}
	for i, r := range name {
		switch {
		case r == '$' || r == '_' || unicode.IsLetter(r) || unicode.Is(unicode.Nl, r):
		case i > 0 && (unicode.IsDigit(r) || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Pc) || r == 0x200C || r == 0x200D):
		default:
			return false
		}
	}
	return true
}

var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
		"do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements",
		"import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
		"return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
	} {
		m[w] = true
	}
	return m
}()
