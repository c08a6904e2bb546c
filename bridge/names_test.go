package bridge_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A name can be nearly as long as the guest's memory, and many objects can share
// it: then it counts once there, and the host must not write it out for each. What
// was allocated in all is measured, so that it does not matter when it is freed.
func TestLongNamesAreNotExpandedInTheHost(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector keeps memory of its own, and takes minutes for names of this size")
	}
	tests := []struct{ name, source, want string }{
		{"of a thrown error's member", `const k = '\x01'.repeat(20e6); throw Object.assign(new Error('x'), { p: { [k]: 1 } })`, "x"},
		{"of a thrown error itself", `const k = '\x01'.repeat(20e6); throw Object.assign(new Error('x'), { [k]: 1 })`, "x"},
		{"of many members of an error", `const k = '\x80'.repeat(5e6), e = new Error('x'); for (let i = 0; i < 8; i++) e['p' + i] = { [k]: i }; throw e`, "x"},
		{"of a value, ASCII", `const k = '\x7f'.repeat(10e6); let o = {}; for (let i = 0; i < 190; i++) o = { z: o, [k]: undefined }; return o`, ""},
		{"of a value, Latin-1", `const k = '\u0085'.repeat(10e6); let o = {}; for (let i = 0; i < 190; i++) o = { z: o, [k]: undefined }; return o`, ""},
		{"on the way to a BigInt", `const k = '\u0085'.repeat(10e6); let o = 1n; for (let i = 0; i < 190; i++) o = { z: o, [k]: undefined }; return o`, "Do not know how to serialize a BigInt"},
		{"on the path to a BigInt", `const k = '\u0085'.repeat(3e6); return { [k]: 1n }`, `Do not know how to serialize a BigInt at ["`},
	}
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{CPU: contract.Unlimited}})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := allocated()
			out := run(t, box, test.source)
			grown := allocated() - before
			if test.want == "" {
				require.NoError(t, out.Err)
			} else {
				require.ErrorContains(t, out.Err, test.want)
				require.Less(t, len(out.Err.Error()), 4000)
			}
			require.Less(t, grown, uint64(contract.DefaultLimits().Memory), "more than the guest itself may have")
		})
	}
}

// allocated is what the process has allocated so far, in bytes.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}
