package graph

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/sparse/knn"
)

// NearestOf returns for every node the position of the nearest source, by the length of the shortest
// path, and that length squared; of equally near sources the first. It searches from all sources at
// once, until the nodes are reached, and fails if one is not, or if ctx ends.
func (p *Paths) NearestOf(ctx context.Context, nodes, sources []int32) (of []int32, dist2 []float64, err error) {
	var w walk
	w.fit(p.Len())
	near, wanted := make([]int32, p.Len()), make([]bool, p.Len())
	left := 0
	for _, i := range nodes {
		if !wanted[i] {
			wanted[i] = true
			left++
		}
	}
	for position, i := range sources {
		near[i] = int32(position)
		w.reach(i, 0)
	}
	// All that lead to a point lie before it, so that its source is known when it is reached.
	for steps := 0; left > 0 && len(w.heap) > 0; steps++ {
		if steps%4096 == 0 && ctx.Err() != nil {
			return nil, nil, fmt.Errorf("graph: stopped: %w", ctx.Err())
		}
		here := w.pop()
		if here.dist > w.dist[here.at] {
			continue
		}
		if wanted[here.at] {
			wanted[here.at] = false
			left--
		}
		from, to := p.start[here.at], p.start[here.at+1]
		for e, j := range p.to[from:to] {
			switch d := here.dist + p.along[from+e]; {
			case d < w.dist[j]:
				near[j] = near[here.at]
				w.reach(j, d)
			case d == w.dist[j] && near[here.at] < near[j]:
				near[j] = near[here.at]
			}
		}
	}
	of, dist2 = make([]int32, len(nodes)), make([]float64, len(nodes))
	for u, i := range nodes {
		if math.IsInf(w.dist[i], 1) {
			return nil, nil, fmt.Errorf("graph: no path leads to point %d", i)
		}
		of[u], dist2[u] = near[i], w.dist[i]*w.dist[i]
	}
	return of, dist2, nil
}

// nearestUnlike returns for every point of ask the nearest with another label, as lists of one.
func (p *Paths) nearestUnlike(ctx context.Context, ask, label []int32, threads int) (*knn.Neighbors, error) {
	out := knn.EmptyNeighbors(len(ask), 1)
	var lender par.Lender[walk]
	par.Ranges(threads, len(ask), nearestPiece, func(_, from, to int) {
		w := lender.Get()
		defer lender.Put(w)
		w.fit(p.Len())
		for r := from; r < to && ctx.Err() == nil; r++ {
			w.clear()
			w.reach(ask[r], 0)
			out.Index[r], out.Dist2[r] = p.firstUnlike(w, label, label[ask[r]])
		}
	})
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("graph: stopped: %w", err)
	}
	for r, j := range out.Index {
		if j == math.MaxInt32 {
			return nil, fmt.Errorf("graph: no path leads from point %d to one of another part", ask[r])
		}
	}
	return out, nil
}

// firstUnlike goes on with a search until a point with another label is reached, the one with the
// lowest number of equally near ones.
func (p *Paths) firstUnlike(w *walk, label []int32, own int32) (at int32, dist2 float64) {
	at, best := math.MaxInt32, math.Inf(1)
	for len(w.heap) > 0 {
		here := w.pop()
		if here.dist > w.dist[here.at] {
			continue
		}
		if here.dist > best {
			break
		}
		if label[here.at] != own {
			at, best = min(at, here.at), here.dist
			continue
		}
		from, to := p.start[here.at], p.start[here.at+1]
		for e, j := range p.to[from:to] {
			w.reach(j, here.dist+p.along[from+e])
		}
	}
	return at, best * best
}
