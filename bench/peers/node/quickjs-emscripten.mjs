// quickjs-emscripten: a new runtime for each program it does not trust, and
// deferred promises for host calls, as its documentation has it.
import { getQuickJS } from "quickjs-emscripten";
import { host, rowsText } from "./programs.mjs";

const QuickJS = await getQuickJS();

export const name = "quickjs-emscripten";

/** Runs f in a runtime of its own, with a memory limit. */
async function fresh(f) {
  const runtime = QuickJS.newRuntime();
  runtime.setMemoryLimit(64 << 20);
  const context = runtime.newContext();
  try {
    return await f(context);
  } finally {
    context.dispose();
    runtime.dispose();
  }
}

function evaluate(context, source) {
  const handle = context.unwrapResult(context.evalCode(source));
  const value = context.dump(handle);
  handle.dispose();
  return value;
}

/** Puts the host object in place; every function of it returns a promise. */
function install(context) {
  const object = context.newObject();
  for (const [key, f] of Object.entries(host)) {
    const fn = context.newFunction(key, (...handles) => {
      const deferred = context.newPromise();
      f(...handles.map((h) => context.dump(h))).then((value) => {
        const handle = toHandle(context, value);
        deferred.resolve(handle);
        handle.dispose();
      });
      deferred.settled.then(() => context.runtime.executePendingJobs());
      return deferred.handle;
    });
    context.setProp(object, key, fn);
    fn.dispose();
  }
  context.setProp(context.global, "host", object);
  object.dispose();
}

function toHandle(context, value) {
  if (typeof value === "number") return context.newNumber(value);
  return parseIn(context, JSON.stringify(value));
}

/** The value of a JSON text, parsed by the guest's engine. */
function parseIn(context, json) {
  const text = context.newString(json);
  const codec = context.getProp(context.global, "JSON");
  const parse = context.getProp(codec, "parse");
  const result = context.unwrapResult(context.callFunction(parse, codec, text));
  for (const h of [parse, codec, text]) h.dispose();
  return result;
}

async function awaitIn(context, source) {
  const promise = context.unwrapResult(context.evalCode(source));
  const settled = context.resolvePromise(promise);
  context.runtime.executePendingJobs();
  const handle = context.unwrapResult(await settled);
  const value = context.dump(handle);
  handle.dispose();
  promise.dispose();
  return value;
}

export const freshRun = (source) => fresh((context) => evaluate(context, source));

export const freshAwait = (source) =>
  fresh((context) => {
    install(context);
    return awaitIn(context, source);
  });

/** One context for many programs. */
export async function open() {
  const runtime = QuickJS.newRuntime();
  const context = runtime.newContext();
  install(context);
  return {
    eval: async (source) => evaluate(context, source),
    await: (source) => awaitIn(context, source),
    parse: async (source) => {
      const data = parseIn(context, rowsText);
      context.setProp(context.global, "data", data);
      data.dispose();
      return evaluate(context, source);
    },
    close: () => {
      context.dispose();
      runtime.dispose();
    },
  };
}
