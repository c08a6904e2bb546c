package quickjs_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/internal/fault"
	"github.com/guestjs/guestjs/quickjs"
)

// operation is one call of the binding that can fail. A value it makes is given
// back.
type operation struct {
	name string
	do   func(s *stage) error
	// An error becomes the reason of a promise.
	swallows bool
	// It returns no error.
	sure bool
}

// stage is what operations work on: values that a checkpoint holds.
type stage struct {
	rt *quickjs.Runtime
	c  *quickjs.Context

	object, array, function, rope, number, symbol, compiled, module, buffer, proxy, thenable, namespace, member quickjs.Value

	code             []byte
	deferred, second quickjs.Deferred
}

// free gives back what an operation made.
func free(v quickjs.Value, err error) error {
	if err == nil {
		v.Free()
	}
	return err
}

func newStage(t *testing.T) *stage {
	t.Helper()
	rt, err := quickjs.NewRuntime(quickjs.Limits{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rt.Close()) })
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	s := &stage{rt: rt, c: c}
	must := func(v quickjs.Value, err error) quickjs.Value {
		t.Helper()
		require.NoError(t, err)
		return v
	}
	s.object = mustEval(t, c, "({a: 1, b: {c: [1, 2, 'x']}, 7: 1, get d() { return 1 }})")
	s.array = mustEval(t, c, "[1, new Date(0), 'x', {toJSON: () => 2}]")
	s.function = mustEval(t, c, "(function f(a) { return {a} })")
	s.rope = mustEval(t, c, "'x'.repeat(9000) + '\u20ac'.repeat(9000)")
	s.number = mustEval(t, c, "1.5")
	s.symbol = mustEval(t, c, "Symbol.iterator")
	s.compiled = must(c.Compile("[1, 'text', 10n]", quickjs.EvalOptions{}))
	s.module = must(c.Compile("export const x = 1", quickjs.EvalOptions{Module: true, Name: "m"}))
	require.NoError(t, free(c.Run(s.module)))
	s.buffer = must(c.Uint8Array([]byte("bytes")))
	s.proxy = mustEval(t, c, "new Proxy({a: 1}, {})")
	if s.code, err = c.WriteCode(s.compiled); err != nil {
		require.NoError(t, err)
	}
	s.deferred, err = c.Deferred()
	require.NoError(t, err)
	s.second, err = c.Deferred()
	require.NoError(t, err)
	settle := must(c.Function("settle", 0, func(c *quickjs.Context, _ quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, s.second.Resolve(c.Undefined())
	}))
	global := c.Global()
	require.NoError(t, global.Define("settle", settle, quickjs.Ordinary))
	global.Free()
	settle.Free()
	s.namespace = must(c.HostNamespace(func(c *quickjs.Context, name quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		return name, nil
	}))
	s.member = must(s.namespace.Get("member 1"))
	s.thenable = mustEval(t, c, "({get then() { settle() }})")
	require.NoError(t, rt.Checkpoint())
	return s
}

var operations = []operation{
	{name: "Eval", do: func(s *stage) error { return free(s.c.Eval("1 + 1", quickjs.EvalOptions{})) }},
	{name: "Compile", do: func(s *stage) error { return free(s.c.Compile("1 + 1", quickjs.EvalOptions{})) }},
	{name: "Compile without positions", do: func(s *stage) error {
		return free(s.c.Compile("1 + 1", quickjs.EvalOptions{StripDebug: true}))
	}},
	{name: "Run", do: func(s *stage) error { return free(s.c.Run(s.compiled)) }},
	{name: "WriteCode", do: func(s *stage) error { _, err := s.c.WriteCode(s.compiled); return err }},
	{name: "ReadCode", do: func(s *stage) error { return free(s.c.ReadCode(s.code)) }},
	{name: "Call", do: func(s *stage) error { return free(s.function.Call(s.c.Undefined(), s.number)) }},
	{name: "New", do: func(s *stage) error { return free(s.function.New(s.number)) }},
	{name: "Function", do: func(s *stage) error {
		return free(s.c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
			return quickjs.Value{}, nil
		}))
	}},
	{name: "HostNamespace", do: func(s *stage) error {
		return free(s.c.HostNamespace(func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
			return quickjs.Value{}, nil
		}))
	}},
	{name: "member of a HostNamespace", do: func(s *stage) error { return free(s.namespace.Get("not seen before")) }},
	{name: "call of a member", do: func(s *stage) error { return free(s.member.Call(s.c.Undefined(), s.number)) }},
	{name: "Error", do: func(s *stage) error { return free(s.c.Error("message")) }},
	{name: "Object", do: func(s *stage) error { return free(s.c.Object()) }},
	{name: "ObjectWithProto", do: func(s *stage) error { return free(s.c.ObjectWithProto(s.object)) }},
	{name: "Array", do: func(s *stage) error { return free(s.c.Array(s.number, s.object, s.rope)) }},
	{name: "ArrayBuffer", do: func(s *stage) error { return free(s.c.ArrayBuffer(make([]byte, 3000))) }},
	{name: "Uint8Array", do: func(s *stage) error { return free(s.c.Uint8Array(make([]byte, 3000))) }},
	{name: "BigInt", do: func(s *stage) error { return free(s.c.BigInt(new(big.Int).Lsh(big.NewInt(1), 200))) }},
	{name: "BigInt of 64 bits", do: func(s *stage) error { return free(s.c.BigInt(big.NewInt(math.MinInt64))) }},
	{name: "String", do: func(s *stage) error { return free(s.c.String("some text")) }},
	{name: "StringUTF16", do: func(s *stage) error { return free(s.c.StringUTF16([]uint16{0xD800, 0x20AC})) }},
	{name: "Deferred", do: func(s *stage) error {
		d, err := s.c.Deferred()
		return free(d.Promise, err)
	}},
	{name: "Fulfilled", do: func(s *stage) error { return free(s.c.Fulfilled(s.object)) }},
	{name: "Resolve", do: func(s *stage) error { return s.deferred.Resolve(s.object) }},
	{name: "Resolve, while another is", swallows: true, do: func(s *stage) error { return s.deferred.Resolve(s.thenable) }},
	{name: "Reject", do: func(s *stage) error { return s.deferred.Reject(s.object) }},
	{name: "ParseJSON", do: func(s *stage) error {
		return free(s.c.ParseJSON([]byte(`{"new":[1,{"\n":2,"new":"` + strings.Repeat("x", 3000) + `"}],"\u20ac":[]}`)))
	}},
	{name: "ParseJSON of a name with an escape", do: func(s *stage) error { return free(s.c.ParseJSON([]byte(`{"\u0001":1}`))) }},
	{name: "ParseJSON of names that share a place", do: func(s *stage) error {
		return free(s.c.ParseJSON([]byte(`{"n1xxa":1,"n1yya":2,"n2xxa":{"n1zza":3}}`)))
	}},
	{name: "JSON", do: func(s *stage) error { _, _, err := s.object.JSON(1000); return err }},
	{name: "JSON of a rope", do: func(s *stage) error { _, _, err := s.rope.JSON(100_000); return err }},
	{name: "AppendJSONArray", do: func(s *stage) error {
		_, err := s.c.AppendJSONArray(nil, []quickjs.Value{s.number, s.array, s.object}, 1000)
		return err
	}},
	{name: "Get", do: func(s *stage) error { return free(s.object.Get("not seen before")) }},
	{name: "Get of a name with U+0000", do: func(s *stage) error { return free(s.object.Get("not seen\x00before")) }},
	{name: "GetKey", do: func(s *stage) error { return free(s.object.GetKey(s.number)) }},
	{name: "Index", do: func(s *stage) error { return free(s.object.Index(math.MaxUint32)) }},
	{name: "Set", do: func(s *stage) error { return s.object.Set("new", s.number) }},
	{name: "SetIndex", do: func(s *stage) error { return s.object.SetIndex(math.MaxUint32, s.number) }},
	{name: "Define", do: func(s *stage) error { return s.object.Define("new", s.number, quickjs.Ordinary) }},
	{name: "DefineKey", do: func(s *stage) error { return s.object.DefineKey(s.number, s.number, quickjs.Ordinary) }},
	{name: "DefineAccessor", do: func(s *stage) error {
		return s.object.DefineAccessor("new", s.function, s.c.Undefined(), quickjs.Configurable)
	}},
	{name: "Delete", do: func(s *stage) error { return s.object.Delete("a") }},
	{name: "Has", do: func(s *stage) error { _, err := s.object.Has("not seen before"); return err }},
	{name: "OwnKeys", do: func(s *stage) error { _, err := s.object.OwnKeys(false); return err }},
	{name: "OwnKeysMax", do: func(s *stage) error { _, err := s.object.OwnKeysMax(true, 2, 100); return err }},
	{name: "OwnProperty", do: func(s *stage) error {
		p, _, err := s.object.OwnProperty("d")
		p.Free()
		return err
	}},
	{name: "OwnProperty of a proxy", do: func(s *stage) error {
		p, _, err := s.proxy.OwnProperty("a")
		p.Free()
		return err
	}},
	{name: "Prototype", do: func(s *stage) error { return free(s.object.Prototype()) }},
	{name: "InstanceOf", do: func(s *stage) error { _, err := s.object.InstanceOf(s.function); return err }},
	{name: "PreventExtensions", do: func(s *stage) error { return s.object.PreventExtensions() }},
	{name: "IsExtensible", do: func(s *stage) error { _, err := s.object.IsExtensible(); return err }},
	{name: "Freeze", do: func(s *stage) error { return s.object.Freeze() }},
	{name: "Namespace", do: func(s *stage) error { return free(s.module.Namespace()) }},
	{name: "ToText", do: func(s *stage) error { _, err := s.number.ToText(); return err }},
	{name: "Text of a rope", sure: true, do: func(s *stage) error { _, _ = s.rope.Text(); return nil }},
	{name: "AppendText of a rope", sure: true, do: func(s *stage) error { _, _ = s.rope.AppendText(nil); return nil }},
	{name: "UTF16 of a rope", sure: true, do: func(s *stage) error { _, _ = s.rope.UTF16(); return nil }},
	{name: "Bytes", do: func(s *stage) error { _, err := s.buffer.Bytes(); return err }},
	{name: "WithBytes", do: func(s *stage) error { return s.buffer.WithBytes(func([]byte) {}) }},
	{name: "RunJobs", do: func(s *stage) error { _, err := s.rt.RunJobs(0); return err }},
	{name: "GC", do: func(s *stage) error { return s.rt.GC() }},
}

// Every operation hands on the error that it meets, wherever it stands in it,
// keeps nothing, and does its work the next time.
func TestEachOperationReturnsItsError(t *testing.T) {
	s := newStage(t)
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			for n := int64(1); ; n++ {
				require.NoError(t, s.rt.Rewind())
				handles := s.rt.Handles()
				asked := int64(0)
				restore := fault.Set(func(point string) error {
					if point != fault.Engine {
						return nil
					}
					if asked++; asked == n {
						return errRefused
					}
					return nil
				})
				err := op.do(s)
				restore()
				require.Equal(t, handles, s.rt.Handles())
				if asked < n {
					require.NoError(t, err)
					require.True(t, n > 1 || op.sure, "it can fail")
					return
				}
				if op.swallows && err == nil {
					continue
				}
				require.Equal(t, errRefused, err)
				require.NoError(t, op.do(s), "nothing is amiss")
			}
		})
	}
	nextRun(t, s.rt, s.c)
}

// An arena that is full leaves the engine, which has an answer of its own for
// when there is no memory. What it answers is handed on, at each place; where it
// says nothing, or goes on as if it had been given some, the run ends in a fault.
func TestEachOperationHandsOnThatThereIsNoMemory(t *testing.T) {
	s := newStage(t)
	var thrown *quickjs.Exception
	var broken *quickjs.FaultError
	for _, op := range operations {
		t.Run(op.name, func(t *testing.T) {
			answers := 0
			for n := 1; ; n++ {
				require.Less(t, n, 1000)
				require.NoError(t, s.rt.Rewind())
				handles := s.rt.Handles()
				s.rt.RefuseMemory(n)
				_, err := s.rt.Do(quickjs.Budget{CPU: 10 * time.Second, Limited: true}, func() error { return op.do(s) })
				switch {
				case !quickjs.Refused():
					require.NoError(t, err)
					require.True(t, answers > 0 || n == 1 || op.swallows, "it was refused and took no notice")
					return
				case err == nil: // it could do without
				case errors.As(err, &thrown):
					thrown.Free()
					require.Equal(t, handles, s.rt.Handles())
					answers++
				default:
					require.ErrorAs(t, err, &broken)
					require.Contains(t, []string{
						"heap damaged: no exception is pending", // the engine says nothing
						"heap damaged: rope",
						"runtime error: invalid memory address or nil pointer dereference", // nobody looks
					}, broken.Reason)
					answers++
				}
			}
		})
	}
	nextRun(t, s.rt, s.c)
}

// Setting up fails, and leaves nothing, when the engine finds no memory.
func TestSetUpHandsOnThatThereIsNoMemory(t *testing.T) {
	registered, mapped := quickjs.Registered(), mappings(t)
	for n := 1; ; n++ {
		require.Less(t, n, 1000)
		rt, err := quickjs.NewRuntimeRefused(quickjs.Limits{}, n)
		if err == nil {
			require.False(t, quickjs.Refused())
			require.NoError(t, rt.Close())
			break
		}
		require.ErrorIs(t, err, quickjs.ErrOutOfMemory)
	}
	rt, err := quickjs.NewRuntime(quickjs.Limits{})
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	seen := map[string]bool{}
	step := 2 // one call makes two requests and more
	if full() {
		step = 1
	}
	for n := 1; ; n += step {
		require.Less(t, n, 5000)
		require.NoError(t, rt.Rewind())
		rt.RefuseMemory(n)
		c, err := rt.NewContext(quickjs.ContextOptions{})
		if !quickjs.Refused() {
			require.NoError(t, err)
			break
		}
		var thrown *quickjs.Exception
		switch {
		case err == nil: // it could do without
			require.NotNil(t, c)
		case errors.Is(err, quickjs.ErrOutOfMemory):
			seen["no memory"] = true
		case errors.As(err, &thrown):
			thrown.Free()
			seen["thrown"] = true
		default:
			require.ErrorContains(t, err, "quickjs: making a context: ")
			seen["not as expected"] = true
		}
	}
	require.Len(t, seen, 3)
	require.NoError(t, rt.Rewind())
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	require.Equal(t, "2", textOf(t, c, "1 + 1"))
	require.NoError(t, rt.Close())
	require.Equal(t, registered, quickjs.Registered())
	requireMappings(t, mapped)
}

// NewRuntime, NewContext and Checkpoint are operations too.
func TestSetUpReturnsItsError(t *testing.T) {
	registered := quickjs.Registered()
	asked, restore := refusing(t, fault.Engine, 1)
	rt, err := quickjs.NewRuntime(quickjs.Limits{})
	require.Nil(t, rt)
	require.ErrorIs(t, err, errRefused)
	require.Equal(t, registered, quickjs.Registered())
	rt, err = quickjs.NewRuntime(quickjs.Limits{})
	require.NoError(t, err)
	asked.Store(0)
	c, err := rt.NewContext(quickjs.ContextOptions{})
	require.Nil(t, c)
	require.ErrorIs(t, err, errRefused)
	asked.Store(0)
	require.ErrorIs(t, rt.Checkpoint(), errRefused)
	require.PanicsWithValue(t, "quickjs: Rewind without a Checkpoint", func() { _ = rt.Rewind() })
	restore()
	c, err = rt.NewContext(quickjs.ContextOptions{})
	require.NoError(t, err)
	require.NoError(t, rt.Checkpoint())
	nextRun(t, rt, c)
	require.NoError(t, rt.Close())
}
