package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrdersAreGenerated(t *testing.T) {
	want, err := os.ReadFile("../orders.json")
	require.NoError(t, err)
	require.True(t, string(want) == string(text(makeShop())), "go generate ./examples writes another orders.json")
}
