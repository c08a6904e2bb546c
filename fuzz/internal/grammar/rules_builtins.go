package grammar

func init() {
	rules["promise"] = join(
		always(
			`Promise.resolve()`,
			`Promise.resolve($expr)`,
			`Promise.reject($thrown)`,
			`new Promise((y, n) => {$run})`,
			`new Promise((resolve, reject) => {$In resolve($expr); reject($thrown); $Out$run})`,
			`new Promise((resolve, reject) => {$In reject($thrown)$Out})`,
			`new Promise($function)`,
			`Promise.all($promises)`,
			`Promise.allSettled($promises)`,
			`Promise.race($promises)`,
			`Promise.any($promises)`,
			`Promise.try($function, $args)`,
			`Promise.withResolvers().promise`,
			`(() => {const {promise, resolve, reject} = Promise.withResolvers(); $In$settling$Out return promise})()`,
			`$promise$steps`,
			`$promise$steps`,
			`$thenable`,
			`Promise.resolve($thenable)`,
			`(async $aarrow)($args)`,
			`(async function$afn)($args)`,
			`(async () => {$In throw $thrown$Out})()`,
			`(async () => {try {await $awaited} finally {$In$ending$Out}})()`,
			`new (class extends Promise$Strict$subclass$Out)((y) => y($concise))`,
			`Promise.prototype.then.call($promise, $function, $function)`,
			`Promise.all.call($parent, $promises)`,
			`Promise.resolve.call($parent, $expr)`,
			`Array.fromAsync($iterable, $function)`,
			`$asyncgeniter.next()`,
			`$asyncgeniter.throw($thrown)`,
			`$asyncgeniter.return($expr)`,
		),
		when(named, `Promise.resolve($id)`),
		when(ambient, `$host`, `$host`),
	)
	rules["awaited"] = always(`1`, `Promise.resolve()`, `({then(y) {y(1)}})`, `Promise.reject(1)`)
	rules["settling"] = always(`resolve();`, `resolve($expr);`, `reject($thrown);`, `resolve(promise);`, `resolve($thenable); reject();`,
		`Promise.resolve().then(() => resolve($concise));`, `resolve(1); resolve(2); reject(3);`)
	rules["ending"] = always(`;`, `return $concise`, `throw $thrown;`)
	rules["subclass"] = always(`{}`, `{then(...a) {return super.then(...a)}}`, `{static get [Symbol.species]() {$In return $parent$Out}}`, `{constructor(f) {super(f); this.x = 1}}`,
		`{constructor(f) {super(f); return Promise.resolve(1)}}`)
	rules["promises"] = always(`[]`, `[$promise, $promise]`, `[$expr, $promise, $thenable]`, `$iterable`, `[$elems]`, `$asynciterable`)
	rules["step"] = always(`.then()`, `.then($function)`, `.then($function, $function)`, `.catch($function)`, `.finally($function)`, `.catch(() => {})`,
		`.then(x => $concise)`, `.then(() => {$In throw $thrown$Out})`, `["then"]($function)`, `.then(() => {$In return $promise$Out})`)
	rules["thenable"] = always(`({then(y) {y(1)}})`, `({then(y, n) {$In n($thrown)$Out}})`, `({then(y, n) {y($concise); y(2); n(3)}})`, `({then(y) {$In throw $thrown$Out}})`,
		`({get then() {$In throw $thrown$Out}})`, `({then: $function})`, `({get then() {$In return $function$Out}})`, `({then(y) {y(this)}})`, `({then(y) {y({then(y) {y(1)}})}})`,
		`({then: Promise.prototype.then})`, `new Proxy($promise, {$traps})`, `Object.create($promise)`)

	rules["iterable"] = join(always(`[1, 2]`, `[$elems]`, `$geniter`, `$geniter`, `$string`, `new Set([$elems])`, `new Map([[$expr, $expr]])`, `[$elems].entries()`,
		`[$elems].values()$helpers`, `Iterator.from($iterable)$helpers`, `$typed`, `$iterator`, `$iterator`, `Iterator.concat?.([$elems], $concatenated)`,
		`new Proxy([$elems], {$traps})`, `"a1b2".matchAll(/\w/g)`, `Object.entries($expr)`, `Array(3)`), when(named, `$id`))
	rules["concatenated"] = always(`[]`, `$iterator`)
	rules["iterator"] = always(
		`({i: 0, next() {return {value: this.i, done: this.i++ > 2}}, [Symbol.iterator]() {return this}})`,
		`({i: 0, next() {return {value: $concise, done: this.i++ > 2}}, return() {return $concise}, [Symbol.iterator]() {return this}})`,
		`({next() {$In throw $thrown$Out}, [Symbol.iterator]() {return this}})`,
		`({i: 0, next() {return {get value() {$In throw $thrown$Out}, done: this.i++ > 1}}, [Symbol.iterator]() {return this}})`,
		`({i: 0, get next() {return () => ({done: this.i++ > 1})}, return() {$In throw $thrown$Out}, [Symbol.iterator]() {return this}})`,
		`({[Symbol.iterator]$iterdef})`,
		`({__proto__: Iterator.prototype, i: 0, next() {return {value: $concise, done: this.i++ > 3}}})$helpers`,
		`Iterator.from({i: 0, next() {return {value: 1, done: this.i++ > 2}}, return() {return $concise}})$helpers`,
	)
	rules["iterdef"] = always(`() {return [1].values()}`, `() {return $concise}`, `() {$In throw $thrown$Out}`, `$meth`, `() {return 1}`)
	rules["helpers"] = always(``, `.map($function)`, `.filter($function)`, `.take($n)`, `.drop($n)`, `.flatMap(x => [x, x])`, `.flatMap($function)`, `.toArray()`,
		`.map(x => x)$helpers`, `.drop(0)$helpers`, `.filter(() => true)$helpers`, `.take($num)`)
	rules["geniter"] = always(`(function* () {yield 1})()`, `(function*$gfn)($args)`, `({*m$gmeth}).m()`, `(function* () {try {yield $yieldedvalue} finally {$In$genending$Out}})()`,
		`(function* () {yield* $In$yielded$Out})()`, `(function* () {for (let i = 0; i < 5; i++) yield i})()`)
	rules["yielded"] = always(`[1]`, `$iterator`, `$iterable`, `"ab"`)
	rules["yieldedvalue"] = always(`1`, `yield 2`, `(yield* [3])`)
	rules["genending"] = always(`;`, `yield 4;`, `return 5;`, `throw $thrown;`)
	rules["asynciterable"] = always(`(async function* () {yield 1})()`, `$asyncgeniter`, `({i: 0, [Symbol.asyncIterator]() {return this}, async next() {return {value: this.i, done: this.i++ > 2}}})`,
		`({i: 0, [Symbol.asyncIterator]() {return this}, next() {$In return {value: $promise$Out, done: this.i++ > 2}}, return() {return $concise}})`,
		`({[Symbol.asyncIterator]() {return this}, async next() {$In throw $thrown$Out}})`, `[$promise, $promise]`, `$iterable`, `({[Symbol.asyncIterator]: null, [Symbol.iterator]() {$In return [$promise].values()$Out}})`)
	rules["asyncgeniter"] = always(`(async function* () {yield 1})()`, `(async function*$agfn)($args)`, `(async function* () {yield* $In$asyncyielded$Out})()`,
		`(async function* () {try {yield await $awaited; yield 2} catch {yield 3} finally {$In$agenending$Out}})()`, `({async *m$agmeth}).m()`)
	rules["asyncyielded"] = always(`[1]`, `$asynciterable`, `$iterator`)
	rules["agenending"] = always(`;`, `yield 4;`, `return 5;`, `await $awaited;`, `throw $thrown;`)

	rules["host"] = always(`$ns.echo(1)`, `$ns.echo($args)`, `$ns.echo($args)`, `$ns[$hostq]($args)`, `$ns[$hostq]($args)`, `$ns.fail($args)`, `$ns.refuse($args)`,
		`$ns[$expr]($args)`, `$ns[$hostq].call($args)`, `(0, $ns.echo)($args)`, `new $ns.echo($args)`, "$ns.echo`a${$expr}`", `$ns?.[$hostq]?.($args)`,
		`Reflect.apply($ns.echo, $expr, $expr)`, `$ns.echo($ns)`, `$ns.echo(...$iterable)`, `$ns.late($n)`, `$ns.echo($ns.echo($args))`, `(async () => $ns.fail($In$args$Out))()`,
		`(async () => {try {return await $ns.refuse($In$args$Out)} catch (e) {throw e}})()`, `$ns.then`, `Promise.resolve($ns)`, `Object.keys($ns)`, `$ns.echo$called`, `$ns.never()`)
	rules["called"] = always(`()`, `($args)$steps`)
	rules["clock"] = always(`Date.now()`, `Math.random()`, `new Date()`, `Date()`, `new Date().toString()`, `globalThis.performance?.now?.()`, `[1,2,3].sort(() => Math.random() - 0.5)`)

	rules["typed"] = always(`new Uint8Array(2)`, `new $ta($n)`, `new $ta([$elems])`, `new $ta(new ArrayBuffer(16))`, `new $ta(new ArrayBuffer(16, {maxByteLength: 64}))`,
		`$ta.from($iterable)`, `$ta.of($args)`, `new $ta(4).subarray(1)`, `new $ta(4).fill($expr)`, `new $ta([3, 1, 2]).sort($function)`, `new $ta(4).set([$elems], 1)`,
		`new $ta(4).map($function)`, `new $ta(4).$amethod($args)`, `(() => {const b = new ArrayBuffer(8, {maxByteLength: 32}), t = new $ta(b); b.resize(16); $detach return t})()`,
		`new DataView(new ArrayBuffer(8)).$dv($n, $expr)`, `new ArrayBuffer(8).slice($n)`, `new ArrayBuffer(8).transfer($n)`, `Atomics.add(new Int32Array(2), 0, $n)`,
		`new SharedArrayBuffer(8)`, `new $ta(4).buffer`, `Object.defineProperty(new $ta(4), $key, {$descriptor})`, `new $ta(2).with(0, {valueOf() {$run}})`)
	rules["ta"] = always(`Uint8Array`, `Int8Array`, `Uint8ClampedArray`, `Int16Array`, `Uint16Array`, `Int32Array`, `Uint32Array`, `Float32Array`, `Float64Array`, `BigInt64Array`,
		`BigUint64Array`, `Float16Array`)
	rules["detach"] = always(`;`, `b.transfer();`, `b.resize(0);`, `t.fill({valueOf() {b.resize(4); return 1}});`, `t.sort(() => {try {b.transfer()} catch {} return 0});`,
		`t.set({length: 2, get 0() {b.resize(0); return 1}});`, `for (const x of t) b.resize(2);`)
	rules["dv"] = always(`getInt8`, `setFloat64`, `getBigInt64`, `setUint16`, `getFloat32`, `setBigUint64`)

	rules["regex"] = always(`/a/`, `/$re/$flagsre`, `/$re/$flagsre.exec($str)`, `$str.replace(/$re/$flagsre, $function)`, `$str.match(/$re/$flagsre)`, `$str.split(/$re/$flagsre)`,
		`[...$str.matchAll(/$re/g)]`, `RegExp($str, $str)`, `new RegExp(/$re/, "$flagsre")`, `/$re/$flagsre.test($expr)`, `$str.replaceAll(/$re/g, "$&$1$<n>")`, `/a/y[Symbol.replace]($expr, $expr)`,
		`Object.assign(/$re/g, {exec: $function}).test("x")`, `Object.assign(/$re/g, {lastIndex: $expr}).exec($str)`, `RegExp.escape?.($str)`, `Object.getOwnPropertyDescriptor(RegExp.prototype, "flags").get.call($expr)`)
	rules["re"] = always(`a`, `(a)(b)?`, `(?<n>x)\k<n>`, `[^\s\S]`, `\d{1,3}`, `(?=a)a*?`, `(?<!b)\w+`, `.`, `(?:a|b)+c`, `\bx\B`, `^$`, `[\u0000-\uffff]`, `(x*)*y`)
	rules["flagsre"] = always(``, `g`, `i`, `gi`, `s`, `u`, `y`, `gy`, `d`, `m`, `v`)

	rules["trap"] = always(`set: undefined`, `get: $function`, `get(t, k, r) {return Reflect.get(t, k, r)}`, `get(t, k) {$In if (k === $key) throw $thrown; $Out return t[k]}`, `has: $function`, `set: $function`,
		`deleteProperty: $function`, `ownKeys: $function`, `ownKeys() {return [$key, "a"]}`, `getOwnPropertyDescriptor: $function`, `defineProperty: $function`, `getPrototypeOf: $function`,
		`getPrototypeOf() {$In throw $thrown$Out}`, `setPrototypeOf: $function`, `isExtensible: $function`, `preventExtensions: $function`, `apply: $function`, `construct: $function`,
		`get [$key]$getterdef`)
	rules["proxy"] = always(`new Proxy({}, {})`, `new Proxy({}, {$traps})`, `new Proxy($expr, {$traps})`, `new Proxy($function, {$traps})`, `new Proxy([$elems], {$traps})`,
		`Proxy.revocable({}, {}).proxy`, `(() => {const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy})()`, `new Proxy({}, new Proxy({}, {$traps}))`,
		`new Proxy(new Error($str), {$traps})`, `new Proxy(new Proxy($expr, {$traps}), {$traps})`, `Object.create(new Proxy({}, {$traps}))`)
	rules["rmethod"] = always(`get`, `set`, `has`, `ownKeys`, `apply`, `construct`, `defineProperty`, `deleteProperty`, `getPrototypeOf`, `setPrototypeOf`, `isExtensible`,
		`preventExtensions`, `getOwnPropertyDescriptor`)
	rules["reflect"] = always(`Reflect.has({}, "x")`, `Reflect.$rmethod($expr, $expr)`, `Reflect.$rmethod($expr, $key, $expr)`, `Reflect.construct($parent, [$elems], $parent)`,
		`Reflect.apply($function, $expr, [$elems])`, `Reflect.ownKeys($expr)`, `Reflect.defineProperty($expr, $key, {$descriptor})`, `Reflect.get($expr, $key, $expr)`)
	rules["smethod"] = always(`at`, `charCodeAt`, `codePointAt`, `concat`, `endsWith`, `includes`, `indexOf`, `isWellFormed`, `localeCompare`, `match`, `normalize`, `padEnd`,
		`repeat`, `replace`, `search`, `slice`, `split`, `substring`, `toUpperCase`, `toWellFormed`, `trim`, `lastIndexOf`, `replaceAll`)
	rules["string"] = always(`"ab"`, `$str`, `$str.$smethod($args)`, `$str.$smethod($args)`, `String.prototype.$smethod.call($expr, $args)`, `String($expr)`, `String.fromCodePoint($num)`,
		`String.fromCharCode($args)`, `($str + $expr)`, `encodeURIComponent($expr)`, `decodeURIComponent($str)`, `escape($expr)`, `[...$str].join($expr)`, `$str.split($expr)`)
	rules["error"] = always(`new Error()`, `new Error($expr)`, `new $errortype($expr, {cause: $expr})`, `Error($str)`, `new AggregateError($iterable, $expr)`, `Object.assign(new $errortype($str), {$props})`,
		`new (class extends $errortype {get name() {$Strict return $concise$Out}})($str)`, `new (class E extends Error {})($expr)`, `Object.defineProperty(new Error($str), "message", {get: $function})`,
		`Object.setPrototypeOf(new Error($str), $parent)`, `Error.isError($expr)`, `new Error({toString() {$run}})`, `Error.captureStackTrace?.($expr)`)
	rules["errortype"] = always(`Error`, `TypeError`, `RangeError`, `SyntaxError`, `ReferenceError`, `EvalError`, `URIError`)
	rules["collection"] = always(`new Map()`, `new Map([[$expr, $expr]]).get($expr)`, `new Set($iterable)`, `new Set([$elems]).union(new Set($iterable))`, `new Map([[$expr, 1]]).forEach($function)`,
		`new WeakMap([[{}, $expr]])`, `new WeakSet([$object])`, `new WeakRef($object).deref()`, `new FinalizationRegistry($function).register({}, $expr)`, `Map.groupBy($iterable, $function)`,
		`(() => {const m = new Map([[1, 2], [3, 4]]); m.forEach((v, k) => {m.delete(k); if (m.size < 9) m.set({}, $concise)}); return m})()`,
		`new Set([1, 2]).isSubsetOf({size: $expr, has: $function, keys: $function})`, `new Set($iterable).size`, `new Map($iterable)`)
	rules["convert"] = always(`Number("1")`, `Number($expr)`, `Boolean($expr)`, `parseInt($expr, $num)`, `parseFloat($expr)`, `($num).toString($n)`, `($num).toFixed($n)`, `($num).toPrecision($n)`, `Object($expr)`,
		`Math.$math($expr, $expr)`, `new Date($num)`, `new Date($num).toISOString()`, `new Date($str).getTime()`, `Date.UTC($args)`, `new Date(0).toJSON()`, `isNaN($expr)`, `(+{valueOf() {return 1}})`, `(+$object)`, `($object + "")`)
	rules["math"] = always(`max`, `hypot`, `atan2`, `pow`, `imul`, `sign`, `fround`, `trunc`, `clz32`, `cbrt`)
	rules["json"] = always(`JSON.stringify(1)`, `JSON.stringify($expr)`, `JSON.stringify($expr, $function)`, `JSON.stringify($expr, [$elems], $expr)`, `JSON.parse(JSON.stringify($expr) ?? "1")`, `JSON.parse($str)`,
		`JSON.parse('{"a":[1,{"b":2}]}', $function)`, `JSON.stringify({toJSON: $function})`, `JSON.stringify($proxy)`, `JSON.rawJSON?.("1")`)
	rules["evaluate"] = always(`eval("1")`, `eval($code)`, `(0, eval)($code)`, `Function($code)()`, `new Function("a", "b", $code)`, `globalThis.eval($code)`, `eval($expr)`,
		`(async () => {}).constructor($code)()`, `(function* () {}).constructor($code)().next()`, `Function("...a", $code)(1, 2)`, `eval("(" + $function + ")")`, `(async function* () {}).constructor($code)().next()`)
	rules["thrown"] = join(
		always(
			`1`,
			`$atom`,
			`$error`,
			`$error`,
			`null`,
			`undefined`,
			`$str`,
			`$symbol`,
			`$bigint`,
			`$object`,
			`$function`,
			`$proxy`,
			`$awaited`,
			`$rejecting`,
			`({message: $str, name: $str, stack: $str})`,
			`new $errortype($str)`,
			`new $errortype($str)`,
			`Object.assign(new Error($str), {code: $str, retryable: true, details: {}, data: {}})`,
			`Object.create(Error.prototype)`,
			`$id`,
		),
	)
	rules["rejecting"] = always(`1`, `({then() {throw 1}})`, `(async () => {throw 1})`)
}
