// Uses a little of everything, so that a run that is stopped at any allocation
// or poll is stopped inside every part of the engine.
"use strict";
const out = [];
class Base { #secret = 1; static count = 0; get secret() { return this.#secret; } set secret(v) { this.#secret = v; } }
class Derived extends Base { constructor(...rest) { super(); this.rest = rest; Derived.count++; } *[Symbol.iterator]() { yield* this.rest; } }
const d = new Derived(1, 2, 3);
d.secret += 41;
out.push(d.secret, [...d], { ...d });
const { a = 5, ...others } = { b: 1, c: 2 };
out.push(a, others, `${a}${others.b}`.padStart(20, "-").repeat(3));
out.push([3, 1, 2].sort((x, y) => x - y).map((x) => x * 2).filter((x) => x > 2).flatMap((x) => [x, x]).reduce((x, y) => x + y, 0));
out.push("a-b_c".split(/[-_]/u).join("+"), "x1y22".replace(/(?<n>\d+)/g, (m, n) => n.length), [..."a1b2".matchAll(/[a-z](\d)/g)].length);
out.push(/(?<=a)b+?(?!c)/.exec("aabbbd").index, "\u0130stanbul".toLowerCase().normalize("NFD").length);
const map = new Map([[{}, 1], ["k", new Set([1, 2, 2])]]);
map.set(map, new WeakMap([[map, 1]]));
out.push(map.size, [...map.get("k")], new WeakRef(map).deref() === map, Object.fromEntries(Object.entries({ x: 1 })));
out.push((12345678901234567890n ** 9n % 1000007n).toString(), BigInt.asIntN(8, 255n) === -1n, (2n ** 200n).toString(16).length);
const bytes = new Uint8Array([3, 1, 2]).sort();
new DataView(bytes.buffer).setUint8(0, 9);
const big = new Float64Array(3000).fill(1.5);
out.push([...bytes], big.subarray(10, 20).join(), new ArrayBuffer(8, { maxByteLength: 64 }).resizable);
out.push(JSON.parse('{"k":[1,{"z":null}],"s":"\\u00e9"}', (k, v) => (k === "z" ? 7 : v)), JSON.stringify({ date: new Date(0), n: [1n < 2] }, null, 2).length);
const seen = new Proxy({ p: 1 }, { get: (t, k, r) => Reflect.get(t, k, r), has: () => true, ownKeys: (t) => Reflect.ownKeys(t) });
out.push(seen.p, "zz" in seen, Object.keys(seen));
try { null.x; } catch (e) { out.push(e instanceof TypeError, e.stack.length > 0, e.message); }
try { eval("}{"); } catch (e) { out.push(e.name); }
try { throw new AggregateError([new Error("in", { cause: 1 })], "agg"); } catch (e) { out.push(e.errors[0].cause); } finally { out.push("finally"); }
out.push(new Function("x", "return x + 1")(1), (0, eval)("1 + 1"));
label: for (let i = 0; i < 3; i++) { for (const k in { q: 1, r: 2 }) { if (i === 1) continue label; out.push(k); } }
const sym = Symbol("s");
out.push({ [sym]: 1 }[sym], Object.getOwnPropertySymbols({ [sym]: 1 }).length, sym.description);
let rope = "";
for (let i = 0; i < 2000; i++) rope += String.fromCharCode(97 + (i % 26)) + i;
out.push(rope.length, rope.slice(1000, 1010), encodeURIComponent("\u00e9"), parseInt("ff", 16), (0.1).toFixed(20));
const sparse = [];
sparse[500] = 1;
out.push(sparse.length, Array.from({ length: 50 }, (_, i) => i).toSpliced(1, 2).length, [1, [2, [3]]].flat(Infinity).length);
out.push(new Date(Date.UTC(2024, 1, 29)).toISOString(), new Intl_free().name);
function Intl_free() { this.name = new.target.name; }
out.push(Iterator.from([1, 2, 3]).map((x) => x + 1).drop(1).toArray());
out.push(host.add(1, 2), host.call((x) => x * 2, 21));
try { host.fail("no"); } catch (e) { out.push(e.message); }
const work = async () => {
  for await (const x of (async function* () { yield 1; yield await Promise.resolve(2); })()) out.push(x);
  await Promise.allSettled([Promise.reject(new Error("r")), Promise.any([Promise.resolve(1)]), Promise.race([1])]);
  out.push(await host.later());
  return out;
};
new FinalizationRegistry(() => {}).register({}, 1);
for (let i = 0; i < 300; i++) { const o = { i }; o.self = o; }
for (let i = 0; i < 40000; i++) Math.sqrt(i);
work();
