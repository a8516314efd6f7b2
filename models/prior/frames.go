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

// Points are those of a map to be learnt: distinct rows X, their neighbours, and which row
// of the input each is, nil if they are the rows.
type Points struct {
	X         vec.Matrix[float32]
	Neighbors *knn.Neighbors
	Unique    []int32
	Distance  distance.Distance
	// Paths are those of a graph, whose points have no X; nil if there is none.
	Paths   *graph.Paths
	Seed    uint64
	Threads int
}

// geodesicNeighbors is how many nearest neighbours of a point paths along the data take.
const geodesicNeighbors = 10

// Places returns the frame of points on a map of d dimensions, and which it is; no rows if
// there is none. Rows with a NaN are free.
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

// farRows is beyond how many median radii of a frame its rows are free.
const farRows = 5

// freeFar frees the rows of a frame that lie far beyond most: distances put outliers
// there, and a prior that is a square would stretch the map towards them. Radii are
// distances from the median of every coordinate.
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

// choose returns the frame that Auto stands for: Geodesic where the points lie on a curved
// sheet, which it unrolls, else PCA, which costs nothing. Whether a sheet is curved is known of
// Euclidean distances alone; under others it is PCA of the rows as they are.
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

// Start returns where learning starts in a frame: there, centred and scaled to a root mean
// square of spread a column. Free points start in the middle of their neighbours that have
// a place, round by round from those which the frame knows.
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

// Scale centres the rows of mu and scales them to that root mean square a column.
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

// spreadOut places the points that have a neighbour with a place, and reports whether
// there was one.
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
