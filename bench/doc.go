// Package bench measures guestjs beside what one would use instead of it.
//
// It holds the programs ([Load]), each with the answer that every engine must
// give before it is timed, and the data that crosses the border. The benchmarks
// are in its test files; package internal/engine puts the engines behind one
// face; the nested module peers adds the ones that must not be among guestjs's
// dependencies. Names of benchmarks are key=value parts: engine=, program=,
// size=, inflight=.
//
// Ours and modernc.org/quickjs, from the module's root:
//
//	go test -run '^$' -bench . -count 6 ./bench
//	go test -run '^$' -bench 'Run/engine=.*/program=trivial' -count 6 ./bench | go tool benchstat -col /engine -
//
// Everything, in rounds, into one file; then the page, and the promises:
//
//	npm ci --prefix bench/peers/node
//	go run ./bench/collect -count 6 > bench/results.txt
//	go run ./bench/plot -dir bench bench/results.txt
//	go run ./bench/gate -require bench/ratios.txt bench/results.txt
//
// A short set, for every change; rows of which nothing was measured are passed
// over:
//
//	go run ./bench/collect -count 5 -benchtime 20ms -peers=false -node=false -bench 'Run|JSON|Parallel' > short.txt
//	go run ./bench/gate -partial -margin 0.25 -require bench/ratios.txt short.txt
//
// A change against the last results, by ratios alone, so on any machine:
//
//	go run ./bench/collect -count 6 -peers=false -node=false > new.txt
//	go run ./bench/gate -ours /engine:guestjs -baseline /engine:modernc bench/results.txt new.txt
//
// Programs and data are fixed when the package is compiled; everything here may
// be used from any goroutine.
package bench
