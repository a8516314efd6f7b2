// Package par runs a fixed list of tasks on a fixed number of goroutines.
//
// Results must not depend on the number of threads. The rule for that: the caller divides its work
// into tasks by the size of the problem alone, every task writes to its own memory, and reductions
// over tasks run afterwards in task order. par only decides which goroutine runs a task.
//
// Do starts all goroutines that compute. Two packages add state to it. coarse/farfield keeps the
// memory of its workers between sweeps. The workers of sparse/solve run for a whole solve and wait
// for each other between passes, because a pass is too short to start goroutines for it.
package par

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Threads returns n, or GOMAXPROCS if n is not positive.
func Threads(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// Do runs f(0), ..., f(tasks-1), each once, on at most threads goroutines
// (GOMAXPROCS if threads <= 0), and returns when all have ended.
func Do(threads, tasks int, f func(task int)) {
	threads = min(Threads(threads), tasks)
	if threads <= 1 {
		for t := range tasks {
			f(t)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			for {
				t := int(next.Add(1)) - 1
				if t >= tasks {
					return
				}
				f(t)
			}
		})
	}
	wg.Wait()
}

// Ranges divides 0..n into pieces of at most size and runs f(piece, from, to) for each, as Do does.
// The pieces depend on n and size only.
func Ranges(threads, n, size int, f func(piece, from, to int)) {
	Do(threads, Pieces(n, size), func(t int) {
		f(t, t*size, min(n, (t+1)*size))
	})
}

// Pieces returns the number of pieces of Ranges.
func Pieces(n, size int) int { return (n + size - 1) / size }
