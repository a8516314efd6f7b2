package mds

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models/placing"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Curvature compares maps of straight distances with maps of path lengths.
type Curvature struct {
	// Euclidean and Geodesic are the stress-1 of such maps, for landmarks of a sample.
	Euclidean, Geodesic float64
	// Curved reports whether the rows lie on a curved sheet that can be flattened: a map can
	// preserve path lengths, but not distances.
	Curved bool
}

// Curved uses this many landmarks and at most CurvedRows rows.
const (
	curvedLandmarks = 200
	CurvedRows      = 4000
)

// A map with stress up to flatStress preserves its distances well (Kruskal 1964 calls 0.05 good,
// 0.1 fair and 0.2 poor). A map whose stress is at most mostFlat times another's is clearly better.
const (
	flatStress = 0.05
	mostFlat   = 0.5
)

// Curved decides whether the rows of x (n x dim) lie on a curved sheet of d dimensions, which
// Geodesic would flatten. It maps landmarks of a sample both ways and compares the stress. Settings
// are those of a map, with fewer landmarks by default (200). Errors are as for Euclidean.
func Curved(ctx context.Context, x vec.Matrix[float32], d int, s Settings) (*Curvature, error) {
	if s.Landmarks == 0 {
		s.Landmarks = curvedLandmarks
	}
	s, err := check(x, d, s)
	if err != nil {
		return nil, err
	}
	if x.Rows > CurvedRows {
		x = vec.Take(x, placing.Sample(x.Rows, CurvedRows, s.Seed))
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
