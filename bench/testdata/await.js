// expect: 500500
(async (inflight) => {
  // A thousand host calls, so many at a time.
  let sum = 0;
  for (let i = 0; i < 1000; i += inflight) {
    if (inflight === 1) {
      sum += await host.add(i, 1);
      continue;
    }
    const batch = [];
    for (let j = 0; j < inflight; j++) batch.push(host.add(i + j, 1));
    for (const n of await Promise.all(batch)) sum += n;
  }
  return sum;
})(1)
