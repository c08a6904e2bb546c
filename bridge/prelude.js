// Runs once per sandbox, before any program, and is part of the image that each
// run starts from. It must capture every built-in it uses later: programs may
// replace them all.
//
// `log(...)` is native: it throws nothing and calls nothing that a program can
// replace.
(function (log) {
  'use strict';
  const { defineProperty } = Object;
  const RangeErrorHere = RangeError;

  const console = {};
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level] = log;
  defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });

  // The engine knows one locale and one zone and ignores what it is asked for. A
  // silently wrong time is the worst answer, so what it cannot honour throws.
  const { apply } = Reflect;
  const honoured = (locale) => locale === undefined || locale === 'en' || locale === 'en-US';
  for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
    const real = Date.prototype[name];
    const method = {
      [name](...args) {
        if (!honoured(args[0]) || args[1] !== undefined) {
          throw new RangeErrorHere(`${name}: locales and options are not supported; use toISOString() or format by hand`);
        }
        return apply(real, this, []);
      },
    };
    defineProperty(Date.prototype, name, { value: method[name], writable: true, enumerable: false, configurable: true });
  }
})
