//go:build !race

package child

// slack is the address space, in bytes, that a child has beside its sandboxes: for
// what Go reserves in large pieces, and for stacks that grow.
const slack = 1 << 30
