package lllvm

import (
	"context"
	"fmt"
	"sync"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/knn"
)

// search learns from every start and keeps the highest bound.
func (f *Fitted) search(ctx context.Context, y vec.Matrix[float64], nb *knn.Neighbors, progress func(done, total int)) error {
	s := f.Settings
	jobs := s.jobs()
	f.Runs = make([]Run, jobs)
	failed := make([]error, jobs)
	progressed := par.NewProgress(jobs*s.Steps, progress)
	together := s.together(y.Rows, y.Cols)
	threads := par.Threads(s.Threads) / together
	of := s.MaxDims - s.Dims + 1 // numbers of dimensions
	graphs := make([]graphOnce, s.MaxNeighbors-s.Neighbors+1)
	var mu sync.Mutex
	f.Best = -1
	par.Do(together, jobs, func(job int) {
		at := job / (s.Restarts * of)
		k, d, start := s.Neighbors+at, s.Dims+job/s.Restarts%of, job%s.Restarts
		g, bridges, err := graphs[at].get(y, nb, k, s.patch(y.Rows), threads)
		var l learning
		if err == nil {
			l, err = f.learn(ctx, g, y, d, start, threads, progressed.Step)
		}
		if d == s.MaxDims && start == s.Restarts-1 && together == 1 {
			graphs[at].g = nil // makes room
		}
		if err != nil {
			failed[job] = fmt.Errorf("lllvm: %d neighbours, %d dimensions, start %d: %w", k, d, start+1, err)
			return
		}
		h := l.history
		f.Runs[job] = Run{
			Neighbors: k, Dims: d, Start: start, Bound: l.state.Bound.Total(), Iterations: len(h.Bounds), Converged: h.Converged,
			Bridges: bridges, Jitters: h.Jitters, Jitter: h.Jitter,
		}
		mu.Lock()
		defer mu.Unlock()
		if b := f.Best; b < 0 || f.Runs[job].Bound > f.Runs[b].Bound || f.Runs[job].Bound == f.Runs[b].Bound && job < b {
			f.Best, f.Model, f.State, f.History = job, l.model, l.state, h
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	f.Settings.Neighbors, f.Settings.Dims = f.Runs[f.Best].Neighbors, f.Runs[f.Best].Dims
	return nil
}

// graphOnce builds the graph for a number of neighbours once; all starts share it.
type graphOnce struct {
	once    sync.Once
	g       *Graph
	bridges int
	err     error
}

func (o *graphOnce) get(y vec.Matrix[float64], nb *knn.Neighbors, k, patch, threads int) (*Graph, int, error) {
	o.once.Do(func() {
		lists := firstOf(nb, k)
		o.bridges = bridge(y, lists)
		o.g, o.err = NewPatchedGraph(lists, patch, threads)
	})
	return o.g, o.bridges, o.err
}

// learning is the result of one start.
type learning struct {
	model   *Model
	state   *State
	history *History
}

// jobs returns the number of starts over all numbers of neighbours and dimensions.
func (s FitSettings) jobs() int {
	return (s.MaxNeighbors - s.Neighbors + 1) * (s.MaxDims - s.Dims + 1) * s.Restarts
}

// learn learns from one start.
func (f *Fitted) learn(ctx context.Context, g *Graph, y vec.Matrix[float64], dims, start, threads int, step func()) (l learning, err error) {
	s := f.Settings
	l.model, err = NewModel(g, y, Settings{Dims: dims, Epsilon: s.Epsilon, Alpha: s.Alpha, LearnAlpha: s.LearnAlpha, Threads: threads})
	if err != nil {
		return l, err
	}
	l.state = l.model.Random(s.Seed + uint64(start)*0x9e3779b97f4a7c15)
	done := 0
	l.history, err = l.model.Learn(ctx, l.state, Course{Steps: s.Steps, Tolerance: s.Tolerance, Progress: func(int, int, float64) { done++; step() }})
	if err != nil {
		return l, err
	}
	for ; done < s.Steps; done++ {
		step()
	}
	return l, nil
}
