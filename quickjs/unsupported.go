//go:build !(amd64 || arm64 || loong64 || ppc64le || riscv64)

package quickjs

// A 32-bit engine packs a value into one word, and no big-endian one was tried.
// The name that does not exist is what the compiler shows first.
var _ = guestjs_needs_a_64_bit_little_endian_platform
