// expect: 2203481483
(() => {
  // Integer arithmetic in locals, no calls, no allocation.
  let h = 0;
  for (let i = 0; i < 100000; i++) {
    h = (h ^ i) | 0;
    h = (h + (h << 3)) | 0;
    h ^= h >>> 7;
  }
  return h >>> 0;
})()
