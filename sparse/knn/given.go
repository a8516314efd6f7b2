package knn

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// Given has, for each of N rows, the numbers of K near rows that the caller found; those of row i
// start at Index[i*K]. A row's own number is ignored.
type Given struct {
	N, K  int
	Index []int32
	// Dist (N*K), if not nil, are the distances of the pairs, finite and 0 or more (AtGiven). Where
	// the two rows of a pair have it at different distances, their mean counts.
	Dist []float32
}

// Row returns the numbers given for row i. The slice shares memory with g.
func (g *Given) Row(i int) []int32 { return g.Index[i*g.K : (i+1)*g.K : (i+1)*g.K] }

// GivenError reports a row with too few given neighbours.
type GivenError struct {
	// Row is its number, from 0. Have is the number of different rows that are given for it and for
	// the rows that equal it; Want is the number needed.
	Row, Have, Want int
}

func (e *GivenError) Error() string {
	return fmt.Sprintf("%d different neighbours are given for row %d, and %d are needed: give more, or ask for fewer", e.Have, e.Row, e.Want)
}

// givenPiece is the number of rows of one task.
const givenPiece = 1024

// FromGiven returns neighbour lists of the distinct rows x, as Graph does: of[i] is the row of x
// that row i of g equals (graph.Collapse). A list contains the given neighbours of all rows equal
// to its own, at exact distances, nearest first. All are as long as the shortest allows, from least
// to most. If the nearest rows are given, the lists are those of Graph. It fails with a *GivenError
// if a list is too short, or if ctx ends.
func FromGiven[T vec.Float](ctx context.Context, x vec.Matrix[T], of []int32, g *Given, least, most int, s Settings) (*Neighbors, error) {
	if err := distance.Check(s.Distance, x); err != nil {
		return nil, fmt.Errorf("knn: %w", err)
	}
	v, err := newGivenView(of, x.Rows, g)
	if err != nil {
		return nil, err
	}
	if v.most, err = v.shortest(ctx, least, most, s); err != nil {
		return nil, err
	}
	out := EmptyNeighbors(x.Rows, v.most)
	count := par.NewProgress(par.Pieces(x.Rows, givenPiece), s.Progress)
	par.Ranges(s.Threads, x.Rows, givenPiece, func(_, from, to int) {
		var list []int32
		var far []float64
		for p := from; p < to && ctx.Err() == nil; p++ {
			list = v.points(list[:0], p)
			far = slices.Grow(far[:0], len(list))[:len(list)]
			distance.Exact(s.Distance, far, x.Row(p), x.Data, x.Cols, list)
			index, dist2 := out.Row(p)
			merge(index, dist2, list, far)
		}
		count.Step()
	})
	if err := cancelled(ctx); err != nil {
		return nil, err
	}
	return out, nil
}

// givenView converts the given neighbours of rows to lists of points, the classes of equal rows.
type givenView struct {
	of []int32
	g  *Given
	// rows lists the rows of point p, ascending, from start[p] to start[p+1].
	rows, start []int32
	most        int // neighbours of a list
}

func newGivenView(of []int32, points int, g *Given) (*givenView, error) {
	if len(of) != g.N || len(g.Index) != g.N*g.K || g.Dist != nil && len(g.Dist) != len(g.Index) {
		return nil, fmt.Errorf("knn: neighbours of %d rows are given for %d rows", g.N, len(of))
	}
	for at, j := range g.Index {
		if j < 0 || int(j) >= g.N {
			return nil, fmt.Errorf("knn: row %d has the neighbour %d, and there are %d rows", at/g.K, j, g.N)
		}
	}
	v := &givenView{of: of, g: g, rows: make([]int32, len(of)), start: make([]int32, points+1)}
	for _, p := range of {
		v.start[p+1]++
	}
	for p := range points {
		v.start[p+1] += v.start[p]
	}
	at := slices.Clone(v.start)
	for i, p := range of {
		v.rows[at[p]] = int32(i)
		at[p]++
	}
	return v, nil
}

// shortest returns the number of neighbours that every point has, at most most.
func (v *givenView) shortest(ctx context.Context, least, most int, s Settings) (int, error) {
	have := make([]int, len(v.start)-1)
	par.Ranges(s.Threads, len(have), givenPiece, func(_, from, to int) {
		var list []int32
		for p := from; p < to && ctx.Err() == nil; p++ {
			list = v.points(list[:0], p)
			have[p] = len(list)
		}
	})
	if err := cancelled(ctx); err != nil {
		return 0, err
	}
	for p, n := range have {
		if n < least {
			return 0, &GivenError{Row: int(v.rows[v.start[p]]), Have: n, Want: least}
		}
	}
	return min(most, slices.Min(have)), nil
}

// points appends the other points that are given for point p, ascending.
func (v *givenView) points(list []int32, p int) []int32 {
	for _, i := range v.rows[v.start[p]:v.start[p+1]] {
		for _, j := range v.g.Row(int(i)) {
			if q := v.of[j]; int(q) != p {
				list = append(list, q)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
