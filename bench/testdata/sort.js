// expect: [4000,0,99992,3986,761089,"k0",99808]
(() => {
  // Arrays: fill, sort with and without a comparator, map, filter, reduce.
  let seed = 42;
  const random = () => (seed = (seed * 1103515245 + 12345) & 0x7fffffff);
  const numbers = Array.from({ length: 4000 }, () => random() % 100000);
  const ascending = numbers.slice().sort((a, b) => a - b);
  const rows = numbers.slice(0, 1000).map((n, i) => ({ id: i, key: "k" + (n % 50), n }));
  rows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.n - b.n));
  const even = ascending.filter((n) => n % 2 === 0).length;
  const sum = ascending.reduce((a, n) => (a + n) % 1000003, 0);
  return [ascending.length, ascending[0], ascending.at(-1), even, sum, rows[0].key, rows.at(-1).n];
})()
