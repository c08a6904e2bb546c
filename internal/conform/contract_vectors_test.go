package conform_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/internal/conform"
)

func answerContract(_ *testing.T, v conform.Vector) (conform.Value, error) {
	switch op := v.Input.Text("op"); op {
	case "name":
		name := contract.SanitizeName(v.Input.Text("name")) // a number is no name, in Go by its type
		return conform.Object{{Key: "name", Value: orNull(name)}}, nil
	case "assert":
		return assertDeclared(v.Input)
	case "custom":
		return custom(v.Input)
	default:
		return nil, fmt.Errorf("unknown op %q", op)
	}
}

func orNull(s string) conform.Value {
	if s == "" {
		return nil
	}
	return s
}

// declared is an executor that declares what the vector's brand says. What Go
// has no counterpart of (an enumerable brand, one without execute) declares
// nothing; an inherited brand is that of an embedded executor.
type declared struct {
	plain
	lifecycle func(contract.Executor) contract.Lifecycle
}

func (d *declared) Lifecycle() contract.Lifecycle { return d.lifecycle(d) }

type inherits struct{ *declared }

type plain struct{}

func (plain) Execute(context.Context, contract.Program) (contract.Outcome, error) {
	return contract.Outcome{}, nil
}

func assertDeclared(input conform.Object) (conform.Value, error) {
	brand, _ := input.Get("brand")
	o, _ := brand.(conform.Object)
	_, enumerable := input.Get("enumerable")
	_, noExecute := input.Get("noExecute")
	_, inherited := input.Get("inherited")
	promise := map[string]contract.Lifecycle{
		"leased": contract.Leased, "self-managed": contract.SelfManaged,
	}[o.Text("lifecycle")]
	var e contract.Executor = plain{}
	if o != nil && !enumerable && !noExecute && o.Number("version") == 1 {
		d := &declared{lifecycle: promise.Of}
		e = d
		if inherited {
			e = inherits{d}
		}
	}
	if err := contract.Check(e); err != nil {
		return conform.Object{{Key: "error", Value: err.Error()}}, nil
	}
	return conform.Object{{Key: "ok", Value: true}}, nil
}

type closes struct{}

func (closes) Close(context.Context) error { return nil }

type acquires struct{}

func (acquires) Acquire(context.Context, contract.AcquireOptions) (contract.Lease, error) {
	return nil, errors.New("not asked")
}

type snapshots struct{}

func (snapshots) Snapshot() contract.Snapshot { return contract.Snapshot{} }

type name string

func (n name) Name() string { return string(n) }

// withMembers makes an executor of an unexported type that has the powers a
// vector lists. Go decides by type whether a value has a method, so each
// combination is a type of its own.
func withMembers(has []string, called string) (contract.Executor, error) {
	if !slices.Contains(has, "execute") {
		return nil, nil // not an executor, which Go's types refuse already
	}
	slices.Sort(has)
	n := name(called)
	switch key := strings.Join(has, " "); {
	case key == "execute" && called == "":
		return plain{}, nil
	case key == "execute":
		return struct {
			plain
			name
		}{name: n}, nil
	case key == "close execute" && called == "":
		return struct {
			plain
			closes
		}{}, nil
	case key == "close execute":
		return struct {
			plain
			closes
			name
		}{name: n}, nil
	case key == "acquire execute" && called == "":
		return struct {
			plain
			acquires
		}{}, nil
	case key == "acquire execute":
		return struct {
			plain
			acquires
			name
		}{name: n}, nil
	case key == "admissionSnapshot execute" && called == "":
		return struct {
			plain
			snapshots
		}{}, nil
	case key == "admissionSnapshot execute":
		return struct {
			plain
			snapshots
			name
		}{name: n}, nil
	case key == "acquire close execute" && called == "":
		return struct {
			plain
			closes
			acquires
		}{}, nil
	case key == "acquire close execute":
		return struct {
			plain
			closes
			acquires
			name
		}{name: n}, nil
	case key == "admissionSnapshot close execute" && called == "":
		return struct {
			plain
			closes
			snapshots
		}{}, nil
	case key == "admissionSnapshot close execute":
		return struct {
			plain
			closes
			snapshots
			name
		}{name: n}, nil
	case key == "acquire admissionSnapshot execute" && called == "":
		return struct {
			plain
			acquires
			snapshots
		}{}, nil
	case key == "acquire admissionSnapshot execute":
		return struct {
			plain
			acquires
			snapshots
			name
		}{name: n}, nil
	case key == "acquire admissionSnapshot close execute" && called == "":
		return struct {
			plain
			closes
			acquires
			snapshots
		}{}, nil
	case key == "acquire admissionSnapshot close execute":
		return struct {
			plain
			closes
			acquires
			snapshots
			name
		}{name: n}, nil
	default:
		return nil, fmt.Errorf("no executor with %s", key)
	}
}

func custom(input conform.Object) (conform.Value, error) {
	raw, _ := input.Get("has")
	list, _ := raw.([]conform.Value)
	var has []string
	for _, item := range list {
		member, _ := item.(string)
		has = append(has, member)
	}
	source, err := withMembers(has, input.Text("name"))
	if err != nil {
		return nil, err
	}
	rawOptions, _ := input.Get("options")
	options, _ := rawOptions.(conform.Object)
	promise := map[string]contract.Lifecycle{
		"leased": contract.Leased, "self-managed": contract.SelfManaged,
	}[options.Text("lifecycle")]
	wrapped, err := contract.Custom(source, promise)
	if err != nil {
		return conform.Object{{Key: "error", Value: err.Error()}}, nil
	}
	members := []conform.Value{}
	add := func(has bool, member string) {
		if has {
			members = append(members, member)
		}
	}
	_, isAcquirer := wrapped.(contract.Acquirer)
	_, isSnapshotter := wrapped.(contract.Snapshotter)
	_, isCloser := wrapped.(contract.Closer)
	namer, isNamer := wrapped.(contract.Namer)
	add(isAcquirer, "acquire")
	add(isSnapshotter, "admissionSnapshot")
	add(isCloser, "close")
	add(true, "execute")
	add(isNamer, "name")
	called := ""
	if isNamer {
		called = namer.Name()
	}
	_, sourceDeclares := contract.LifecycleOf(source)
	if l, ok := contract.LifecycleOf(wrapped); !ok || l != contract.SelfManaged {
		return nil, errors.New("the wrapper does not declare itself self-managed")
	}
	return conform.Object{
		{Key: "ok", Value: true}, {Key: "members", Value: members},
		{Key: "name", Value: orNull(called)}, {Key: "sourceBranded", Value: sourceDeclares},
	}, nil
}
