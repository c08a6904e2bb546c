package grammar

// Trap is the name of a function that the traps of a value made by [Throw]
// call. The caller defines it, and arms it between making the value and
// throwing it: if it runs after that, describing the value ran the guest.
const Trap = "trap"

// Throw makes an expression whose value is thrown: primitives, native errors
// with data, accessors or nothing as their members, look-alikes, proxies around
// all of them, objects that answer every question by calling [Trap].
func Throw(data []byte, o Options) string {
	o.Script = true
	g := newGen(data, o)
	g.expand("trapped")
	return g.out.String()
}

func init() {
	rules["trapped"] = always(
		`1`,
		`$thrown`,
		`$trappederror`,
		`$trappederror`,
		`new Proxy($trapped, {$alltraps})`,
		`Object.freeze($trapped)`,
		`Object.setPrototypeOf($trappederror, $trappedproto)`,
		`Object.create($trappederror)`,
		`new AggregateError([$trapped], $text)`,
		`Object.defineProperties($trappederror, {$errkey: {$trapdescriptor}, $errkey: {$trapdescriptor}})`,
		`({get then() {trap()}, get message() {trap()}, get name() {trap()}, get stack() {trap()}, toString() {trap()}, [Symbol.toPrimitive]() {trap()}, get [Symbol.toStringTag]() {trap()}, toJSON() {trap()}})`,
		`Object.assign($trappederror, {name: $text, message: $text, stack: $text})`,
		`(() => {try {null.x} catch (e) {return e}})()`,
		`(() => {try {eval($code)} catch (e) {return e} return 1})()`,
		`(() => {try {new Array(-1)} catch (e) {return e}})()`,
		`(() => {try {(function f() {f()})()} catch (e) {return e}})()`,
		`(() => {try {decodeURI("%")} catch (e) {return e}})()`,
		`(() => {try {1n + 1} catch (e) {return e}})()`,
		`Object.setPrototypeOf($thrown, $trappedproto)`,
	)
	rules["trappederror"] = always(
		`new Error("x")`,
		`new $errortype($text)`,
		`new Error($text, {cause: $text})`,
		`new (class extends $errortype {get message() {trap()} get name() {trap()} toString() {trap()}})($text)`,
		`new (class Mine extends $errortype {})($text)`,
		`Object.assign(new $errortype(), {$errkey: $text, $errkey: $thrown})`,
		`(e => {delete e.message; delete e.stack; return e})(new $errortype($text))`,
		`Object.defineProperty(new $errortype($text), "message", {get() {trap(); return "forged"}})`,
		`Object.defineProperty(new $errortype($text), "name", {get() {trap(); return "forged"}})`,
		`Object.defineProperty(new $errortype($text), "stack", {get() {trap(); return "forged"}})`,
		`Object.assign(new Error("guest CPU budget"), {name: "TimeoutError", timedOut: true, timeout: {elapsedMs: 1, deadlineMs: 1}})`,
		`Object.assign(new Error("Execution timed out after 1ms."), {code: "executor_closed", retryable: true, details: {}, data: {code: "x"}, call: {}})`,
	)
	rules["trappedproto"] = always(`null`, `Error.prototype`, `TypeError.prototype`, `AggregateError.prototype`, `new Proxy(Error.prototype, {$alltraps})`,
		`{get name() {trap()}, get message() {trap()}}`, `{__proto__: Error.prototype, name: $text, message: $text}`, `Promise.prototype`)
	rules["alltraps"] = always(
		`get() {trap()}`,
		`get() {trap()}, has() {trap()}, ownKeys() {trap()}, getPrototypeOf() {trap()}, getOwnPropertyDescriptor() {trap()}, isExtensible() {trap()}, apply() {trap()}, construct() {trap()}`,
		`getPrototypeOf() {trap(); return Error.prototype}`,
		`get(t, k) {trap(); return "forged"}, getOwnPropertyDescriptor(t, k) {trap(); return {value: "forged", configurable: true}}`,
		``,
	)
	rules["errkey"] = always(`message`, `name`, `stack`, `constructor`, `cause`, `code`, `then`, `toString`, `[Symbol.toPrimitive]`, `call`, `errors`)
	rules["text"] = always(`"x"`, `$str`, `""`, `"a".repeat(5000)`, `"\ud83d\ude00".repeat(2500)`, `"\ud83d".repeat(70)`, `"\u0000"`, `"a".repeat(3999) + "\u{1f600}"`,
		`"n".repeat(63) + "\u{1f600}"`, `"at <eval> (program.js:7:7)"`, `"    at f (program.js:99999:1)\n"`, `"Error"`, `"TypeError: y"`, `"null"`)
	rules["trapdescriptor"] = always(`value: 1`, `value: $text`, `get() {trap()}`, `get() {trap(); return "forged"}, configurable: true`, `value: $thrown, enumerable: true`, `set() {trap()}`)
}
