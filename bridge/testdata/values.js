undefined //=>
---
null //=> null
---
NaN //=> null
---
-0 //=> 0
---
'\uD800' //=> "\ud800"
---
'\0' //=> "\u0000"
---
Symbol() //=>
---
[undefined, () => 1, Symbol(), NaN, -Infinity] //=> [null,null,null,null,null]
---
({ u: undefined, f() {}, [Symbol()]: 1, n: null }) //=> {"n":null}
---
new Date(0) //=> "1970-01-01T00:00:00.000Z"
---
new Map([[1, 2]]) //=> {}
---
Object.assign(Object.create({ inherited: 1 }), { own: 2 }) //=> {"own":2}
---
({ toJSON() { return { a: 1 } } }) //=> {"a":1}
---
JSON.parse('{"__proto__":1}') //=> {"__proto__":1}
---
({ b: 1, a: 2, 1: 3 }) //=> {"1":3,"b":1,"a":2}
---
new Proxy({ a: 1 }, {}) //=> {"a":1}
---
new Uint8Array([1, 2]) //=> {"0":1,"1":2}
---
Promise.resolve(Promise.resolve(5)) //=> 5
---
({ a: [1, { b: t.echo(1) }] }) //!? result is not JSON-serializable: a promise that was not awaited at .a[1].b
//@@ t.echo in_flight
---
({ a: [1n] }) //!? result is not JSON-serializable: Do not know how to serialize a BigInt at .a[0]
---
5n //!? result is not JSON-serializable: Do not know how to serialize a BigInt
---
const o = { 'a b': {} }; o['a b'].o = o; return o //!? result is not JSON-serializable: circular reference at ["a b"].o
---
const x = 1; () => x //!? result is not JSON-serializable: it is a function
---
({ toJSON() { return undefined } }) //!? result is not JSON-serializable: its JSON form is undefined
---
({ toJSON() { throw 'no' } }) //!? result is not JSON-serializable: no
---
JSON.stringify = () => '"forged"'
Object.prototype.toJSON = undefined
return { a: 1 } //=> {"a":1}
---
const e = new TypeError('x'); e.code = 5; delete e.stack
const { name, message, code } = JSON.parse(JSON.stringify(e)); [name, message, code] //=> [null,null,5]
