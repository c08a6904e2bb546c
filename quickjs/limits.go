package quickjs

import (
	"fmt"

	lib "modernc.org/libquickjs"
)

// Limits bound a Runtime for its whole life. Zero fields take the default.
type Limits struct {
	// Memory is the size of the arena in bytes, the engine's own state included.
	// Default 64 MiB, at least 1 MiB.
	Memory int64
	// Stack is the guest's stack in bytes; the engine counts calls, about 200
	// bytes each. Default 1 MiB, at least 64 KiB, at most 8 MiB.
	Stack int64
	// Source is the largest text the guest may compile, in bytes: a larger one
	// is a RangeError where it is compiled. Default 1 MiB.
	Source int64
}

const (
	defaultMemory = 64 << 20
	defaultStack  = 1 << 20
	defaultSource = 1 << 20

	minMemory = 1 << 20
	minStack  = 64 << 10
	maxStack  = 8 << 20
)

func (l Limits) withDefaults() (Limits, error) {
	if l.Memory == 0 {
		l.Memory = defaultMemory
	}
	if l.Stack == 0 {
		l.Stack = defaultStack
	}
	if l.Source == 0 {
		l.Source = defaultSource
	}
	switch {
	case l.Memory < minMemory:
		return l, fmt.Errorf("quickjs: Limits.Memory is %d bytes; at least %d are needed", l.Memory, minMemory)
	case l.Memory > 1<<40:
		return l, fmt.Errorf("quickjs: Limits.Memory is %d bytes; at most %d are possible", l.Memory, int64(1)<<40)
	case l.Stack < minStack || l.Stack > maxStack:
		return l, fmt.Errorf("quickjs: Limits.Stack is %d bytes; it must be between %d and %d", l.Stack, minStack, maxStack)
	case l.Source < 0:
		return l, fmt.Errorf("quickjs: Limits.Source is negative")
	}
	return l, nil
}

// firstCollection is how much memory the engine has in use, in bytes, when it looks
// for cycles for the first time; later it waits until there is half as much again as
// it left. It starts at 256 KiB by itself, which most programs over data pass several
// times, and what they have then is no garbage. Memory that is small gets no less.
func firstCollection(memory int64) lib.Tsize_t {
	const least, most = 256 << 10, 2 << 20
	return lib.Tsize_t(min(max(memory/8, least), most))
}

// slots turns a stack size into the engine's unit, one slot a native call: its
// default of 5,000 slots stands for 1 MiB (libquickjs.MaxStackSlots).
func slots(stack int64) lib.Tuintptr_t {
	return lib.Tuintptr_t(stack * lib.MaxStackSlots / defaultStack)
}
