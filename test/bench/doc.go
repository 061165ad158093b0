// Package bench compares whole processes side by side: our hook, the least that a Go program can do as a hook (test/bench/floor),
// and hooks in bash (test/bench/bash).
//
//	make bench                      a table, 200 runs of each
//	make bench BENCH="-runs 1000"   steadier figures
//	go test -bench . ./test/bench   each program alone, for benchstat
//
// A time says more about the machine than about the hook: only the ratios within one run can be compared.
package bench
