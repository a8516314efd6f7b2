package solve

import (
	"runtime"
	"sync"
	"sync/atomic"

	"unfold/internal/par"
)

// team is a fixed number of goroutines, the workers, that run a whole solve together, because an
// iteration is too short to start goroutines for each of its passes. The pieces of a pass are
// distributed evenly in contiguous ranges, so that they stay in a worker's cache. A worker that
// finishes early helps the others.
type team struct {
	workers, pieces int
	spins           int // looks of a waiting worker before it sleeps
	shares          []share
	arrived         atomic.Int32
	_               [60]byte // padding: waiting workers poll round alone
	round           atomic.Uint32
	_               [60]byte
	lock            sync.Mutex // of changes of round that somebody sleeps for
	over            sync.Cond
}

// share counts the pieces of a worker that have been started in this pass.
type share struct {
	begun atomic.Int32
	_     [60]byte
}

// newTeam returns a team for n rows.
func newTeam(threads, n int) *team {
	pieces := par.Pieces(n, piece)
	m := &team{workers: max(1, min(par.Threads(threads), pieces)), pieces: pieces}
	m.shares = make([]share, m.workers)
	m.over.L = &m.lock
	return m
}

// patient is the number of polls, about a hundred microseconds, for which a worker waits for
// running workers before it sleeps. Sleeping and waking takes as long as a pass.
const patient = 100_000

// run runs f(worker) on every worker.
func (m *team) run(f func(worker int)) {
	m.spins = patient
	if m.workers > runtime.GOMAXPROCS(0) {
		m.spins = 0 // it would be in the way of the worker that it waits for
	}
	par.Do(m.workers, m.workers, f)
}

// next returns the next piece for worker t in this pass, -1 if all are started.
func (m *team) next(t int) int {
	for k := range m.workers {
		u := (t + k) % m.workers
		from, to := u*m.pieces/m.workers, (u+1)*m.pieces/m.workers
		if p := from + int(m.shares[u].begun.Add(1)) - 1; p < to {
			return p
		}
	}
	return -1
}

// wait ends a pass: it returns when all workers have called it. Everything they wrote before is
// then visible to all.
func (m *team) wait() {
	if m.workers == 1 {
		m.shares[0].begun.Store(0)
		return
	}
	round := m.round.Load()
	if int(m.arrived.Add(1)) == m.workers {
		m.arrived.Store(0)
		for k := range m.shares {
			m.shares[k].begun.Store(0)
		}
		m.lock.Lock()
		m.round.Add(1)
		m.lock.Unlock()
		m.over.Broadcast()
		return
	}
	for range m.spins {
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
