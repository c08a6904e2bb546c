package quickjs

import (
	"fmt"

	lib "modernc.org/libquickjs"
)

// Exception is what a guest threw, as an error. It owns its Value: Free it, or
// let Rewind or Close do so; forgetting it costs a slot until then.
//
// Name and Message were read when it was caught, from own data properties of a
// native error only, so nothing of the guest ran; Stack is its [Value.Backtrace].
// For any other value they are empty, but for a string or number, which is its
// own message.
type Exception struct {
	Value   Value
	Name    string
	Message string
	Stack   string
}

// Error returns the name and message. It does not enter the engine.
func (e *Exception) Error() string {
	switch {
	case e.Name == "" && e.Message == "":
		return "quickjs: the guest threw a value that is not an error"
	case e.Name == "":
		return "quickjs: the guest threw " + e.Message
	}
	return fmt.Sprintf("quickjs: %s: %s", e.Name, e.Message)
}

// Free gives the thrown value back.
func (e *Exception) Free() { e.Value.Free() }

// How much of a thrown error's texts is copied out at once, in UTF-16 units.
const (
	exceptionName    = 64
	exceptionMessage = 4000
	exceptionStack   = 4000
)

// takeException turns the pending exception into an error. The caller is inside
// an operation.
func (c *Context) takeException() error {
	v := lib.XJS_GetException(c.rt.tls, c.ptr)
	if tag(v) == lib.EJS_TAG_UNINITIALIZED || isException(v) {
		panic(damaged("no exception is pending"))
	}
	e := &Exception{Value: c.keep(v)}
	switch kindOf(v) {
	case KindString:
		e.Message, _ = c.text(v, exceptionMessage)
	case KindNumber:
		f, _ := e.Value.Float()
		e.Message = fmt.Sprint(f)
	case KindUndefined, KindNull, KindBool:
		e.Message = map[int32]string{lib.EJS_TAG_UNDEFINED: "undefined", lib.EJS_TAG_NULL: "null"}[tag(v)]
		if e.Message == "" {
			e.Message = fmt.Sprint(intOf(v) != 0)
		}
	case KindObject:
		if lib.XJS_IsError(c.rt.tls, c.ptr, v) != 0 {
			e.Message, _ = c.ownText(v, "message", exceptionMessage)
			e.Stack = c.backtrace(v, exceptionStack)
			if e.Name, _ = c.ownText(v, "name", exceptionName); e.Name == "" {
				e.Name = c.nativeErrorName(v)
			}
		}
	}
	return e
}

// ownText reads an own data property that is a string. The object has the
// error brand, so it is no proxy and runs nothing.
func (c *Context) ownText(obj jsValue, name string, max int) (string, bool) {
	d, ok, err := c.ownProperty(obj, name)
	if err != nil || !ok {
		return "", false
	}
	s, isText := "", d.Fflags&lib.MJS_PROP_GETSET == 0 && kindOf(d.Fvalue) == KindString
	if isText {
		s, _ = c.text(d.Fvalue, max)
	}
	c.freeDescriptor(d)
	return s, isText
}

// nativeErrorNames are in the order of the engine's JSErrorEnum.
var nativeErrorNames = [...]string{"EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "InternalError", "AggregateError"}

// nativeErrorName names the error by its exact prototype; Error for any other.
func (c *Context) nativeErrorName(v jsValue) string {
	proto := lib.XJS_GetPrototype(c.rt.tls, c.ptr, v)
	name := "Error"
	if isObject(proto) {
		for _, realm := range c.rt.contexts {
			for i, p := range engineContext(realm.ptr).Fnative_error_proto {
				if i < len(nativeErrorNames) && isObject(p) && pointer(p) == pointer(proto) {
					name = nativeErrorNames[i]
				}
			}
		}
	}
	lib.XFreeValue(c.rt.tls, c.ptr, proto)
	return name
}

// NativeErrorName returns the name of the built-in error whose prototype is
// exactly that of v: "TypeError" and so on, "Error" for all others. It reads
// engine state only; v must have the error brand (IsError).
func (v Value) NativeErrorName() string {
	r := v.raw()
	name := "Error"
	v.c.rt.mustOp(func() error {
		if lib.XJS_IsError(v.c.rt.tls, v.c.ptr, r) != 0 {
			name = v.c.nativeErrorName(r)
		}
		return nil
	})
	return name
}
