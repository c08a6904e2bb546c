// Everything a guest can learn about dates, as lines of text. The global texts
// holds texts to parse.
const out = [];
const say = (...a) => out.push(a.map(x => Object.is(x, -0) ? '-0' : typeof x === 'symbol' ? 'symbol' : String(x)).join(' '));
const attempt = f => {try {return f()} catch (e) {return e.name + ': ' + e.message}};
const getters = ['getYear', 'getFullYear', 'getMonth', 'getDate', 'getHours', 'getMinutes', 'getSeconds', 'getMilliseconds', 'getDay', 'getTimezoneOffset',
  'getTime', 'valueOf', 'toString', 'toDateString', 'toTimeString', 'toLocaleString', 'toLocaleDateString', 'toLocaleTimeString',
  'toUTCString', 'toGMTString', 'toISOString', 'toJSON', 'getUTCFullYear', 'getUTCMonth', 'getUTCDate', 'getUTCHours', 'getUTCMinutes',
  'getUTCSeconds', 'getUTCMilliseconds', 'getUTCDay'];
const setters = ['setMilliseconds', 'setSeconds', 'setMinutes', 'setHours', 'setDate', 'setMonth', 'setFullYear', 'setYear', 'setTime',
  'setUTCMilliseconds', 'setUTCSeconds', 'setUTCMinutes', 'setUTCHours', 'setUTCDate', 'setUTCMonth', 'setUTCFullYear'];
const describe = d => getters.map(g => attempt(() => d[g]())).join('|') + '|' + attempt(() => d + '') + attempt(() => +d);
const numbers = [0, -0, 1, -1, 1.9, -1.9, 1e3, 86399999, 86400000, 951782400000, 1.7e12, 1709251199999, 1710054000000, 1730610000000, -2208988800000,
  -62135596800000, -62167219200001, 8.64e15, -8.64e15, 8.64e15 + 1, 8.64e15 - 1, NaN, Infinity, -Infinity, 2**31, 2**53, 1e300, 5e-324, 253402300800000];
for (const n of numbers) {
  say('number', n, attempt(() => describe(new Date(n))));
  for (const s of setters) for (const a of [[], [0], [1, 2], [99, 3, 4], [-1], [1.9, -3.2, 5e3, 7], [NaN], [1, NaN], ['7'], [undefined], [2024, 1, 30], [1e9], [275760, 8, 13], [-0]]) {
    const d = new Date(n);
    say('set', n, s, a, attempt(() => d[s](...a)), +d);
  }
}
for (const a of [[2024, 1], [2024, 1, 29, 12, 30, 15, 999], [99, 0], [0, 0], [-1, 0], [2024, 13, 45, 25, 61, 61, 1001], [275760, 8, 13], [275760, 8, 14], [275761, 0], [-271821, 3, 20], [-271821, 3, 19],
    [NaN, 0], [2024, NaN], [2024, undefined], [1e9, 0], ['2024', '5'], [2024.9, 1.9], [2024, 2, 10, 2, 30], [2024, 10, 3, 1, 30], [2024, 0, 1, 0, 0, 0, 0, 99], [null, null], [2024, -1], [2024, 1e5]]) {
  say('fields', a, attempt(() => describe(new Date(...a))), attempt(() => Date.UTC(...a)));
}
// what coercion runs, and in which order
for (const arg of [
    {valueOf() {out.push('valueOf'); return 5}, toString() {out.push('toString'); return '2024'}},
    {valueOf() {out.push('valueOf'); return {}}, toString() {out.push('toString'); return '2024-05-05T10:00'}},
    {valueOf() {return {}}, toString() {return {}}}, {[Symbol.toPrimitive](h) {out.push(h); return '2020-02-02 02:02'}},
    {[Symbol.toPrimitive](h) {return {}}}, {[Symbol.toPrimitive]: null, valueOf: null, toString() {return '1 Jan 2020'}}, {[Symbol.toPrimitive]: 1},
    {[Symbol.toPrimitive]() {throw new Error('x')}}, {valueOf() {throw new Error('y')}}, Symbol('s'), 5n, null, undefined, true, [2020, 5], ['2020-01-01T00:00'], new String('2020-01-01T00:00'),
    new Date(5), new (class extends Date {valueOf() {throw 1}})(7), Object.create(new Date(0)), new Proxy(new Date(0), {}), Object.assign(new Date(9), {toString: null})]) {
  say('coerce', attempt(() => describe(new Date(arg))), attempt(() => Date.parse(arg)), attempt(() => +new Date(arg, arg)), attempt(() => new Date(0).setYear(arg)), attempt(() => new Date(NaN).setYear(arg)));
}
for (const f of [...getters, ...setters]) for (const self of [undefined, {}, Date.prototype, 5, new Proxy(new Date(0), {})])
  say('brand', f, attempt(() => Date.prototype[f].call(self, 1)));
for (const arg of [{valueOf() {out.push('ran'); return 1}}]) for (const s of setters) attempt(() => Date.prototype[s].call({}, arg)), say(s);
class Mine extends Date {constructor(...a) {super(...a); this.mine = 1}}
say(new Mine('2024-07-01 10:00') + '', new Mine(0) instanceof Mine, Reflect.construct(Date, ['2024-07-01 10:00'], Array) instanceof Array, Object.prototype.toString.call(Reflect.construct(Date, [0], Object)));
say(Date.length, Date.name, Date.now.length, Date.parse.length, Date.prototype.setYear.length, Date.prototype.toString.name, Object.getOwnPropertyNames(Date), Object.getOwnPropertyNames(Date.prototype), Date + '', Date.parse + '');
say(typeof Date(), typeof Date(1, 2), /^\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT\+0000$/.test(Date(0)), new Date().getTimezoneOffset(), Math.abs(new Date() - Date.now()) < 1000, new Date(undefined) + '', Number.isInteger(Date.now()));
say(attempt(() => new Date(2020, {valueOf() {out.push('a'); throw new Error('z')}}, {valueOf() {out.push('b')}})));
say(attempt(() => new Date(...Array(9).fill({valueOf() {out.push('c'); return 1}})) - 0));
say('x'.repeat(200) && Date.parse('2020-01-01T00:00' + ' '.repeat(200)), Date.parse('a'.repeat(130) + ' 2020'), Date.parse('2020-01-01T00:00\u2212'), Date.parse('\u22120000'), Date.parse('Jan 1 2020 10:00 \u221205:00'), Date.parse('2020\u0000x'), Date.parse('2020-01-01\ud83d'), Date.parse('\u00e92020'));
let rope = '2020-'; for (let i = 0; i < 1e4; i++) rope += i % 2 ? '01-' : '02'; say(Date.parse(rope), +new Date(rope));
let long = ''; for (let i = 0; i < 9000; i++) long += ' '; long += '2020'; say(Date.parse(long), +new Date('1/2/2020 ' + long));
for (const t of texts) say('text', JSON.stringify(t), attempt(() => Date.parse(t)), attempt(() => describe(new Date(t))));
out.join('\n')
