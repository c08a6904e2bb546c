// expect: [500,300,1000,34979325]
(() => {
  // Map and Set with number, string and object keys.
  const byNumber = new Map(), byString = new Map(), seen = new Set();
  for (let i = 0; i < 8000; i++) {
    byNumber.set(i % 500, (byNumber.get(i % 500) ?? 0) + i);
    byString.set("s" + (i % 300), i);
    seen.add(i * 7 % 1000);
  }
  const objects = Array.from({ length: 500 }, (_, i) => ({ i }));
  const ranks = new Map(objects.map((o) => [o, o.i]));
  let sum = 0;
  for (let round = 0; round < 5; round++) for (const o of objects) sum += ranks.get(o);
  for (const [k, v] of byNumber) sum += k ^ v;
  for (const v of byString.values()) sum += v;
  for (const v of seen) if (!seen.has(v + 1)) sum += v;
  return [byNumber.size, byString.size, seen.size, sum];
})()
