// expect: [58,239400,6290,24485,2400]
(() => {
  // Matching, capturing, replacing over a text of log lines.
  const lines = [];
  for (let i = 0; i < 400; i++) {
    lines.push(`2026-06-${String((i % 28) + 1).padStart(2, "0")}T10:${String(i % 60).padStart(2, "0")}:00Z level=${i % 7 ? "info" : "error"} user=u${i}@example.com took=${i * 3}ms`);
  }
  const text = lines.join("\n");
  const line = /^(\d{4})-(\d\d)-(\d\d)T\S+ level=(\w+) user=([\w.]+@[\w.]+) took=(\d+)ms$/gm;
  let errors = 0, took = 0, users = 0;
  for (const m of text.matchAll(line)) {
    if (m[4] === "error") errors++;
    took += Number(m[6]);
    users += m[5].length;
  }
  const masked = text.replace(/(\w+)@(\w+)\.com/g, (_, name, host) => name[0] + "***@" + host);
  const words = text.match(/\b[a-z]+\b/g).length;
  return [errors, took, users, masked.length, words];
})()
