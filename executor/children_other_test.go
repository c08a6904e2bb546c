//go:build !linux

package executor_test

// childrenInTests says that this test binary cannot be a child: the fakes speak
// Linux.
const childrenInTests = false
