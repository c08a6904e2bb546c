console.log('a', 1, true, null, { a: [1] }) //>> a 1 true null {"a":[1]}
console.info('b'); //>> b
console.warn(); //>> 
console.error(undefined, () => 1, Symbol('s')); //>>   
console.debug('%s %d', 'x', 1); //>> %s %d x 1
5 //=> 5
---
console.log(1n, [1n]) //>> 1 1
---
const c = {}; c.self = c; console.log(c) //>> [object Object]
---
console.log({ toJSON() { throw 1 }, toString() { return 'mine' } }) //>> mine
---
console.log({ toJSON() { throw 1 }, toString() { throw 2 } }) //>> [object Object]
---
console.log(new Error('x'), new Date(0), [undefined, NaN], NaN) //>> {} "1970-01-01T00:00:00.000Z" [null,null] null
---
const { log } = console; log('a"') //>> a"
//=>
---
JSON.stringify = String = null
Array.prototype.join = Array.prototype.map = () => { throw 1 }
console.log({ a: 1 }, 1n); //>> {"a":1} 1
console = null
console.log //!! TypeError: cannot read property 'log' of null
---
console.log('x'.repeat(3), '\uD800') //>> xxx �
---
try { console.log(new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 } })) } catch { 'thrown' } //>> [object Object]
