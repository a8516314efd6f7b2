package solve

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"unfold/internal/par"
)

// Every pass runs every piece once and ends before the next one begins, with fewer and more workers
// than processors, and if a worker is late.
func TestTeam(t *testing.T) {
	const n, passes = 23*piece - 5, 50
	for workers := 1; workers <= 2*runtime.GOMAXPROCS(0)+1; workers++ {
		m := newTeam(workers, n)
		var done [passes][]atomic.Int32
		for p := range done {
			done[p] = make([]atomic.Int32, par.Pieces(n, piece))
		}
		var early atomic.Int32
		m.run(func(worker int) {
			for p := range passes {
				if worker == p%m.workers && p%7 == 0 {
					time.Sleep(time.Millisecond)
				}
				for k := m.next(worker); k >= 0; k = m.next(worker) {
					done[p][k].Add(1)
					if p > 0 && done[p-1][(k+11)%len(done[p])].Load() != 1 {
						early.Add(1)
					}
				}
				m.wait()
			}
		})
		if early.Load() != 0 {
			t.Errorf("%d workers: %d pieces ran before the last pass was over", m.workers, early.Load())
		}
		for p := range done {
			for k := range done[p] {
				if got := done[p][k].Load(); got != 1 {
					t.Fatalf("%d workers: pass %d ran piece %d %d times", m.workers, p, k, got)
				}
			}
		}
	}
}
