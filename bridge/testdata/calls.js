await t.echo({ a: [1, null, 'x'] }) //=> {"a":[1,null,"x"]}
//@@ t.echo completed
---
await t.args(undefined, () => 1, Symbol(), NaN, { f() {}, u: undefined }) //=> [null,null,null,null,{}]
//@@ t.args completed
---
await t.args() //=> []
//@@ t.args completed
---
[await t.nothing(), await t.nothing()] //=> [null,null]
//@@ t.nothing completed
//@@ t.nothing completed
---
await t.now(7) //=> 7
//@@ t.now completed
---
const r = []
const a = t.now(1).then(v => r.push(v))
r.push('first')
await a
r //=> ["first",1]
//@@ t.now completed
---
await t.echo(1n) //!! TypeError: Do not know how to serialize a BigInt
//@@ t.echo failed
---
try { await t.echo(1n) } catch (e) { e instanceof TypeError }
const c = []; c.push(c)
try { await t.echo(c) } catch (e) { return e instanceof TypeError } //=> true
//@@ t.echo failed
//@@ t.echo failed
---
await t.missing() //!! Unknown function t.missing
//@@ t.missing failed
---
await t.toString() //!! Unknown function t.toString
//@@ t.toString failed
---
await t.__proto__() //!! Unknown function t.__proto__
//@@ t.__proto__ failed
---
await t.constructor() //!! Unknown function t.constructor
//@@ t.constructor failed
---
await t.garbage() //!! Host result from t.garbage could not be serialized: the host function returned text that is not JSON
//@@ t.garbage failed
---
(await t.text(262122)).length //=> 262122
//@@ t.text completed
---
await t.text(262123) //!! Host result from t.text exceeds the 262144-byte serialized bridge limit.
//@@ t.text failed
---
await t.args('x'.repeat(262140)).catch(e => e.message) //=> "Host result from t.args exceeds the 262144-byte serialized bridge limit."
//@@ t.args failed
---
await t.args('x'.repeat(262141)) //!! Host call arguments exceeded the IPC limit.
//@@ t.args failed
---
await t.args('\u00E9'.repeat(131071)) //!! Host call arguments exceeded the IPC limit.
//@@ t.args failed
---
const keys = []
for (const k in t) keys.push(k)
const d = Object.getOwnPropertyNames(t)
const free = [typeof t.x, typeof t.then, typeof t[Symbol.iterator], 'echo' in t, Object.getPrototypeOf(t), Object.isFrozen(t)]
t.echo = 1
delete t.echo
Object.defineProperty(t, 'echo', { value: 1 }) //!! TypeError: object is not extensible
---
await t //=> {}
---
const u = t
t = 5
const other = await u.echo(t);
delete globalThis.t;
[other, typeof t] //=> [5,"undefined"]
//@@ t.echo completed
---
t.echo === t.echo //=> false
---
t.hang(1)
5 //=> 5
//@@ t.hang in_flight
---
await new Promise(() => {}) //!? Execution stalled: code awaits something that can never settle.
---
const p = t.echo(1).then(() => new Promise(() => {}))
await p //!? Execution stalled: code awaits something that can never settle.
//@@ t.echo completed
---
const order = []
const f = async n => { await t.now(n); order.push(n) }
await Promise.all([f(1), f(2), f(3)])
order //=> [1,2,3]
//@@ t.now completed
//@@ t.now completed
//@@ t.now completed
---
await Promise.race([t.hang(), t.now('fast')]) //=> "fast"
//@@ t.hang in_flight
//@@ t.now completed
---
await t.echo({ toJSON() { t.now('inner'); return 'outer' } }) //=> "outer"
//@@ t.echo completed
//@@ t.now completed
---
Array.prototype.toJSON = () => 'not a list'
Object.prototype.toJSON = () => 'mine'
const r = await t.args(1, 'x');
r.length + r.join() //=> "21,x"
//@@ t.args completed
---
const reply = await t.echo(JSON.parse('{"__proto__":{"x":1}}'));
[Object.keys(reply), reply.x, Object.getPrototypeOf(reply) === Object.prototype] //=> [["__proto__"],null,true]
//@@ t.echo completed
