package executor

// Places are the sandboxes of an executor of this process: how many there are,
// how many of them are idle, and how many of those hold memory to give back.
func (e *Executor) Places() (live, idle, dirty int) {
	p := e.sandbox
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, place := range p.idle {
		if place.dirty {
			dirty++
		}
	}
	return len(p.live), len(p.idle), dirty
}

// Trimming takes a sandbox out as trimIdle does, for the function it returns to give
// back.
func (e *Executor) Trimming() (back func()) {
	p, err := e.sandbox.take()
	if err != nil {
		panic(err)
	}
	return func() { e.sandbox.back([]*place{p}) }
}

// TrimAfter is when an idle sandbox gives memory back.
const TrimAfter = trimAfter
