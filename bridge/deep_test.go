package bridge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/bridge"
	"github.com/guestjs/guestjs/contract"
)

// A program that is nested deeper and deeper has its value until the parser's
// stack is too small for it, and then an error: there is no depth at which it is
// taken for something else.
func TestDeepProgramsAreNotMistaken(t *testing.T) {
	box := newBoxWith(t, bridge.Options{Limits: contract.Limits{Stack: 64 << 10, CPU: contract.Unlimited}})
	sources := []string{
		"const a = 7; DEEP",
		"DEEP",
		"DEEP; // seven",
		"() => DEEP",
		"() => [DEEP, 'await'][0]",
		"return DEEP",
		"const a = 7;\nDEEP\n;",
		"const a = 7\nif (a) DEEP\n'await', a",
		"await DEEP",
		"export default DEEP",
	}
	if raceEnabled {
		sources = sources[:1] // each takes a second there
	}
	for _, source := range sources {
		at := func(depth int) contract.Outcome {
			return run(t, box, strings.ReplaceAll(source, "DEEP", strings.Repeat("(", depth)+"7"+strings.Repeat(")", depth)))
		}
		require.NoError(t, at(20).Err, source)
		low, high := 20, 1000 // near the border each depth counts
		for high-low > 1 {
			if at((low+high)/2).Err == nil {
				low = (low + high) / 2
			} else {
				high = (low + high) / 2
			}
		}
		for depth := low - 8; depth < low+8; depth++ {
			out := at(depth)
			var thrown *contract.GuestError
			if out.Err == nil {
				require.Equal(t, "7", string(out.Value), "%s at %d", source, depth)
				continue
			}
			require.ErrorAs(t, out.Err, &thrown)
			require.Equal(t, "SyntaxError", thrown.Name)
			if !strings.HasPrefix(source, "export") { // which the last reading refuses sooner
				require.Equal(t, "stack overflow", thrown.Message, "%s at %d", source, depth)
			}
		}
	}
}
