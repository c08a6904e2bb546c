package quickjs_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

// What a guest or a host can hand to an operation so that it fails half way.
func TestOperationsRefuse(t *testing.T) {
	eval := func(c *quickjs.Context, src string, do func(v quickjs.Value) error) error {
		v, err := c.Eval(src, quickjs.EvalOptions{})
		if err != nil {
			return err
		}
		defer v.Free()
		return do(v)
	}
	for _, tt := range []struct {
		name, want string
		do         func(t *testing.T, c *quickjs.Context) error
	}{
		{"OwnProperty of a proxy that throws", "quickjs: the guest threw 7", func(_ *testing.T, c *quickjs.Context) error {
			return eval(c, "new Proxy({}, {getOwnPropertyDescriptor() { throw 7 }})", func(v quickjs.Value) error {
				_, _, err := v.OwnProperty("x")
				return err
			})
		}},
		{"OwnKeys of a proxy that throws", "quickjs: the guest threw 7", func(_ *testing.T, c *quickjs.Context) error {
			return eval(c, "new Proxy({}, {ownKeys() { throw 7 }})", func(v quickjs.Value) error {
				_, err := v.OwnKeys(true)
				return err
			})
		}},
		{"Freeze of a proxy that throws for one key", "quickjs: the guest threw b", func(_ *testing.T, c *quickjs.Context) error {
			return eval(c, `new Proxy({a: 1, b: 2}, {getOwnPropertyDescriptor(o, k) {
				if (k === 'b') throw k
				return Reflect.getOwnPropertyDescriptor(o, k)
			}})`, func(v quickjs.Value) error { return v.Freeze() })
		}},
		{"GetKey by what has no text", "quickjs: the guest threw 7", func(_ *testing.T, c *quickjs.Context) error {
			return eval(c, "({toString() { throw 7 }})", func(v quickjs.Value) error {
				return free(v.GetKey(v))
			})
		}},
		{"RunJobs, where a finalization callback throws", "quickjs: the guest threw gone", func(_ *testing.T, c *quickjs.Context) error {
			return eval(c, `globalThis.registry = new FinalizationRegistry(x => { throw x })
				registry.register({}, 'gone'); 0`, func(quickjs.Value) error {
				if err := c.Runtime().GC(); err != nil {
					return err
				}
				n, err := c.Runtime().RunJobs(0)
				if n != 1 {
					return errors.New("no job ran")
				}
				return err
			})
		}},
		{"WriteCode, nested deeper than the stack", "quickjs: InternalError: stack overflow", func(_ *testing.T, c *quickjs.Context) error {
			code, err := c.Compile(strings.Repeat("() => ", 400)+"1", quickjs.EvalOptions{})
			if err != nil {
				return err
			}
			defer code.Free()
			c.Runtime().SetStackLimit(64 << 10)
			_, err = c.WriteCode(code)
			return err
		}},
		{"bytes that no buffer holds", "quickjs: RangeError: invalid array buffer length", func(t *testing.T, c *quickjs.Context) error {
			// Mapped, since nobody looks at them.
			h, err := quickjs.NewTestHeap(math.MaxInt32 + 1)
			require.NoError(t, err)
			defer func() { require.NoError(t, h.Close()) }()
			err = free(c.ArrayBuffer(h.Memory()))
			require.EqualError(t, err, "quickjs: RangeError: invalid array buffer length")
			freeException(t, err)
			return free(c.Uint8Array(h.Memory()))
		}},
		{"AppendJSONArray, one byte too long", "quickjs: text too large", func(_ *testing.T, c *quickjs.Context) error {
			list := []quickjs.Value{c.Bool(true), c.Bool(false), c.Null()}
			text, err := c.AppendJSONArray(nil, list, 17)
			if string(text) != "[true,false,null]" {
				return err
			}
			_, err = c.AppendJSONArray(nil, list, 16)
			return err
		}},
		{"AppendJSONArray of much more than is taken", "quickjs: text too large", func(_ *testing.T, c *quickjs.Context) error {
			_, err := c.AppendJSONArray(nil, []quickjs.Value{c.Bool(true), c.Bool(false), c.Null()}, 4)
			return err
		}},
		{"Compile of no UTF-8", "quickjs: source is not UTF-8 or contains U+0000 in its name", func(_ *testing.T, c *quickjs.Context) error {
			return free(c.Compile("'\xff'", quickjs.EvalOptions{}))
		}},
		{"Compile of what does not compile, without positions", "quickjs: SyntaxError: unexpected token in expression: '}'", func(_ *testing.T, c *quickjs.Context) error {
			return free(c.Compile("}", quickjs.EvalOptions{StripDebug: true}))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			handles := rt.Handles()
			err := tt.do(t, c)
			require.EqualError(t, err, tt.want)
			var thrown *quickjs.Exception
			if errors.As(err, &thrown) {
				thrown.Free()
			}
			require.Equal(t, handles, rt.Handles())
			nextRun(t, rt, c)
		})
	}
}

// Settling a promise never throws; if the engine's did, the host would know.
func TestSettlingThatThrows(t *testing.T) {
	for name, settle := range map[string]func(d quickjs.Deferred, v quickjs.Value) error{
		"resolve": quickjs.Deferred.Resolve, "reject": quickjs.Deferred.Reject,
	} {
		t.Run(name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			d, err := c.Deferred()
			require.NoError(t, err)
			rt.MakeSettlingThrow()
			err = settle(d, c.Undefined())
			require.EqualError(t, err, "quickjs: TypeError: not settled")
			freeException(t, err)
			require.Equal(t, 1, rt.Handles())
			require.Equal(t, quickjs.Pending, d.Promise.PromiseState())
			nextRun(t, rt, c)
		})
	}
}

// Texts that the reader gives back to the engine's parser half way through a
// string.
func TestParseJSONOfStringsThatAreNone(t *testing.T) {
	c := quickjstest.Context(t)
	parse := quickjstest.Eval(t, c, "const real4 = JSON.parse; (s) => real4(s, null)")
	for _, text := range []string{
		"\"\\n\x01\"", "\"\\n\x1f\"", "\"\\n\x00\"", "\"\\n\nx\"", // control characters behind an escape
		`"\n`, `"\nabc`, `"\n\"`, `"\u00e9\`, // no end
		`"\né`, `"\n€€`, `"\n😀`, `"é\n€`, // no end, and not ASCII
		`"\`, `"\u`, `"\u1`, `"\u12`, `"\u123`, `"\u12345`, `"\u_123"`, `"\uDEFG"`, `"\x41"`, `"\'"`, `"\0"`, `"\N"`,
		`{"\n`, `{"\né`, "{\"\\n\x02\":1}", `{"\q":1}`, `{"\n":1`, `["\n`, `["\u12`, `{"a":"\n`,
		`"\n\u20ac é 😀 \ud83d\ude00"`, `{"\n\u20ac":"é"}`, // and two that are
	} {
		t.Run(text, func(t *testing.T) { sameAsParse(t, c, parse, text) })
	}
}

// An object that the engine has to be asked about is left to the engine, though
// none of these classes is.
func TestAnExoticObjectIsNotRead(t *testing.T) {
	for name, src := range map[string]string{
		"itself":     "const o = {a: 1}; [o, o]",
		"member":     "const o = {a: 1}; [{o}, o]",
		"prototype":  "const o = {a: 1}; [Object.create(o), o]",
		"of a array": "const o = {a: 1}; [Object.setPrototypeOf([1], o), o]",
	} {
		t.Run(name, func(t *testing.T) {
			rt, c := ready(t, quickjs.Limits{})
			pair := mustEval(t, c, src)
			v, err := pair.Index(0)
			require.NoError(t, err)
			o, err := pair.Index(1)
			require.NoError(t, err)
			want, ok, err := v.JSON(100)
			require.NoError(t, err)
			require.True(t, ok)
			require.False(t, v.MayBeThenable())
			o.MakeExotic()
			require.Equal(t, name != "member", v.MayBeThenable())
			got, ok, err := v.JSON(100)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, string(want), string(got), "the engine writes the same")
			nextRun(t, rt, c)
		})
	}
}

func TestInt64OfWhatIsNone(t *testing.T) {
	c := quickjstest.Context(t)
	for _, src := range []string{"'1'", "undefined", "null", "true", "({})", "Symbol()", "1.5", "NaN", "2n ** 63n", "2 ** 63"} {
		_, ok := quickjstest.Eval(t, c, src).Int64()
		require.False(t, ok, src)
	}
}
