package par

import (
	"runtime"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"
)

func TestEveryTaskOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 100).Draw(t, "n")
		size := rapid.IntRange(1, 20).Draw(t, "size")
		threads := rapid.IntRange(-1, 8).Draw(t, "threads")
		ran := make([]int32, n)
		pieces := make([]int32, Pieces(n, size))
		Ranges(threads, n, size, func(piece, from, to int) {
			pieces[piece]++
			if from != piece*size || to <= from || to > n || to-from > size {
				panic("wrong cut")
			}
			for i := from; i < to; i++ {
				ran[i]++
			}
		})
		for i, c := range ran {
			if c != 1 {
				t.Fatalf("element %d was done %d times", i, c)
			}
		}
		for p, c := range pieces {
			if c != 1 {
				t.Fatalf("piece %d ran %d times", p, c)
			}
		}
	})
}

func TestThreads(t *testing.T) {
	if Threads(3) != 3 || Threads(0) != runtime.GOMAXPROCS(0) || Threads(-1) != runtime.GOMAXPROCS(0) {
		t.Fatal("wrong number of threads")
	}
	var now, most atomic.Int32
	Do(2, 50, func(int) {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		runtime.Gosched()
		now.Add(-1)
	})
	if most.Load() > 2 {
		t.Fatalf("%d tasks at once on 2 threads", most.Load())
	}
}
