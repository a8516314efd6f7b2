package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/classic/lllvm"
	"unfold/sparse/knn"
)

// fewStarts is the number of starts of maps for comparison.
const fewStarts = 3

// learnt is the result of one start.
type learnt struct {
	bound  float64
	places vec.Matrix[float32]
	state  *lllvm.State
}

// begin returns the start state of a start.
type begin func(m *lllvm.Model, start int) (*lllvm.State, error)

func byChance(m *lllvm.Model, start int) (*lllvm.State, error) { return m.Random(uint64(start)), nil }

// from begins at the results of other runs, which may have had another graph.
func from(ended []learnt) begin {
	return func(m *lllvm.Model, start int) (*lllvm.State, error) {
		st := ended[start].state
		return m.Start(st.MuC.Clone(), st.CovC.Fronts[0].Clone(), st.Gamma, st.Alpha)
	}
}

// learnAll learns from several starts on a graph.
func learnAll(ctx context.Context, lists [][]int32, y vec.Matrix[float64], starts, steps int, s lllvm.Settings, first begin) ([]learnt, error) {
	g, err := lllvm.NewGraph(lists, 0)
	if err != nil {
		return nil, err
	}
	all, failed := make([]learnt, starts), make([]error, starts)
	s.Threads = 1 // one start per thread
	par.Do(par.Threads(0), starts, func(start int) {
		m, err := lllvm.NewModel(g, y, s)
		if err == nil {
			all[start], err = learn(ctx, m, start, steps, first)
		}
		failed[start] = err
	})
	return all, errors.Join(failed...)
}

func learn(ctx context.Context, m *lllvm.Model, start, steps int, first begin) (l learnt, err error) {
	if l.state, err = first(m, start); err != nil {
		return l, err
	}
	_, err = m.Learn(ctx, l.state, lllvm.Course{Steps: steps, Tolerance: -1})
	l.bound, l.places = l.state.Bound.Total(), vec.Convert[float32](l.state.MuX)
	return l, err
}

// best is the start with the highest bound.
func best(of []learnt) learnt {
	return slices.MaxFunc(of, func(a, b learnt) int { return cmp.Compare(a.bound, b.bound) })
}

// neighbours returns the k nearest neighbours of each point.
func neighbours(ctx context.Context, x vec.Matrix[float32], k int) ([][]int32, error) {
	nb, err := knn.Graph(ctx, x, k, knn.Settings{})
	if err != nil {
		return nil, err
	}
	lists := make([][]int32, nb.N)
	for i := range lists {
		index, _ := nb.Row(i)
		lists[i] = slices.Clone(index)
	}
	return lists, nil
}

// circuit reports whether two points are at least twice as far apart on the sheet as in space, so
// that an edge between them is a short circuit.
func circuit(x, truth vec.Matrix[float32], i, j int) bool {
	return distance(truth, i, j) >= 2*distance(x, i, j)
}

// circuits counts the edges of lists that are short circuits.
func circuits(lists [][]int32, x, truth vec.Matrix[float32]) (count int) {
	for i, list := range lists {
		for _, j := range list {
			if (int(j) < i || !slices.Contains(lists[j], int32(i))) && circuit(x, truth, i, int(j)) {
				count++
			}
		}
	}
	return count
}

// withoutCircuits returns the lists without such edges.
func withoutCircuits(lists [][]int32, x, truth vec.Matrix[float32]) [][]int32 {
	out := make([][]int32, len(lists))
	for i, list := range lists {
		for _, j := range list {
			if !circuit(x, truth, i, int(j)) {
				out[i] = append(out[i], j)
			}
		}
	}
	return out
}

// scaled centres the rows and scales the largest value to 1, like a fit.
func scaled(x vec.Matrix[float32]) vec.Matrix[float64] {
	y := vec.Convert[float64](x)
	mean, most := make([]float64, y.Cols), 0.0
	for i := range y.Rows {
		vec.Axpy(1/float64(y.Rows), y.Row(i), mean)
	}
	for i := range y.Rows {
		vec.Axpy(-1, mean, y.Row(i))
		for _, v := range y.Row(i) {
			most = max(most, math.Abs(v))
		}
	}
	vec.Scale(1/most, y.Data)
	return y
}

func distance(x vec.Matrix[float32], i, j int) float64 {
	return math.Sqrt(vec.SquaredDistance(x.Row(i), x.Row(j)))
}
