await t.fail() //!! plain failure
//@@ t.fail failed
---
t.fail() //!? plain failure
//@@ t.fail failed
---
try { await t.fail() } catch (e) { return [e instanceof Error, e.name, Object.entries(e), Object.keys(e)] } //=> [true,"Error",[["message","plain failure"]],["message"]]
//@@ t.fail failed
---
try { await t.refuse() } catch (e) {
  return [Object.keys(e), e.code, e.retryable, Object.keys(e.details), e.details !== e.data, e.details.n, e.polluted] //=> [["message","code","retryable","details","data"],"busy",true,["__proto__","code","message","n","retryable"],true,1,null]
} //@@ t.refuse failed
---
t.nowFail() //~~ plain failure
await t.now(1) //=> 1
//@@ t.nowFail failed
//@@ t.now completed
---
const p = t.nowFail()
await t.now(1)
await p.catch(e => e.message) //=> "plain failure"
//@@ t.nowFail failed
//@@ t.now completed
---
throw 'text' //!? text
---
throw 5 //!? 5
---
throw -0 //!? 0
---
throw NaN //!? NaN
---
throw undefined //!? undefined
---
throw null //!? null
---
throw true //!? true
---
throw 1n //!? Program threw a value.
---
throw Symbol('x') //!? Program threw a value.
---
throw { message: 'mine', name: 'Error' } //!? Program threw a value.
---
throw () => 1 //!? Program threw a value.
---
throw new Proxy(new Error('x'), {}) //!? Program threw a value.
---
throw new Error('x') //!!16 x
---
throw new TypeError('x') //!! TypeError: x
---
throw new Error() //!! Program threw a value.
---
throw new Error('') //!! 
---
throw Object.assign(new Error('x'), { name: 'Mine' }) //!! Mine: x
---
class Mine extends Error { name = 'Mine' } //!! Mine: x
throw new Mine('x')
---
class Mine extends TypeError { get name() { return 'Mine' } get message() { return 'mine' } } //!! x
throw new Mine('x')
---
const e = new Error('x') //!! Program threw a value.
Object.defineProperty(e, 'message', { get() { console.log('ran'); return 'forged' } })
throw e
---
const e = new Error('x') //!! x
e.stack = '    at f (program.js:3:7)'
e.line = e.lineNumber = 3
throw e
---
throw new AggregateError([new Error('a')], 'all') //!! AggregateError: all
---
(() => { throw new Error('first') })(); throw 2 //!! first
---
function f() { return f() + 1 } //!! stack overflow
f()
---
null.x //!! TypeError: cannot read property 'x' of null
---
x.y //!! ReferenceError: 'x' is not defined
---
Promise.reject(new Error('lost')) //!!25 lost
---
Promise.reject(new Error('lost')); 5 //=> 5
//~~ lost
---
const p = Promise.reject(new Error('x')); p.catch(() => {}); 5 //=> 5
---
Promise.reject(1); Promise.reject('two'); throw 3 //!? 3
//~~ 1
//~~ two
---
for (let i = 0; i < 30; i++) Promise.reject(i)
5 //=> 5
//~~ 0
//~~ 1
//~~ 2
//~~ 3
//~~ 4
//~~ 5
//~~ 6
//~~ 7
//~~ 8
//~~ 9
---
throw await t.echo('x') //!? x
//@@ t.echo completed
---
eval('null.x') //!! TypeError: cannot read property 'x' of null
---
new Function('throw new Error("inside")')() //!! inside
---
JSON.parse('{', () => {}) //!! SyntaxError: expecting property name
---
[1].map(() => null.x) //!! TypeError: cannot read property 'x' of null
---
return {
  get a() {
    throw new Error('read') //!? result is not JSON-serializable: read
  }
}
