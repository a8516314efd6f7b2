package unfold

import (
	"context"
	"fmt"

	"github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	own "unfold/sparse"
	"unfold/sparse/knn"
	"unfold/sparse/knn/auto"
)

// Neighbors are the nearest points of n rows.
type Neighbors struct {
	// Point are the numbers of the k nearest points of each row, nearest first, and Distance are
	// their distances after projection. Distances are Euclidean, except on maps from files that
	// were learnt with another metric.
	Point    [][]int
	Distance [][]float64
}

// Neighbors returns the k nearest points of the rows of x (n x Dim), 1 <= k <= Len. The
// search is exact. A row that equals a point has it as its first neighbour.
func (m *Map) Neighbors(ctx context.Context, x mat.Matrix, k int) (*Neighbors, error) {
	v := m.now.Load()
	if n := v.snap.Reference.Rows; k < 1 || k > n {
		return nil, fmt.Errorf("unfold: %d neighbours of %d points, want 1 to %d", k, n, n)
	}
	from, err := v.source(x)
	if err != nil {
		return nil, err
	}
	frame, err := v.near()
	if err != nil {
		return nil, public(err, 0)
	}
	out := &Neighbors{Point: make([][]int, from.rows), Distance: make([][]float64, from.rows)}
	err = from.each(ctx, func(at int, rows vec.Matrix[float32]) error {
		z, err := frame.Project(rows)
		if err != nil {
			return err
		}
		near, err := frame.Nearest(ctx, z, k)
		if err != nil {
			return err
		}
		for i := range near.N {
			index, dist2 := near.Row(i)
			points, distance := make([]int, k), make([]float64, k)
			for p, j := range index {
				points[p], distance[p] = v.number(int(j)), v.snap.Distance.Length(dist2[p])
			}
			out.Point[at+i], out.Distance[at+i] = points, distance
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// number returns the number of point i.
func (v *view) number(i int) int {
	if v.id == nil {
		return i
	}
	return int(v.id[i])
}

// Graph returns the neighbour graph of the map, Len x Len. Row i has an entry for each nearest
// other point of the i-th of Points, with its Euclidean distance as the value. The number of
// entries is the model's number of neighbours. Graph searches for neighbours as Fit does.
func (m *Map) Graph(ctx context.Context) (*sparse.CSR, error) {
	v := m.now.Load()
	if v.snap.Graph != nil {
		return nil, public(models.BadInputf("the map is one of a graph, whose neighbours it does not search for"), 0)
	}
	spec, err := fit.ParseSpec(v.snap)
	if err != nil {
		return nil, public(err, 0)
	}
	search := spec.Search
	search.Seed = spec.Seed
	n := v.snap.Reference.Rows
	near, _, err := auto.Graph(ctx, v.snap.Reference, min(v.snap.Neighbors, n-1), search, knn.Settings{Threads: m.threads, Distance: v.snap.Distance})
	if err != nil {
		return nil, public(err, 0)
	}
	rows, distance := make([]int32, len(near.Index)), make([]float64, len(near.Dist2))
	for p, d := range near.Dist2 {
		rows[p], distance[p] = int32(p/near.K), v.snap.Distance.Length(d)
	}
	return own.RowsFromTriplets(n, n, rows, near.Index, distance).CSR, nil
}
