// Package quickjs runs JavaScript that nobody vouches for, on QuickJS, inside a
// Go process, and ends it when it must end.
//
// # Model
//
// A [Runtime] is a heap in a private region of memory, its arena, of exactly the
// size its limit says. A [Context] is a realm in it: a global object with its own
// built-ins. A [Value] is a handle to something in the heap. Every operation goes
// through one door, [Runtime.Do], which holds the budget:
//
//	rt, err := quickjs.NewRuntime(quickjs.Limits{Memory: 16 << 20})
//	qc, err := rt.NewContext(quickjs.ContextOptions{})
//	err = rt.Checkpoint()
//	for each program {
//		err = rt.Rewind()
//		budget := quickjs.Budget{CPU: 100 * time.Millisecond, Limited: true}
//		_, err = rt.Do(budget, func() error {
//			v, err := qc.Eval(program, quickjs.EvalOptions{})
//			...
//		})
//	}
//
// A run ends by leaving, not by asking. When its budget is spent, its memory full
// or [Runtime.Kill] called, control leaves the engine by a panic that no handler
// of the guest sees: from the engine's poll, from the allocator, or, when the
// guest is inside a builtin that never polls, because access to the arena is
// taken away and the next touch faults. Do recovers it and returns
// [ErrOutOfMemory], an [*InterruptError] or a [*FaultError]. The state that was
// left is not used again: [Runtime.Rewind] puts the bytes of the last
// [Runtime.Checkpoint] back, in time proportional to those, and everything is as
// it was there; [Runtime.RewindTo] goes on to a [Waypoint], where code that comes
// again has been read already. What a guest throws is an [*Exception].
//
// The engine prints an error's backtrace where no guest can change it
// ([Value.Backtrace]); Date says UTC; recursion is bounded by the bytes of the
// frames, not only by their number. A guest's JSON.stringify, JSON.parse, indexOf
// and includes look like the engine's own and give the same, sooner.
//
// # Ownership
//
// A Value that a function returned is the caller's: [Value.Free] gives it back,
// and so do Rewind and [Runtime.Close], so forgetting it costs a slot until then.
// Values passed as arguments stay the caller's. The arguments of a [Func] are
// borrowed: they end with the call, and [Value.Dup] keeps one. The result of a
// Func is taken over. A [MemberFunc], behind the members of a
// [Context.HostNamespace], is treated alike. Undefined, null, true and false need no Free. Nothing waits
// for the garbage collector, and nothing has a finalizer.
//
// Use of a handle that was freed or rewound, of another Runtime's, or of the zero
// Value is a mistake in the host and panics with a message that names it. What a
// guest can cause is an error.
//
// # Goroutines
//
// A Runtime belongs to one goroutine at a time; it may move between them. Only
// Kill may be called from anywhere. Go functions that the guest calls run on the
// goroutine that called Do, with the guest standing still, and may use the
// Runtime. A second goroutine that uses it meanwhile panics where that can be
// seen.
//
// # Which calls may run guest code
//
//   - [Context.Eval], [Context.Run], [Runtime.RunJobs], [Value.Call], [Value.New]:
//     always.
//   - [Value.Get], [Value.GetKey], [Value.Index], [Value.Set], [Value.SetIndex],
//     [Value.Has], [Value.ToText], [Value.JSON], [Context.AppendJSONArray],
//     [Value.InstanceOf], [Deferred.Resolve]: by getters, setters, conversions, toJSON and then.
//   - [Value.Define], [Value.Delete], [Value.OwnKeys], [Value.OwnProperty],
//     [Value.Prototype], [Value.Freeze] and their kin: on a proxy, by its traps.
//     [Value.IsProxy] tells.
//   - All others: never.
//
// # Platforms
//
// On Linux the processor budget is the thread's own clock; elsewhere elapsed time
// stands for it. 64-bit platforms only.
package quickjs
