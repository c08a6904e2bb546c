// A report on a year of orders: revenue by month and country, the products that
// bring it in, how much goes back, and the orders a person should look at.
//
//   go run ./cmd/guestjs run --input examples/orders.json examples/orders.js

const { customers, orders, rates, currency } = input;

const customerOf = new Map(customers.map((c) => [c.id, c]));
const sum = (list, f) => list.reduce((total, x) => total + f(x), 0);
const round = (amount) => Math.round(amount * 100) / 100;

// Amounts are in hundredths of the order's own currency.
const converted = (order, amount) => (amount / 100) * rates[order.currency];
const lineTotal = (line) => (line.quantity * line.price * (100 - (line.discountPercent ?? 0))) / 100;
const goods = (order) => sum(order.lines, lineTotal);
const refunded = (order) => sum(order.refunds ?? [], (r) => r.amount);
const revenue = (order) => converted(order, goods(order) + order.shipping);
const destination = (order) => (order.shipTo ?? customerOf.get(order.customer).address).country;

// --- revenue by month and country ---

const months = Map.groupBy(orders, (o) => o.placedAt.slice(0, 7));
const countries = [...Map.groupBy(orders, destination)]
  .map(([country, list]) => ({ country, orders: list.length, revenue: round(sum(list, revenue)) }))
  .sort((a, b) => b.revenue - a.revenue);

const table = (rows) => {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((r) => r[i].length)));
  const line = (r) => r.map((cell, i) => (i ? cell.padStart(widths[i]) : cell.padEnd(widths[i]))).join("  ");
  return rows.map((r) => line(r).trimEnd()).join("\n");
};
const money = (x) => Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, " ");

const columns = countries.map((c) => c.country);
console.log(`${input.shop}: ${orders.length} orders, revenue in ${currency}\n`);
console.log(
  table([
    ["month", ...columns, "all"],
    ...[...months].map(([month, list]) => [
      month,
      ...columns.map((c) => money(sum(list.filter((o) => destination(o) === c), revenue))),
      money(sum(list, revenue)),
    ]),
    ["year", ...countries.map((c) => money(c.revenue)), money(sum(orders, revenue))],
  ]),
);

// --- top products ---

const sold = new Map();
for (const order of orders) {
  for (const line of order.lines) {
    const entry = sold.get(line.sku) ?? { title: line.title, units: 0, revenue: 0 };
    sold.set(line.sku, entry);
    entry.units += line.quantity;
    entry.revenue += converted(order, lineTotal(line));
  }
}
const topProducts = [...sold]
  .map(([sku, p]) => ({ sku, title: p.title, units: p.units, revenue: round(p.revenue) }))
  .sort((a, b) => b.revenue - a.revenue)
  .slice(0, 5);

console.log("\n" + table([["top products", "units", "revenue"], ...topProducts.map((p) => [p.title, `${p.units}`, money(p.revenue)])]));

// --- refunds ---

const withRefund = orders.filter((o) => o.refunds?.length);
const reasons = Object.entries(Object.groupBy(withRefund.flatMap((o) => o.refunds), (r) => r.reason))
  .map(([reason, list]) => ({ reason, count: list.length }))
  .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1));
const refunds = {
  ordersPercent: round((100 * withRefund.length) / orders.length),
  revenuePercent: round((100 * sum(orders, (o) => converted(o, refunded(o)))) / sum(orders, revenue)),
  reasons,
};
console.log(`\nrefunds: ${refunds.ordersPercent} % of orders, ${refunds.revenuePercent} % of revenue; ` + reasons.map((r) => `${r.reason} ${r.count}`).join(", "));

// --- suspicious orders ---

const typical = orders.map(revenue).sort((a, b) => a - b)[Math.floor(orders.length * 0.95)];
const rules = [
  [(o) => o.payment.attempts > 3, (o) => `${o.payment.attempts} attempts to pay`],
  [(o) => o.payment.cardCountry && o.payment.cardCountry !== customerOf.get(o.customer).address.country, (o) => `a card from ${o.payment.cardCountry}`],
  [(o) => refunded(o) > goods(o) + o.shipping, () => "more refunded than paid"],
  [(o) => o.lines.some((l) => l.quantity > 10), (o) => `${Math.max(...o.lines.map((l) => l.quantity))} of one thing`],
  [(o) => revenue(o) > 3 * typical, (o) => `${money(revenue(o))} ${currency}, where 95 % are under ${money(typical)}`],
];
const suspicious = orders
  .map((o) => ({ id: o.id, customer: customerOf.get(o.customer).name, revenue: round(revenue(o)), why: rules.filter(([is]) => is(o)).map(([, say]) => say(o)) }))
  .filter((o) => o.why.length);

console.log("\nworth a look:\n" + suspicious.map((o) => `  ${o.id}  ${o.customer}: ${o.why.join(", ")}`).join("\n") + "\n");

return { orders: orders.length, revenue: round(sum(orders, revenue)), countries, topProducts, refunds, suspicious };
