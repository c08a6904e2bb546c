// Package executor runs programs for a server: a bounded number at a time, the
// rest in a queue, each in a sandbox of its own.
//
// [New] makes an [Executor]. Its sandboxes live in this process or, with
// [Process], in child processes that have given up what they do not need; a
// caller changes one option and nothing else. Sandboxes and children are made
// when first needed and kept, up to Options.Concurrency.
//
// # Ownership
//
// Close the Executor when done: it refuses newcomers, lets runs that are going
// finish until its context ends, stops what is left and gives everything back.
//
// # Goroutines
//
// An Executor may be used from any number of goroutines. Execute and Acquire
// block: for a slot, within the queue's bounds, and Execute for the run, within
// the program's limits.
//
// With [Process] a thread waits for the answer of each run that is going.
//
// # Children
//
// A child is this binary again, or the one that Options.ChildPath names, and its
// main calls [ChildMain]. It has an empty environment, no descriptors but its
// pipes, and ends when they close; a run that it does not survive costs that run,
// and the next one gets another child. On Linux it has also given up files,
// network, starting programs and most system calls before it sees a program, and
// it ends with this process even when that is killed; a step that the kernel does
// not have is named in the Snapshot's notes. Elsewhere those notes say that there
// is no hardening: a child is a wall against crashes there, not against a guest
// that has taken it over.
//
// # Nested runs
//
// A host function may run a program on the executor that called it. Since its
// own caller holds a slot, waiting for another could go on for ever: with no
// slot free the nested run is refused at once.
//
//	ex, err := executor.New(executor.Options{})
//	if err != nil {
//		return err
//	}
//	defer ex.Close(context.Background())
//	out, err := ex.Execute(ctx, contract.Program{Source: source, Providers: tools})
package executor
