package solve

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"unfold/internal/par"
)

// TestTeam: every pass runs every piece once and is over before the next one
// begins, with fewer and with more lanes than processors, and if a lane is late.
func TestTeam(t *testing.T) {
	const n, passes = 23*piece - 5, 50
	for lanes := 1; lanes <= 2*runtime.GOMAXPROCS(0)+1; lanes++ {
		m := newTeam(lanes, n)
		var done [passes][]atomic.Int32
		for p := range done {
			done[p] = make([]atomic.Int32, par.Pieces(n, piece))
		}
		var early atomic.Int32
		m.run(func(lane int) {
			for p := range passes {
				if lane == p%m.lanes && p%7 == 0 {
					time.Sleep(time.Millisecond)
				}
				for k := m.next(lane); k >= 0; k = m.next(lane) {
					done[p][k].Add(1)
					if p > 0 && done[p-1][(k+11)%len(done[p])].Load() != 1 {
						early.Add(1)
					}
				}
				m.wait()
			}
		})
		if early.Load() != 0 {
			t.Errorf("%d lanes: %d pieces ran before the last pass was over", m.lanes, early.Load())
		}
		for p := range done {
			for k := range done[p] {
				if got := done[p][k].Load(); got != 1 {
					t.Fatalf("%d lanes: pass %d ran piece %d %d times", m.lanes, p, k, got)
				}
			}
		}
	}
}
