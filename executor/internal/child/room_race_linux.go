//go:build race

package child

// slack is what a child has beside its sandboxes. The race detector takes several
// times as much for itself as the program does.
const slack = 8 << 30
