package quickjs

import (
	"slices"
	"sync"
	"sync/atomic"
)

// The registry is how a C-shaped callback finds its Runtime: the engine hands
// back the arena's address, the arena's first bytes hold a number, and the
// number is an index here. It is the package's only shared state. Reading takes
// no lock, since two guests on two cores read it all the time.
var registry struct {
	mu   sync.Mutex // held to change the list
	list atomic.Pointer[[]*Runtime]
}

func register(rt *Runtime) (id uint32) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	var list []*Runtime
	if p := registry.list.Load(); p != nil {
		list = slices.Clone(*p)
	}
	i := slices.Index(list, nil)
	if i < 0 {
		i = len(list)
		list = append(list, nil)
	}
	list[i] = rt
	registry.list.Store(&list)
	return uint32(i)
}

func unregister(id uint32) {
	registry.mu.Lock()
	defer registry.mu.Unlock()
	list := slices.Clone(*registry.list.Load())
	list[id] = nil
	registry.list.Store(&list)
}

// runtimeAt finds the Runtime of the arena at base. A number that was damaged
// finds another Runtime or none; that one is then not being driven, which ends
// the run as an engine fault.
func runtimeAt(base uintptr) *Runtime {
	id := heap(base).state().owner
	list := *registry.list.Load()
	if id >= uint64(len(list)) || list[id] == nil || list[id].arena.base != base {
		panic(damaged("arena number"))
	}
	return list[id]
}
