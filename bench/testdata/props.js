// expect: [24000,8000,100]
(() => {
  // Property reads and writes: fixed shapes, computed keys, methods, classes.
  class Point {
    constructor(x, y) { this.x = x; this.y = y; }
    add(o) { return new Point(this.x + o.x, this.y + o.y); }
    get sum() { return this.x + this.y; }
  }
  let p = new Point(0, 0);
  const step = new Point(1, 2);
  for (let i = 0; i < 8000; i++) p = p.add(step);
  const counts = {};
  for (let i = 0; i < 8000; i++) {
    const key = "k" + (i % 100);
    counts[key] = (counts[key] ?? 0) + 1;
  }
  let total = 0;
  for (const key of Object.keys(counts)) total += counts[key];
  const { x, ...rest } = { ...counts, x: p.sum };
  return [x, total, Object.keys(rest).length];
})()
