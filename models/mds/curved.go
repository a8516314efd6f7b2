package mds

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Curvature says how well maps of straight distances and of paths keep them.
type Curvature struct {
	// Euclidean and Geodesic are the stress-1 of such maps, of landmarks in a sample.
	Euclidean, Geodesic float64
	// Curved reports whether the rows lie on a curved sheet that can be laid flat: the
	// lengths of paths fit on a map, and distances do not.
	Curved bool
}

// What Curved looks at: so many landmarks of so many rows.
const (
	curvedLandmarks = 200
	curvedRows      = 4000
)

// Up to flatStress a map has its distances well (Kruskal 1964 calls 0.05 good, 0.1 fair and
// 0.2 poor), and one whose stress is mostFlat times another's is clearly the better.
const (
	flatStress = 0.05
	mostFlat   = 0.5
)

// Curved decides whether the rows of x (n x dim) lie on a sheet of d dimensions that is
// curved, so that Geodesic lays it flat: it maps landmarks of a sample both ways and
// compares the stress. Settings are those of a map, but for fewer landmarks by default
// (200). Errors are those of Euclidean.
func Curved(ctx context.Context, x vec.Matrix[float32], d int, s Settings) (*Curvature, error) {
	if s.Landmarks == 0 {
		s.Landmarks = curvedLandmarks
	}
	s, err := check(x, d, s)
	if err != nil {
		return nil, err
	}
	if x.Rows > curvedRows {
		x = vec.Take(x, placing.Sample(x.Rows, curvedRows, s.Seed))
	}
	if unique, _, _ := graph.Collapse(x); len(unique) < x.Rows {
		x = vec.Take(x, unique)
	}
	if x.Rows <= s.Neighbors+1 {
		return &Curvature{}, nil // all are neighbours of all
	}
	nb, err := knn.Graph(ctx, x, s.Neighbors, knn.Settings{Threads: s.Threads})
	if err != nil {
		return nil, fmt.Errorf("mds: %w", err)
	}
	paths, err := newPaths(ctx, x, nb, s)
	if err != nil {
		return nil, err
	}
	c := new(Curvature)
	if _, c.Geodesic, _, err = scale(ctx, paths, d, s); err != nil {
		return nil, err
	}
	if _, c.Euclidean, _, err = scale(ctx, newStraight(x, paths.marks, s.Threads), d, s); err != nil {
		return nil, err
	}
	c.Curved = c.Geodesic <= flatStress && c.Geodesic <= mostFlat*c.Euclidean
	return c, nil
}
