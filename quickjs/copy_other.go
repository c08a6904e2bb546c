//go:build !amd64

package quickjs

func copyImage(to, from []byte) { copy(to, from) }
