// expect: {"customer":"Ada Lovelace","orders":40,"open":14,"total":"731.00","top":["sku-39","sku-27","sku-30"],"late":4,"note":"ok:4"}
(async () => {
  // Fifty lines as a model writes them: fetch, look through, write back.
  const customer = await host.fetch({ table: "customers", id: 7 });
  if (!customer || typeof customer.name !== "string") {
    throw new TypeError("no such customer");
  }

  const orders = await host.fetch({ table: "orders", customer: customer.id });

  const isOpen = (order) => order.status === "open";
  const cents = (order) => order.lines.reduce(
    (sum, line) => sum + line.quantity * line.cents,
    0,
  );

  const bySku = new Map();
  for (const order of orders) {
    for (const line of order.lines) {
      bySku.set(line.sku, (bySku.get(line.sku) ?? 0) + line.quantity);
    }
  }

  const open = orders.filter(isOpen);
  const total = open.reduce((sum, order) => sum + cents(order), 0);
  const top = open
    .map((order) => ({ sku: order.lines[0].sku, cents: cents(order) }))
    .sort((a, b) => b.cents - a.cents)
    .slice(0, 3)
    .map((row) => row.sku);

  const late = open.filter((order) => {
    const [, month] = /^\d{4}-(\d\d)-\d\d$/.exec(order.due) ?? [];
    return Number(month) < 4;
  });

  const report = {
    customer: `${customer.name} ${customer.family}`,
    orders: orders.length,
    open: open.length,
    total: (total / 100).toFixed(2),
    top,
    late: late.length,
  };

  for (const order of late) {
    if (!bySku.has(order.lines[0].sku)) throw new RangeError("lost a line");
  }
  const written = await host.save({ table: "reports", report });
  return { ...report, note: `${written.state}:${written.rows}` };
})()
