package state

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// aFew is how many files one processor reads as fast as several.
const aFew = 16

// each calls do with the numbers below n, on all processors at once where there
// are many.
func each(n int, do func(i int)) {
	workers := 1
	if n > aFew {
		workers = runtime.GOMAXPROCS(0)
	}
	var last atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := int(last.Add(1)) - 1; i < n; i = int(last.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
