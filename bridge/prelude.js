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
  const empty = freeze(create(null));

  const console = {};
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) console[level] = log;
  defineProperty(globalThis, 'console', { value: console, writable: true, enumerable: false, configurable: true });

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
