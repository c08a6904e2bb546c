package quickjs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/quickjs"
)

func TestTheClockOfAThreadThatIsGone(t *testing.T) {
	require.Zero(t, quickjs.ClockOfNoThread())
}
