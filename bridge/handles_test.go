package bridge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A rewind takes all handles, but within a run they must not pile up: each one
// keeps its value alive.
func TestHandlesDoNotPileUp(t *testing.T) {
	box := newBoxWith(t, bridge.Options{MaxCalls: 2, Limits: contract.Limits{CPU: contract.Unlimited}})
	for name, statement := range map[string]string{
		"calls on goroutines":         "await t.echo([i])",
		"calls that wait":             "await Promise.all([t.echo(1), t.echo(2), t.echo(3), t.echo(4)])",
		"immediate calls":             "await t.now([i])",
		"calls without a value":       "await t.nothing()",
		"unknown functions":           "await t.missing().catch(() => {})",
		"members that nobody calls":   "t.x; t.then; t[Symbol.iterator]",
		"arguments that do not write": "await t.now(1n).catch(() => {}); await t.echo(1n).catch(() => {})",
		"arguments that throw":        "await t.now({ toJSON() { throw {} } }).catch(() => {})",
		"replies that are thenables":  "Object.prototype.then = function (f) { delete Object.prototype.then; f(1) }; await t.now({})",
		"replies whose then throws":   "Object.defineProperty(Object.prototype, 'then', { get() { throw {} }, configurable: true }); await t.now({}).catch(() => {}); delete Object.prototype.then",
		"log entries":                 "console.log({ i }, [i], 1n, { toJSON() { throw {} }, toString() { throw {} } })",
		"stacks":                      "new Error('x').stack; try { Reflect.get(Error.prototype, 'stack', 1) } catch {}",
		"rejections that are handled": "Promise.reject({}).catch(() => {}); await null",
		"rejections that are lost":    "Promise.reject({}); await null",
		"rejections handled late":     "const p = Promise.reject({}); await null; p.catch(() => {})",
	} {
		t.Run(name, func(t *testing.T) {
			out := run(t, box, "for (let i = 0; i < 500; i++) {"+statement+"}")
			require.NoError(t, out.Err)
			require.Less(t, box.Handles(), 200, "64 lost rejections are kept, with two handles each")
		})
	}
}
