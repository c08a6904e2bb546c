// The programs and data of bench/testdata, as program.go and data.go read them.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../../testdata/${name}`, import.meta.url), "utf8");

/** A program: one expression, and the answer it must give. */
export function load(name) {
  const text = read(`${name}.js`);
  const end = text.indexOf("\n");
  const first = text.slice(0, end);
  const prefix = "// expect: ";
  if (!first.startsWith(prefix)) throw new Error(`${name}.js: the first line must be ${prefix} and the answer`);
  return { name, source: text.slice(end + 1).trim(), want: JSON.parse(first.slice(prefix.length)) };
}

export const compute = ["fib", "loop", "strings", "sort", "regex", "json", "props", "mapset"];

/** How many host calls one run of awaiting() makes. */
export const awaitedCalls = 1000;

export function awaiting(inflight) {
  const p = load("await");
  return { ...p, source: p.source.replace(/\(1\)$/, `(${inflight})`) };
}

/** 256 KB of JSON: so many records. */
export const rows = 1160;

const record = read("record.json");

export const out = { name: "out", source: `Array(${rows}).fill(${record})`, want: Array(rows).fill(JSON.parse(record)) };

export const rowsText = "[" + Array.from({ length: rows }, (_, i) => record.replace("4711", String(i))).join(",") + "]";

const customer = JSON.parse(read("customer.json"));
const orders = JSON.parse(read("orders.json"));
const saved = JSON.parse(read("saved.json"));

/** The host object: what the guest's functions do. */
export const host = {
  add: async (a, b) => a + b,
  fetch: async (query) => (query.table === "customers" ? customer : orders),
  save: async () => saved,
};
