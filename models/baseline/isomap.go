package baseline

import (
	"context"
	"fmt"
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// walk draws landmarks among the rows of x, finds the lengths of the shortest paths from them in
// units, and returns the squares of those between landmarks.
func (t *scaled) walk(ctx context.Context, x vec.Matrix[float32], near *knn.Neighbors, s Settings) (squares vec.Matrix[float64], err error) {
	edges, err := graph.Connected(ctx, x, near, s.Threads)
	if err != nil {
		return squares, err
	}
	t.marks = placing.Sample(x.Rows, s.Points, s.Seed)
	m := len(t.marks)
	squares, t.paths = vec.New[float64](m, m), vec.New[float32](x.Rows, m)
	err = graph.NewPaths(x.Rows, edges).FromEach(ctx, t.marks, s.Threads, func(j int, lengths []float64) {
		vec.Scale(t.units.Scale, lengths)
		for i, l := range lengths {
			t.paths.Data[i*m+j] = float32(l)
		}
		for i, at := range t.marks {
			squares.Row(j)[i] = lengths[at] * lengths[at]
		}
	})
	return squares, err
}

// scaling returns (1), of squared dissimilarities, which it spoils.
func scaling(ctx context.Context, squares vec.Matrix[float64], s Settings) (vec.Matrix[float64], error) {
	places, err := pca.Scaling(ctx, squares, s.Dims, pca.Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return places, fmt.Errorf("scaling: %w", err)
	}
	return trimmed(places), nil
}

// extend sets the places of all learnt points, those of landmarks being at, the others by (2).
func (t *scaled) extend(ctx context.Context, at vec.Matrix[float64]) error {
	isMark := make([]bool, t.y.Rows)
	for j, i := range t.marks {
		isMark[i] = true
		copy(t.x.Row(int(i)), at.Row(j))
	}
	const piece = 64
	par.Ranges(t.threads, t.y.Rows, piece, func(_, from, to int) {
		a := make([]float64, len(t.marks))
		for i := from; i < to && ctx.Err() == nil; i++ {
			if !isMark[i] {
				t.from(a, t.y.Row(i), []int32{int32(i)})
				t.triangulate(t.x.Row(i), a)
			}
		}
	})
	return ctx.Err()
}

// triangulate adds to mu (d) the place (2) of a point with dissimilarities a, which it spoils.
func (t *scaled) triangulate(mu, a []float64) {
	for j, v := range a {
		a[j] = -0.5 * t.unit * (v - t.mean[j])
	}
	combine(mu, a, t.vectors)
}

// ways are the dissimilarities of Isomap, by the lengths of the shortest paths from learnt
// vectors to landmarks (paths, n x m):
//
//	delta_j = min_i (|y - y_i| + paths_ij),  i among the nearest
//
// With e_j = delta_j - |y - y_1| it is a_j = 2 |y - y_1| e_j + e_j^2, plus |y - y_1|^2,
// which keeps its digits far away.
func ways(y vec.Matrix[float64], paths vec.Matrix[float32]) dissimilar {
	return func(a, z []float64, near []int32) {
		first := math.Sqrt(vec.SquaredDistance(z, y.Row(int(near[0]))))
		for j := range a {
			a[j] = math.Inf(1)
		}
		for _, i := range near {
			more := math.Sqrt(vec.SquaredDistance(z, y.Row(int(i)))) - first
			for j, v := range paths.Row(int(i)) {
				a[j] = min(a[j], more+float64(v))
			}
		}
		for j, e := range a {
			a[j] = e * (2*first + e)
		}
	}
}

// pathParts are what a model file holds of landmarks.
func (t *scaled) pathParts() []snapshot.Part {
	return []snapshot.Part{
		placing.Numbers("landmarks", t.marks),
		{Name: "paths", Rows: t.paths.Rows, Cols: t.paths.Cols, Data: t.paths.Data},
	}
}

// readPaths reads them. Files without landmarks are of programs that learnt a sample alone, by
// paths between all of it in double precision.
func (t *scaled) readPaths(s *snapshot.Snapshot) (err error) {
	n := len(t.learnt)
	if _, has := s.Part("landmarks"); !has {
		t.marks = placing.Sample(n, n, 0)
		paths, err := snapshot.PartOf[float64](s, "paths", n, n)
		if err == nil {
			t.paths = vec.Convert[float32](vec.Of(n, n, paths))
		}
		return err
	}
	if t.marks, err = placing.ReadNumbers(s, "landmarks", n); err != nil {
		return err
	}
	paths, err := snapshot.PartOf[float32](s, "paths", n, len(t.marks))
	if err == nil {
		t.paths = vec.Of(n, len(t.marks), paths)
	}
	return err
}
