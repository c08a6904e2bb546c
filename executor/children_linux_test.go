//go:build linux

package executor_test

// childrenInTests says that this test binary can be a child: see TestMain.
const childrenInTests = true
