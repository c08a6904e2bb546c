package engine_test

import (
	"testing"

	"github.com/guestjs/guestjs/bench/internal/engine"
	"github.com/stretchr/testify/require"
)

func TestEngines(t *testing.T) {
	for _, e := range engine.All() {
		t.Run(e.Name(), func(t *testing.T) { require.NoError(t, engine.Verify(e)) })
	}
}
