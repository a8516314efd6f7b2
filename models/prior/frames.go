package prior

import (
	"context"
	"fmt"
	"math"
	"slices"

	"unfold/internal/quantile"
	"unfold/internal/vec"
	"unfold/models/mds"
	"unfold/models/points"
	"unfold/sparse/distance"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Points are the points of a map to be learnt: distinct rows X, their neighbours, and the input row
// of each point, nil if points are the rows.
type Points struct {
	X         vec.Matrix[float32]
	Neighbors *knn.Neighbors
	Unique    []int32
	Distance  distance.Distance
	// Paths are the paths of a graph, for points without X; otherwise nil.
	Paths   *graph.Paths
	Seed    uint64
	Threads int
}

// geodesicNeighbors is the number of nearest neighbours of a point in the graph of paths.
const geodesicNeighbors = 10

// Places returns the frame of the points on a map of d dimensions, and its kind. The frame has no
// rows if there is none. Points whose row has a NaN are free.
func (s Settings) Places(ctx context.Context, p Points, d int) (vec.Matrix[float64], Frame, error) {
	var frame vec.Matrix[float64]
	used, err := s.choose(ctx, p, d)
	if err != nil {
		return frame, used, fmt.Errorf("frame: %w", err)
	}
	switch used {
	case PCA:
		frame, err = points.Components(ctx, p.X, d, p.Seed, p.Threads)
	case MDS, Geodesic:
		var r *mds.Result
		set := mds.Settings{Neighbors: min(geodesicNeighbors, p.Neighbors.K), Seed: p.Seed, Threads: p.Threads}
		switch {
		case used == MDS:
			r, err = mds.Euclidean(ctx, p.X, d, set)
		case p.Paths != nil:
			r, err = mds.Along(ctx, p.Paths, d, set)
		default:
			r, err = mds.Geodesic(ctx, p.X, p.Neighbors, d, set)
		}
		if err == nil {
			frame = r.Places
			freeFar(frame)
		}
	case Given:
		frame = s.Given
		if p.Unique != nil {
			frame = vec.Take(frame, p.Unique)
		}
	}
	if err != nil {
		return frame, used, fmt.Errorf("frame %v: %w", used, err)
	}
	return frame, used, nil
}

// farRows is the radius, in median radii of a frame, beyond which rows are free.
const farRows = 5

// freeFar frees the outliers of a frame. Distances place them far outside, and the squared error of
// the prior would stretch the map towards them. Radii are distances from the median of every
// coordinate.
func freeFar(frame vec.Matrix[float64]) {
	if frame.Rows == 0 {
		return
	}
	middle, column := make([]float64, frame.Cols), make([]float64, frame.Rows)
	for c := range middle {
		for i := range column {
			column[i] = frame.Row(i)[c]
		}
		middle[c] = quantile.Middle(column)
	}
	radius2 := make([]float64, frame.Rows)
	for i := range radius2 {
		radius2[i] = vec.SquaredDistance(frame.Row(i), middle)
	}
	typical := quantile.Middle(slices.Clone(radius2))
	for i, r := range radius2 {
		if typical > 0 && r > farRows*farRows*typical {
			frame.Row(i)[0] = math.NaN()
		}
	}
}

// choose resolves Auto: Geodesic, which flattens a curved sheet, if the points lie on one,
// otherwise PCA, which costs nothing. The test for a sheet works for Euclidean distances alone;
// with other distances it is PCA.
func (s Settings) choose(ctx context.Context, p Points, d int) (Frame, error) {
	if s.Frame != Auto {
		return s.Frame, nil
	}
	if p.Paths != nil {
		return Geodesic, nil
	}
	if p.Distance != distance.Euclidean {
		return PCA, nil
	}
	c, err := mds.Curved(ctx, p.X, d, mds.Settings{Seed: p.Seed, Threads: p.Threads})
	if err != nil || !c.Curved {
		return PCA, err
	}
	return Geodesic, nil
}

// Start returns starting positions in a frame: centred, with a root mean square of spread for each
// column. Free points start at the mean of their placed neighbours, in rounds that begin next to
// the points of the frame.
func Start(frame vec.Matrix[float64], nb *knn.Neighbors, spread float64) vec.Matrix[float64] {
	mu := frame.Clone()
	known := New(frame).known
	placed := make([]bool, mu.Rows)
	for _, i := range known {
		placed[i] = true
	}
	scaleTo(mu, known, spread)
	for i := range mu.Rows {
		if !placed[i] {
			clear(mu.Row(i))
		}
	}
	for range mu.Rows {
		if !spreadOut(mu, nb, placed) {
			break
		}
	}
	return mu
}

// Scale centres the rows of mu and scales them to the root mean square to for each column.
func Scale(mu vec.Matrix[float64], to float64) { scaleTo(mu, allRows(mu), to) }

// scaleTo is Scale of some rows.
func scaleTo(mu vec.Matrix[float64], rows []int32, to float64) {
	mean, square := means(mu, rows, 0), 0.0
	for _, i := range rows {
		row := mu.Row(int(i))
		for c := range row {
			row[c] -= mean[c]
			square += row[c] * row[c]
		}
	}
	if rms := math.Sqrt(square / float64(len(rows)*mu.Cols)); rms > 0 {
		for _, i := range rows {
			vec.Scale(to/rms, mu.Row(int(i)))
		}
	}
}

// spreadOut places the points that have a placed neighbour, and reports whether there was one.
func spreadOut(mu vec.Matrix[float64], nb *knn.Neighbors, placed []bool) bool {
	var now []int32
	for i := range mu.Rows {
		if placed[i] {
			continue
		}
		count := 0.0
		index, _ := nb.Row(i)
		for _, j := range index {
			if placed[j] {
				vec.Axpy(1, mu.Row(int(j)), mu.Row(i))
				count++
			}
		}
		if count > 0 {
			vec.Scale(1/count, mu.Row(i))
			now = append(now, int32(i))
		}
	}
	for _, i := range now {
		placed[i] = true
	}
	return len(now) > 0
}
