// Measures engines that live in Node and prints the Go benchmark format.
//
//	node bench.mjs [-count n] [-benchtime 200ms] [-bench regexp]
import { availableParallelism } from "node:os";
import { isDeepStrictEqual, parseArgs } from "node:util";
import * as emscripten from "./quickjs-emscripten.mjs";
import * as run from "./run.mjs";
import { awaitedCalls, awaiting, compute, load, out, rows } from "./programs.mjs";

const { count, matches, milliseconds } = flags(process.argv.slice(2));
const processors = Number(process.env.GOMAXPROCS) || availableParallelism();
const suffix = processors > 1 ? `-${processors}` : "";

console.log(`goos: ${process.platform}\ngoarch: ${process.arch === "x64" ? "amd64" : process.arch}`);
console.log("pkg: github.com/guestjs/guestjs/bench/peers");

for (const engine of [emscripten, run]) {
  const part = `engine=${engine.name}`;
  await measure(`Run/${part}/program=trivial`, load("trivial"), engine.freshRun);
  let seen = 0;
  await measure(`Run/${part}/program=unseen`, load("trivial"), (source) => engine.freshRun(`${source} // ${++seen}`));
  await measure(`Run/${part}/program=calls`, load("calls"), engine.freshAwait);

  const session = await engine.open();
  for (const inflight of [1, 20, 200]) {
    await measure(`Call/${part}/kind=async/inflight=${inflight}`, awaiting(inflight), session.await, awaitedCalls);
  }
  await measure(`JSON/${part}/dir=out/size=256KB`, out, session.eval);
  await measure(`JSON/${part}/dir=in/size=256KB`, input(), session.parse);
  for (const name of compute) {
    await measure(`Compute/${part}/program=${name}`, load(name), session.eval);
  }
  session.close();
}
console.log("PASS");
process.exit(0); // the workers of run would keep the process for a while

function input() {
  return { name: "in", source: "[data.length, data[data.length - 1].id]", want: [rows, rows - 1] };
}

/** Checks the answer, then runs the program for the time asked for, count times. */
async function measure(title, program, f, calls) {
  if (!matches(title)) return;
  const value = await f(program.source);
  if (!isDeepStrictEqual(value, program.want)) {
    throw new Error(`${title} gave ${JSON.stringify(value)}, want ${JSON.stringify(program.want)}`);
  }
  await loop(() => f(program.source)); // V8 compiles what is hot
  for (let i = 0; i < count; i++) {
    const [n, ns] = await loop(() => f(program.source));
    const perCall = calls ? ` ${(ns / n / calls).toFixed(1)} ns/call` : "";
    console.log(`Benchmark${title}${suffix} ${n} ${(ns / n).toFixed(1)} ns/op${perCall}`);
  }
}

/** Runs f until the time is up; how often, and how many nanoseconds it took. */
async function loop(f) {
  const start = process.hrtime.bigint();
  const end = start + BigInt(Math.round(milliseconds * 1e6));
  let n = 0;
  let now = start;
  while (now < end) {
    await f();
    n++;
    now = process.hrtime.bigint();
  }
  return [n, Number(now - start)];
}

function flags(args) {
  // Go's flags have one dash.
  const { values } = parseArgs({
    args: args.map((a) => a.replace(/^-(?=\w)/, "--")),
    options: {
      count: { type: "string", default: "1" },
      bench: { type: "string", default: "." },
      benchtime: { type: "string", default: "1s" },
    },
  });
  const time = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(values.benchtime);
  if (!time) throw new Error(`-benchtime ${values.benchtime}: want a number with ms or s, such as 200ms`);
  const n = Number(values.count);
  if (!Number.isInteger(n) || n < 1) throw new Error(`-count ${values.count}: want a whole number of at least 1`);
  return { count: n, matches: matcher(values.bench), milliseconds: Number(time[1]) * (time[2] === "s" ? 1000 : 1) };
}

/** As go test does: alternatives, each a regular expression for every part of the name. */
function matcher(pattern) {
  const alternatives = split(pattern, "|").map((a) => split(a, "/").map((part) => new RegExp(part)));
  return (title) => {
    const parts = title.split("/");
    return alternatives.some((a) => a.length <= parts.length && a.every((part, i) => part.test(parts[i])));
  };
}

/** Splits a pattern at a character that stands outside brackets. */
function split(pattern, at) {
  const parts = [""];
  let depth = 0;
  for (const c of pattern) {
    if ("([".includes(c)) depth++;
    if (")]".includes(c)) depth--;
    if (c === at && depth === 0) parts.push("");
    else parts[parts.length - 1] += c;
  }
  return parts;
}
