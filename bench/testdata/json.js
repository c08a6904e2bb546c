// expect: [28934,75.75]
(() => {
  // The guest's own JSON: parse, change, stringify.
  const rows = [];
  for (let i = 0; i < 300; i++) {
    rows.push({ id: i, name: "row " + i, tags: ["a", "b", "c" + (i % 5)], at: { x: i / 4, y: -i }, ok: i % 3 === 0, note: null });
  }
  let text = JSON.stringify(rows);
  for (let round = 0; round < 2; round++) {
    const copy = JSON.parse(text);
    for (const row of copy) row.at.x += 0.5;
    text = JSON.stringify(copy);
  }
  return [text.length, JSON.parse(text)[299].at.x];
})()
