package quickjs_test

import (
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/guestjs/guestjs/quickjs"
)

func Example() {
	rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 16 << 20})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = rt.Close() }()
	qc, err := rt.NewContext(quickjs.ContextOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := rt.Checkpoint(); err != nil {
		log.Fatal(err)
	}
	for _, program := range []string{
		"[1, 2, 3].map(x => x * 2).join()",
		"Array.prototype.map = null; for (;;) { try { for (;;); } catch {} }",
		"[1, 2, 3].map(x => x * 3).join()", // nothing is left of the one before
		"new Uint8Array(1e9)",
		"null.length",
	} {
		if err := rt.Rewind(); err != nil {
			log.Fatal(err)
		}
		budget := quickjs.Budget{CPU: 50 * time.Millisecond, Limited: true}
		_, err := rt.Do(budget, func() error {
			v, err := qc.Eval(program, quickjs.EvalOptions{})
			if err != nil {
				return err
			}
			text, err := v.ToText()
			fmt.Println(text)
			return err
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// 2,4,6
	// quickjs: interrupted: quickjs: processor budget used up
	// 3,6,9
	// quickjs: out of memory
	// quickjs: TypeError: cannot read property 'length' of null
}

// realm makes a Runtime with one realm for an example.
func realm() *quickjs.Context {
	rt, err := quickjs.NewRuntime(quickjs.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	qc, err := rt.NewContext(quickjs.ContextOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return qc
}

func ExampleContext_Function() {
	qc := realm()
	defer func() { _ = qc.Runtime().Close() }()
	shout, err := qc.Function("shout", 1, func(qc *quickjs.Context, _ quickjs.Value, args []quickjs.Value) (quickjs.Value, error) {
		if len(args) == 0 {
			return quickjs.Value{}, errors.New("nothing to shout")
		}
		text, _ := args[0].Text()
		return qc.String(strings.ToUpper(text))
	})
	if err != nil {
		log.Fatal(err)
	}
	global := qc.Global()
	if err := global.Set("shout", shout); err != nil {
		log.Fatal(err)
	}
	v, err := qc.Eval("try { shout() } catch (e) { shout(e.message) }", quickjs.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Text())
	// Output: NOTHING TO SHOUT true
}

func ExampleContext_Deferred() {
	qc := realm()
	rt := qc.Runtime()
	defer func() { _ = rt.Close() }()
	answer, err := qc.Deferred()
	if err != nil {
		log.Fatal(err)
	}
	global := qc.Global()
	if err := global.Set("answer", answer.Promise); err != nil {
		log.Fatal(err)
	}
	promise, err := qc.Eval("(async () => 'it is ' + await answer)()", quickjs.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	_, _ = rt.RunJobs(0)
	fmt.Println(promise.PromiseState() == quickjs.Pending)
	if err := answer.Resolve(qc.Int(42)); err != nil {
		log.Fatal(err)
	}
	_, _ = rt.RunJobs(0)
	fmt.Println(promise.PromiseResult().Text())
	// Output:
	// true
	// it is 42 true
}

func ExampleException() {
	qc := realm()
	defer func() { _ = qc.Runtime().Close() }()
	_, err := qc.Eval("function total(order) {\n  return order.price * order.count;\n}\ntotal()", quickjs.EvalOptions{Name: "total.js"})
	var thrown *quickjs.Exception
	if errors.As(err, &thrown) {
		fmt.Println(thrown.Name, "-", thrown.Message)
		fmt.Print(thrown.Stack)
	}
	// Output:
	// TypeError - cannot read property 'price' of undefined
	//     at total (total.js:2:15)
	//     at <eval> (total.js:4:6)
}

func ExampleRuntime_Kill() {
	qc := realm()
	rt := qc.Runtime()
	defer func() { _ = rt.Close() }()
	time.AfterFunc(10*time.Millisecond, func() { rt.Kill(errors.New("the user went away")) })
	_, err := rt.Do(quickjs.Budget{}, func() error {
		_, err := qc.Eval("new Array(1e9).includes(5)", quickjs.EvalOptions{}) // never polls
		return err
	})
	fmt.Println(err)
	// Output: quickjs: interrupted: the user went away
}

func ExampleValue_WithBytes() {
	qc := realm()
	defer func() { _ = qc.Runtime().Close() }()
	v, err := qc.Eval("Uint8Array.from('hello', c => c.charCodeAt())", quickjs.EvalOptions{})
	if err != nil {
		log.Fatal(err)
	}
	err = v.WithBytes(func(data []byte) { fmt.Printf("%s\n", data) })
	if err != nil {
		log.Fatal(err)
	}
	// Output: hello
}
