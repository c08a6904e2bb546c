package contract_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/guestjs/guestjs/contract"
)

func TestSanitizeName(t *testing.T) {
	tests := []struct{ name, given, want string }{
		{"plain", "QuickJS", "QuickJS"},
		{"padded", "  padded  ", "padded"},
		{"controls", "we\u0001ird\nname", "we ird name"},
		{"long", strings.Repeat("x", 60), strings.Repeat("x", 40)},
		{"exactly long", strings.Repeat("x", 40), strings.Repeat("x", 40)},
		{"emoji", "emoji 😀 box", "emoji box"},
		{"empty", "", ""},
		{"blank", "   ", ""},
		{"nothing left", "😀\x00é", ""},
		{"accents", "été", "t"},
		{"all that is allowed", "v1.2+build-3 _under_score", "v1.2+build-3 _under_score"},
		{"markup", "<b>x</b>", "b x b"},
		{"cut between words", "abcdefghij abcdefghij abcdefghij abcdefg hij", "abcdefghij abcdefghij abcdefghij abcdefg"},
		{"cut at a space", strings.Repeat("x", 39) + " y", strings.Repeat("x", 39)},
		{"not UTF-8", "a\xffb", "a b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, contract.SanitizeName(test.given))
		})
	}
}

func TestSanitizeNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-c \n!]{0,60}`)).Draw(t, "name")
		name := contract.SanitizeName(given)
		switch {
		case len(name) > 40:
			t.Fatalf("%q is longer than 40", name)
		case strings.TrimSpace(name) != name, strings.Contains(name, "  "):
			t.Fatalf("%q has white space to spare", name)
		case contract.SanitizeName(name) != name:
			t.Fatalf("%q changes again", name)
		}
		for _, r := range name {
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ .+-", r) {
				t.Fatalf("%q contains %q", name, r)
			}
		}
	})
}

type nameOf struct {
	undeclared
	name string
}

func (n nameOf) Name() string { return n.name }

// Blank has a name that says nothing, so that its type's counts.
type Blank struct{ nameOf }

type Generic[T any] struct{ undeclared }

func TestName(t *testing.T) {
	var nilPool *Pool
	tests := []struct {
		name string
		e    contract.Executor
		want string
	}{
		{"declared", nameOf{name: " My Box! "}, "My Box"},
		{"nothing left of it", nameOf{name: "😀"}, ""},
		{"blank, exported type", Blank{nameOf{name: " \t\n"}}, "Blank"},
		{"blank, unexported type", nameOf{}, ""},
		{"exported type", Blank{}, "Blank"},
		{"pointer to an exported type", &Pool{}, "Pool"},
		{"generic type", &Generic[map[string]int]{}, "Generic"},
		{"unexported type", undeclared{}, ""},
		{"type without a name", struct{ undeclared }{}, ""},
		{"nil", nil, ""},
		{"nil pointer", nilPool, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, contract.Name(test.e))
		})
	}
}
