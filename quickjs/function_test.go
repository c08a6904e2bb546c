package quickjs_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
	"github.com/guestjs/guestjs/quickjs/quickjstest"
)

func TestFunctions(t *testing.T) {
	c := quickjstest.Context(t)
	global := c.Global()
	defer global.Free()
	add := func(name string, f quickjs.Func) {
		fn, err := c.Function(name, 2, f)
		require.NoError(t, err)
		require.NoError(t, global.Set(name, fn))
		fn.Free()
	}
	own := errors.New("of the host")
	add("nothing", func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, nil
	})
	add("count", func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		return c.Int(int32(len(args))), nil
	})
	add("self", func(_ *quickjs.Context, this quickjs.Value, _ []quickjs.Value) (quickjs.Value, error) {
		return this, nil
	})
	add("first", func(_ *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		return args[0], nil
	})
	add("fail", func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, fmt.Errorf("wrapped: %w", own)
	})
	add("rethrow", func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, args[0].Throw()
	})
	add("borrowedThrow", func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, &quickjs.Exception{Value: args[0]}
	})
	add("evaluate", func(c *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		src, _ := args[0].Text()
		v, err := c.Eval(src, quickjs.EvalOptions{})
		if err != nil {
			return v, fmt.Errorf("evaluating: %w", err)
		}
		return v, nil
	})
	mustEval(t, c, "var o = {}; undefined")
	for src, want := range map[string]string{
		"nothing()":                             "undefined",
		"[nothing.name, nothing.length].join()": "nothing,2",
		"count()":                               "0",
		"count(...Array(500))":                  "500",
		"self.call(7)":                          "7",
		"self.call(o) === o":                    "true",
		"first(o) === o":                        "true",
		"first(o, o) === o && first('x')":       "x",
		"try { fail() } catch (e) { e instanceof Error && Object.keys(e).length + e.message }": "0wrapped: of the host",
		"try { rethrow(o) } catch (e) { e === o }":                                             "true",
		"try { rethrow(5) } catch (e) { e }":                                                   "5",
		"try { borrowedThrow(o) } catch (e) { e === o }":                                       "true",
		"evaluate('1 + 1')": "2",
		"var e1 = new TypeError('x'); try { evaluate('throw e1') } catch (e) { e === e1 }": "true",
		"try { new first() } catch (e) { String(e) }":                                      "TypeError: first is not a constructor",
		"try { Reflect.construct(Object, [], first) } catch (e) { e.name }":                "TypeError",
		"try { class A extends first {} } catch (e) { e.name }":                            "TypeError",
		"'prototype' in first":        "false",
		"[1, 2, 3].map(first).join()": "1,2,3",
	} {
		require.Equal(t, want, textOf(t, c, src), src)
	}
	_, err := c.Function("f", 0, nil)
	require.EqualError(t, err, "quickjs: Function of nil")
}

func TestManyFunctions(t *testing.T) {
	rt, c := ready(t, quickjs.Limits{})
	last := -1
	for i := range math.MaxInt16 {
		f, err := c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
			last = i
			return quickjs.Value{}, nil
		})
		require.NoError(t, err)
		if i == 0 || i == math.MaxInt16-1 {
			_, err = f.Call(c.Undefined())
			require.NoError(t, err)
			require.Equal(t, i, last)
		}
		f.Free()
	}
	_, err := c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, nil
	})
	require.EqualError(t, err, "quickjs: more than 32767 Go functions in one Runtime")
	require.NoError(t, rt.Rewind())
	_, err = c.Function("f", 0, func(*quickjs.Context, quickjs.Value, []quickjs.Value) (quickjs.Value, error) {
		return quickjs.Value{}, nil
	})
	require.NoError(t, err, "a rewind gives the numbers back")
}

func TestPromises(t *testing.T) {
	c := quickjstest.Context(t)
	rt := c.Runtime()
	global := c.Global()
	defer global.Free()
	// A Promise that the guest replaced is not used.
	mustEval(t, c, "var got = []; Promise = function () { throw 1 }; Promise.prototype = {}; undefined")
	d, err := c.Deferred()
	require.NoError(t, err)
	defer d.Free()
	require.True(t, d.Promise.IsPromise())
	require.NoError(t, global.Set("p", d.Promise))
	mustEval(t, c, "p.then(v => got.push('value ' + v), e => got.push('reason ' + e)); undefined")
	text, err := c.String("ok")
	require.NoError(t, err)
	defer text.Free()
	require.NoError(t, d.Resolve(text))
	require.NoError(t, d.Reject(text), "a second settlement does nothing")
	n, err := rt.RunJobs(0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, "value ok", textOf(t, c, "got.join()"))
	r := d.Promise.PromiseResult()
	defer r.Free()
	require.True(t, r.StrictEqual(text))

	type seen struct {
		reason  string
		handled bool
	}
	var log []seen
	rt.SetRejectionTracker(func(promise, reason quickjs.Value, handled bool) {
		require.Equal(t, quickjs.Rejected, promise.PromiseState())
		s, _ := reason.Text()
		log = append(log, seen{s, handled})
	})
	mustEval(t, c, "var late = (async () => { throw 'unheard' })(); (async () => { throw 'heard' })().catch(() => {}); late.catch(() => {}); undefined")
	require.Equal(t, []seen{{"unheard", false}, {"heard", false}, {"heard", true}, {"unheard", true}}, log)
	rt.SetRejectionTracker(nil)
	_, err = rt.RunJobs(0)
	require.NoError(t, err)
}
