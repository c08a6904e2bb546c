package contracttest

// The guest programs of the suite.
const (
	progValue   = `return 1 + 1`
	progNothing = `const nothing = 1;`
	progThrow   = `throw new TypeError("no")`
	progSyntax  = `return (`
	progStall   = `await new Promise(() => {})`
	progLogs    = `console.log("a"); console.warn("b", 1); await tools.touch(); console.info({c: [true]}); return 1`
	progPollute = `globalThis.left = 1; Array.prototype.left = 1; return 1`
	progClean   = `return [typeof left, typeof [].left]`
	progSpin    = `for (;;) {}`

	progEcho    = `return await tools.echo({a: [1, "two"]})`
	progMembers = `const seen = [];
for (const name of ["toString", "constructor", "__proto__", "hasOwnProperty"]) {
  try { await tools[name](); seen.push("called " + name) } catch (e) { seen.push(e.message) }
}
return seen`
	progRefused = `try { await tools.refuse() } catch (e) { e.message = "edited"; e.code = "forged"; throw e }`
	progCopied  = `let caught;
try { await tools.refuse() } catch (e) { caught = e }
throw Object.assign(new Error(caught.message), caught)`
	progCaught = `try { await tools.refuse() } catch (e) { return [e.message, e.code, e.retryable, e.data.retryAfterMs, e.data.owner] }`
	progFail   = `await tools.fail()`
	progBoom   = `try { await tools.boom() } catch (e) { return "caught" }`
	progTouch  = `await tools.touch(); return 1`
	progWait   = `return await tools.wait()`
	progForget = `tools.wait(); await tools.touch(); return "done"`
)
