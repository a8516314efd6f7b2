package solve

import (
	"sync"
	"sync/atomic"

	"unfold/sparse/par"
)

// team is a fixed number of goroutines, the lanes, that run through a whole solve
// together: an iteration is too short to start goroutines for each of its
// passes.
type team struct {
	lanes   int
	arrived atomic.Int32
	round   atomic.Uint32
	lock    sync.Mutex // of changes of round that somebody sleeps for
	over    sync.Cond
}

// newTeam returns a team for n rows.
func newTeam(threads, n int) *team {
	m := &team{lanes: max(1, min(par.Threads(threads), par.Pieces(n, piece)))}
	m.over.L = &m.lock
	return m
}

// run runs f(lane) on every lane.
func (m *team) run(f func(lane int)) { par.Do(m.lanes, m.lanes, f) }

// spins is the number of looks, some microseconds, before a waiting lane sleeps: it
// may be in the way of the lane that it waits for.
const spins = 4000

// wait returns when all lanes have called it. What any of them wrote before is then
// seen by all.
func (m *team) wait() {
	if m.lanes == 1 {
		return
	}
	round := m.round.Load()
	if int(m.arrived.Add(1)) == m.lanes {
		m.arrived.Store(0)
		m.lock.Lock()
		m.round.Add(1)
		m.lock.Unlock()
		m.over.Broadcast()
		return
	}
	for range spins {
		if m.round.Load() != round {
			return
		}
	}
	m.lock.Lock()
	for m.round.Load() == round {
		m.over.Wait()
	}
	m.lock.Unlock()
}
