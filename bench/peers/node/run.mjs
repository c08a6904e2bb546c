// The npm package run (github.com/vercel-labs/run): every program in a fresh
// context inside a worker thread. It has no state that outlives a program, so
// all of its numbers are of fresh runs.
import { createRunner } from "run";
import { awaitedCalls, host, rowsText } from "./programs.mjs";

export const name = "run";

const runner = createRunner({
  limits: { maxBridgeRequests: awaitedCalls, maxInFlightBridgeRequests: 256, maxHostFunctionOutputBytes: 4 << 20 },
});

async function run(source, hostFunctions) {
  const result = await runner.run({ source: `return ${source}`, hostFunctions });
  if (result.status !== "completed") throw new Error(`run: ${result.status}`);
  return result.value;
}

export const freshRun = (source) => run(source);
export const freshAwait = (source) => run(`await ${source}`, { host });

const data = { text: async () => JSON.parse(rowsText) };

export async function open() {
  return {
    eval: freshRun,
    await: freshAwait,
    parse: (source) => run(`(async () => { const data = await input.text(); return ${source}; })()`, { input: data }),
    close: () => {},
  };
}
