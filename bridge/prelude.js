// Runs once per sandbox, before any program, and is part of the image that each
// run starts from. It must capture every built-in it uses later: programs may
// replace them all.
//
// `call(provider, name, args)` and `log(...)` are native: they throw nothing
// and call nothing that a program can replace.
(function (call, log) {
  'use strict';
  const { create, defineProperty, freeze } = Object;
  const NativeProxy = Proxy;
  const RangeErrorHere = RangeError;
  const empty = freeze(create(null));

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

  // A namespace has no members of its own. Reading any name gives a function, so
  // that an unknown one fails where it is called, with its name. Symbols, `then`
  // and `toJSON` are undefined: a namespace can be awaited, returned and logged.
  return function namespace(provider) {
    const handler = create(null);
    handler.get = (target, key) => {
      if (typeof key === 'symbol' || key === 'then' || key === 'toJSON') return undefined;
      return (...args) => call(provider, key, args);
    };
    return new NativeProxy(empty, freeze(handler));
  };
})
