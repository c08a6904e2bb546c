//go:build unix && !linux

package executor

import "syscall"

// endWithParent does nothing: the child ends when its pipe closes.
func endWithParent(*syscall.SysProcAttr) {}
