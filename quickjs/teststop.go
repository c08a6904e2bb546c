package quickjs

import "errors"

// testStops let tests stop a guest at a chosen allocation or poll. Production
// code never sets them.
type testStops struct {
	allocation uint64
	pollNumber uint64
	polls      uint64
	armed      func(*Runtime) // called when all is ready for a run
}

var errTestPoll = errors.New("quickjs: stopped at the chosen poll")

// arm applies the stops to a state that was just rewound.
func (t *testStops) arm(rt *Runtime) {
	t.polls = 0
	s := rt.arena.heap.state()
	if s.failAt = 0; t.allocation != 0 {
		s.failAt = s.allocs + t.allocation
	}
	if t.armed != nil {
		t.armed(rt)
	}
}

func (t *testStops) poll(*Runtime) {
	t.polls++
	if t.polls == t.pollNumber {
		panic(interruptStop{errTestPoll})
	}
}
