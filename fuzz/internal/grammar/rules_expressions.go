package grammar

func init() {
	rules["expr"] = join(
		always(
			`0`,
			`$atom`,
			`$atom`,
			`$promise`,
			`$object`,
			`$array`,
			`$function`,
			`$function`,
			`(class$class)`,
			`new (class$class)($args)`,
			`$chained`,
			`$chained`,
			`$operator`,
			`$assign`,
			`$iterable`,
			`$asynciterable`,
			`$typed`,
			`$regex`,
			`$proxy`,
			`$reflect`,
			`$string`,
			`$error`,
			`$collection`,
			`$convert`,
			`$json`,
			`$evaluate`,
			`$tagged`,
			`$template`,
			`$symboluse`,
			`$arraycall`,
			`(($expr), ($expr))`,
			`$function($args)`,
			`new ($parent)($args)`,
			`$id($args)`,
		),
		when(async, `(await $expr)`, `(await $promise)`),
		when(ambient, `$host`, `$host`, `$clock`),
		when(generator, `(yield $expr)`, `(yield* $iterable)`),
		when(private, `this.$priv`, `($priv in {})`, `($priv in $id)`, `$id?.$priv`, `(this.$priv = $expr)`, `this.$priv($args)`),
		when(method, `super.$k`, `super[$key]`, `(super.$k = $expr)`, `super.$amethod($args)`),
		when(target, `new.target`, `arguments`, `arguments[$n]`, `[...arguments]`),
		when(derived, `super($args)`),
	)
	rules["atom"] = join(always(`1`, `$num`, `$str`, `true`, `false`, `null`, `undefined`, `$bigint`, `globalThis`, `this`, `$symbol`, `NaN`, `(-0)`,
		`[]`, `({})`, `(typeof undeclared)`), when(named, `$id`, `$id`, `$id`, `$id`))
	rules["num"] = always(`1`, `(-1)`, `0.5`, `(2**31)`, `(2**32)`, `(2**53)`, `(-(2**63))`, `1e308`, `5e-324`, `Infinity`, `(-Infinity)`, `NaN`,
		`0xffff`, `1_000`, `1e21`, `4294967295`, `(-2147483648)`)
	rules["n"] = always(`1`, `2`, `3`, `5`, `9`)
	rules["bigint"] = always(`1n`, `0n`, `(-1n)`, `(2n**64n)`, `BigInt($num)`, `BigInt.asUintN(64, $expr)`, `BigInt.asIntN($n, 2n**70n)`,
		`(10n**100n)`, `BigInt($str)`, `(2n**200n / 3n)`, `(-5n % 3n)`, `(5n << 70n)`, `(-1n >> 3n)`)
	rules["str"] = always(`"x"`, `""`, `"then"`, `"message"`, `"a\u0000b"`, `"\ud800"`, `"\udc00\ud800"`, `"\u{1f600}"`, `"é"`, `"__proto__"`,
		`"1,2,3"`, `"  \ufeff\n1 "`, `'{"a":[1,{"b":null}]}'`, `"[1,2"`, `"\u2028"`, `"constructor"`, `"x".repeat($n)`, `"ab".repeat(300)`, `"0"`, `"length"`, `"10"`)
	rules["k"] = always(`x`, `a`, `b`, `length`, `then`, `message`, `name`, `stack`, `constructor`, `prototype`, `value`, `done`, `next`,
		`toString`, `valueOf`, `toJSON`, `__proto__`, `get`, `catch`, `cause`, `call`, `return`, `flags`, `errors`)
	rules["key"] = always(`"a"`, `$str`, `$symbol`, `$num`, `"x"`, `0`, `1`)
	rules["symbol"] = always(`Symbol.iterator`, `Symbol()`, `Symbol("s")`, `Symbol.for("s")`, `Symbol.asyncIterator`, `Symbol.toPrimitive`,
		`Symbol.species`, `Symbol.hasInstance`, `Symbol.toStringTag`, `Symbol.isConcatSpreadable`, `Symbol.unscopables`,
		`Symbol.match`, `Symbol.replace`, `Symbol.split`)
	rules["symboluse"] = always(`Symbol.keyFor(Symbol.for("s"))`, `Object($symbol)`, `$symbol.description`, `String($symbol)`, `$symbol.toString()`,
		`Object.getOwnPropertySymbols($expr)`, `Symbol.for($expr)`)

	rules["arg"] = always(`0`, `$expr`, `$expr`, `$function`, `...$iterable`, `$str`, `$id`)
	rules["elem"] = always(`0`, `$expr`, `$expr`, `...$iterable`, `$id`, ``)
	rules["object"] = always(`({})`, `({$props})`, `({$props})`, `({...$expr, $props})`, `({__proto__: $expr, $props})`, `Object.create($expr)`, `Object.create(null, {x: {$descriptor}})`,
		`Object.defineProperty($expr, $key, {$descriptor})`, `Object.assign($expr, $expr)`, `Object.freeze($expr)`, `Object.seal($expr)`,
		`Object.fromEntries($iterable)`, `Object.entries($expr)`, `Object.getOwnPropertyDescriptors($expr)`, `Object.setPrototypeOf($expr, $expr)`,
		`Object.getPrototypeOf($expr)`, `Object.groupBy($iterable, $function)`, `Object.hasOwn($expr, $key)`, `Object.is($expr, $expr)`)
	rules["descriptor"] = always(`value: 1`, `value: $expr, writable: true`, `get: $function`, `set: $function, configurable: true`,
		`value: $expr, enumerable: true, configurable: false`, `get: $function, value: 1`, `enumerable: $expr, get: undefined`)
	rules["prop"] = join(always(`a: 1`, `$ck: $expr`, `$literalkey: $expr`, `[$key]: $expr`, `...$expr`, `get $k$getterdef`, `set $k$setterdef`,
		`get [$key]$getterdef`, `$k$methoddef`, `async $k$amethoddef`, `*$k$gmethoddef`, `async *$k$agmethoddef`, `[Symbol.iterator]$methoddef`,
		`*[Symbol.iterator]$gmethoddef`, `async *[Symbol.asyncIterator]$agmethoddef`, `[Symbol.toPrimitive]$methoddef`, `then$methoddef`,
		`toJSON$methoddef`, `valueOf$methoddef`, `toString$methoddef`, `next$methoddef`, `get [Symbol.toStringTag]$getterdef`, `get then$getterdef`,
		`$n: $expr`, `[$expr]$methoddef`, `get [Symbol.species]$getterdef`),
		when(named, `id2: $id`))
	rules["literalkey"] = always(`"p"`, `'q r'`, `"\u0000"`, `"9"`, `1.5`, `"\ud800"`)
	rules["getterdef"] = always(`() {return 1}`, `()$getter`, `()$getter`, `() {$In throw $thrown$Out}`)
	rules["setterdef"] = always(`(v) {}`, `$setter`, `(v) {throw v}`)
	rules["methoddef"] = always(`() {return 1}`, `$meth`, `$meth`, `(...a) {return $concise}`)
	rules["amethoddef"] = always(`() {}`, `$ameth`)
	rules["gmethoddef"] = always(`() {yield 1}`, `$gmeth`)
	rules["agmethoddef"] = always(`() {yield 1}`, `$agmeth`)
	rules["array"] = always(`[]`, `[$elems]`, `[$elems]`, `[[$elems], {$props}]`, `new Array($num)`, `Array.of($args)`, `Array.from($iterable, $function)`,
		`Array.from({length: $n}, $function)`, `[,$expr,,]`, `Array.fromAsync($asynciterable)`, `Object.assign([1,2,3], {length: $n, x: $expr})`)
	rules["amethod"] = always(`at`, `concat`, `map`, `filter`, `reduce`, `forEach`, `flat`, `flatMap`, `sort`, `toSorted`, `splice`, `toSpliced`, `slice`,
		`push`, `pop`, `shift`, `unshift`, `reverse`, `includes`, `indexOf`, `join`, `fill`, `copyWithin`, `find`, `findLast`, `every`, `some`,
		`entries`, `keys`, `values`, `with`, `reduceRight`, `toReversed`, `lastIndexOf`, `toString`, `toLocaleString`)
	rules["arraycall"] = always(`[1,2].concat(3)`, `[$elems].$amethod($args)`, `[$elems].$amethod($args)`, `[$elems].$amethod($function, $expr)`,
		`Array.prototype.$amethod.call($expr, $args)`, `Array.prototype.$amethod.apply($expr, [$elems])`, `[3,1,2].sort($function)`,
		`[1,2,3].map($function, $expr).filter($function)`, `Array.prototype.$amethod.call({length: $num, 0: $expr, 1: $expr}, $args)`)

	rules["param"] = always(`$new`, `$new = $expr`, `$new = $expr`, `{$k: $new = $expr}`, `[$new, $new = $expr]`, `{$k: $new, ...$new} = {}`, `[,$new] = []`)
	rules["function"] = join(always(`(() => 1)`, `($arrow)`, `(async $aarrow)`, `(function$fn)`, `(async function$afn)`, `(function*$gfn)`,
		`(async function*$agfn)`, `(function $new$fn)`, `((...a) => $arrowed)`, `(x => $arrowed)`, `(async x => $aarrowed)`, `((x, y) => $arrowed)`,
		`({m$meth}).m`, `(() => {$In throw $thrown$Out})`, `(async () => {$In throw $thrown$Out})`, `(x => x)`, `$function.bind($args)`, `Function($code)`,
		`(class {$Strict static m$meth$Out}).m`, `(function () {return this})`, `(function () {"use strict"; return this})`, `Proxy.revocable($function, {}).proxy`,
		`new Proxy(function () {}, {$traps})`, `Math.max`, `Promise.resolve.bind(Promise)`, `parseInt`, `(function (a, b = a) {return $concise})`),
		when(named, `$id`, `$id`))
	rules["parent"] = join(always(`Object`, `Promise`, `Array`, `Error`, `Function`, `Map`, `Set`, `RegExp`, `Uint8Array`, `TypeError`, `Proxy`, `Date`, `Iterator`,
		`String`, `Number`, `Boolean`, `WeakMap`, `WeakRef`, `ArrayBuffer`, `AggregateError`, `(class$class)`, `null`, `$function`, `Symbol`, `DataView`,
		`Float64Array`, `BigInt64Array`), when(named, `$id`))

	rules["pfield"] = always(`# = 1;`, `#;`, `static # = $field;`, `# = $field;`)
	rules["pmethod"] = always(`#() {return 1}`, `#$meth`, `async #$ameth`, `*#$gmeth`, `static #$meth`, `async *#$agmeth`)
	rules["paccess"] = always(`get #() {return 1} set #(v) {}`, `get #()$getter`, `set #$setter`, `static get #()$getter static set #(v) {}`)
	rules["ctordef"] = always(``, ``, `constructor$meth`, `constructor(...a) {this.$k = a; return $concise}`)
	rules["heirctor"] = always(``, `constructor(...a) {super(...a);}`, `constructor$ctor`, `constructor() {super($In$args$Out); this.$k = $concise;}`,
		`constructor() {super((x, y) => {$run});}`, `constructor() {return {}}`, `constructor() {const f = () => super(); try {f(); f();} catch {} }`)
	rules["member"] = always(`;`, `$ck$methoddef`, `static $sk$methoddef`, `get $ck()$getter`, `set $ck$setter`, `async $ck$ameth`, `*$ck$gmeth`, `async *$ck$agmeth`,
		`static {$static}`, `[$key]$methoddef`, `f = $field;`, `static s = $field;`, `[$key] = $field;`, `static [$key]$methoddef`,
		`static get [Symbol.species]()$getter`, `*[Symbol.iterator]$gmeth`, `async *[Symbol.asyncIterator]$agmeth`, `then$meth`, `toJSON$meth`,
		`static async *m$agmeth`, `static [Symbol.hasInstance]$meth`, `'quoted name'$meth`, `$n$meth`, `get [Symbol.toStringTag]()$getter`)
	// Keys that a class may give to any method, static or not.
	rules["ck"] = always(`x`, `a`, `b`, `length`, `then`, `message`, `name`, `stack`, `value`, `done`, `next`, `toString`, `valueOf`, `toJSON`, `get`, `catch`, `return`, `throw`)
	rules["sk"] = always(`x`, `then`, `resolve`, `from`, `of`, `name`, `length`, `call`)

	rules["operator"] = always(`(1 + 1)`, `($expr $binary $expr)`, `($expr $binary $expr)`, `($unary $expr)`, `($expr ? $expr : $expr)`, `($expr ?? $expr)`,
		`($expr || $expr)`, `($expr && $expr)`, `(typeof $expr)`, `(void $expr)`, `($expr instanceof $parent)`, `($key in $expr)`, `(delete $expr[$key])`,
		`($expr)?.[$key]`, `($expr)?.($args)`, `(($expr) ** ($expr))`, `(($expr) == ($expr))`, `(($expr) >>> 0)`)
	rules["binary"] = always(`+`, `-`, `*`, `/`, `%`, `&`, `|`, `^`, `<<`, `>>`, `>>>`, `==`, `!=`, `===`, `!==`, `<`, `>`, `<=`, `>=`)
	rules["unary"] = always(`-`, `+`, `!`, `~`)
	rules["assign"] = always(`(globalThis.x = 1)`, `($place = $expr)`, `($place $aop $expr)`, `($place++)`, `(--$place)`, `([$targets] = $iterable)`,
		`({$k: $target, [$key]: $place = $expr} = $expr)`, `({...$place} = $expr)`, `([$target, ...$place] = $iterable)`, `([[$targets], {$k: $target}] = [$iterable, $expr])`)
	rules["aop"] = always(`+=`, `-=`, `*=`, `**=`, `&&=`, `||=`, `??=`, `>>>=`, `|=`)
	rules["place"] = join(always(`globalThis.x`, `globalThis.$k`, `($expr).$k`, `($expr)[$key]`, `this.$ck`), when(named, `$id.$k`, `$id[$key]`, `$id`, `$id`))
	rules["target"] = always(`globalThis.x`, `$place`, `$place = $expr`)
	rules["destructure"] = always(`1`, `[$targets] = $iterable`, `{$k: $target} = $expr, 1`)
	rules["pattern"] = always(`[$new]`, `[$new, $new = $expr]`, `[, $new, ...$new]`, `[...[$new, $new]]`, `[[$new] = [$expr], {$k: $new} = {}]`, `[$new = $expr, ...{length: $new}]`)
	rules["opattern"] = always(`{$k: $new}`, `{$k: $new = $expr, ...$new}`, `{[$key]: $new}`, `{$k: [$new] = $iterable}`, `{$k: {$k: $new = 1} = {}}`)
	rules["source"] = always(`[1, 2]`, `$iterable`, `$iterable`, `$expr`)
	rules["osource"] = always(`{a: 1}`, `$expr`, `$object`, `$proxy`)

	rules["chained"] = always(`globalThis`, `$id$chain`, `($expr)$chain`, `($expr)$chain`, `globalThis$chain`)
	rules["link"] = always(`.x`, `.$k`, `[$key]`, `[$expr]`, `?.$k`, `?.[$key]`, `.toString()`, `.valueOf()`, `.constructor`, `.$k?.($args)`, `?.$amethod?.($args)`,
		`?.[Symbol.iterator]?.()`, `.__proto__`)

	rules["tagged"] = always("String.raw`a`", "$function`a${$expr}b`", "String.raw`\\u${$expr}`", "$id`${$expr}${$expr}`", "(x => x)`\\unicode`", "$function`x``y`")
	rules["template"] = always("`x`", "`a${$expr}b${$expr}`", "`${`${$expr}`}`", "`\\u{1f600}\n${$str}`")
}
