1 + 1 //=> 2
---
1 + 1; //=> 2
---
1 + 1;; /* a */ ; //=> 2
---
"a;b" //=> "a;b"
---
({a: 1}) //=> {"a":1}
---
{a: 1} //=> {"a":1}
---
() => 5 //=> 5
---
async () => await t.echo(5) //=> 5
//@@ t.echo completed
---
async () => { return 5 }; //=> 5
---
function f() { return [5] } //=> [5]
---
async function f() { return [5] } //=> [5]
---
(function () { return this === globalThis })() //=> true
---
(async () => { await null; return 5 })() //=> 5
---
(() => () => 5)() //=> 5
---
async x => x //=>
---
async function f() { return 1 } f() //=> 1
---
function f() { return 1 }
f() + 1 //=> 2
---
const x = await t.echo(4);
return x //=> 4
//@@ t.echo completed
---
const x = 1
x //=> 1
---
const x = 1
x // the value; done //=> 1
---
const x = 1
x /* the value;
     if (x) */ //=> 1
---
const x = 1
/* before; */ x // after; //=> 1
---
const x = 1; //=>
---
const x = 1
if (x) x //=>
---
const x = 1
if (x)
  x //=>
---
const x = 1
if (!x) t.fail()
else
  x //=>
---
let x = 1
x
++
x //=> 2
---
let x = 1
x
+ 2
- 1 //=> 2
---
const f = x => x
f
(5) //=> 5
---
const a = [1, 2]
a
[1] //=> 2
---
const a = 1
;[a, 2].map(x => x + 1) //=> [2,3]
---
const s = `a;
b
${"c;"}
d`
s //=> "a;\nb\nc;\nd"
---
const s = 1;
`a;
b` //=> "a;\nb"
---
let n = 0
for (const i of [1, 2]) n += i
n //=> 3
---
let n = 0
for (const i of [1, 2])
  n += i //=>
---
let n = 0
do n++
while (n < 3) //=>
---
let n = 0
do { n++ } while (n < 3)
n //=> 3
---
const x = 1
label: for (;;) { break label }
x //=> 1
---
const x = 1
function g() { return x }
function h() { return x } //=>
---
const x = 1
class A {} //=>
---
const x = 1;
{ x } //=>
---
const x = 1;
({ x }) //=> {"x":1}
---
const x = { a: 1,
  b: [2] }
x.b
  .map(n => n * 2)
  .filter(n => n) //=> [4]
---
const x = 1
await t.echo({ x }) //=> {"x":1}
//@@ t.echo completed
---
const x = 1
t.echo(x) //=> 1
//@@ t.echo completed
---
await (async () => 5)() //=> 5
---
await [5] //=> [5]
---
await (5); //=> 5
---
const x = 1
await (x) //=> 1
---
(async () => { const r = []; for await (const x of [t.echo(1), 2]) r.push(x); return r })() //=> [1,2]
//@@ t.echo completed
---
({ await: 5 }).await //=> 5
---
if (true) return 5
return 6 //=> 5
---
return 5
6 //=> 5
---
return
5 //=>
---
const x = 1
return //=>
---
'use strict'; (function () { return this })() === undefined //=> true
---
const { a, ...rest } = { a: 1, b: 2 }
rest //=> {"b":2}
---
var a = 1, b
= 2
a + b //=> 3
---
const x = 5, re = /[;/]\n/
re.source //=> "[;/]\\n"
---
const long = "a" +
  "b" +
  "c"
"x" +
  "y" +
  long //=> "xyabc"
---
const q = 3;
(async () => {
  const a = [];
  for (let i = 0; i < q; i++) {
    a.push(i);
  }
  return a;
})(); //=> [0,1,2]
---
export default 5 //=> 5
---
export default () => 5 //=> 5
---
export default async function main() { return await t.echo(this === undefined) } //=> true
//@@ t.echo completed
---
const x = await t.echo(5)
export default { x } //=> {"x":5}
//@@ t.echo completed
---
export const x = 1 //!!1 SyntaxError: unsupported keyword: export
---
export default 1; export default 2 //!! SyntaxError: unsupported keyword: export
---
const x = 1; } { //!! SyntaxError: expecting ')'
---
}, { //!!2 SyntaxError: expecting ':'
---
}, async function () { //!!2 SyntaxError: expecting ':'
---
} + function () { //!! SyntaxError: expecting ':'
---
} : 1 ? async () => { //!! SyntaxError: expecting ')'
---
}); (function () { //!! SyntaxError: expecting ':'
---
1), (2 //!! SyntaxError: expecting ';'
---
// nothing //=>
---
new Promise(resolve => resolve({ then(f) { f(5) } })) //=> 5
---
({ then(resolve) { resolve(5) } }) //=> 5
---
arguments.length //!! ReferenceError: 'arguments' is not defined
---
const x = arguments.length; x //=> 0
