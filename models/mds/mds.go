package mds

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/pca"
	"unfold/models/placing"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

// Settings are the settings of a map. The zero value works.
type Settings struct {
	// Landmarks is the number of rows that are scaled together, or all rows if there are fewer. The
	// other rows are placed relative to them. Default 500.
	Landmarks int
	// Steps bounds the steps of majorisation. Default 300.
	Steps int
	// Tolerance stops the steps when one lowers the raw stress by less than this share of it.
	// Default 1e-5.
	Tolerance float64
	// Near is the number of nearest landmarks that a row starts between. Default 6.
	Near int
	// Neighbors is the number of nearest neighbours of a row in the graph of Geodesic. Default 10.
	Neighbors int
	// Seed draws the landmarks.
	Seed uint64
	// Threads bounds the goroutines; 0 means GOMAXPROCS. It does not change the result.
	Threads int
}

// withDefaults fills in zero fields and returns an error for invalid settings.
func (s Settings) withDefaults() (Settings, error) {
	for _, v := range []struct {
		name  string
		value *int
		usual int
	}{{"landmarks", &s.Landmarks, 500}, {"steps", &s.Steps, 300}, {"near", &s.Near, 6}, {"neighbors", &s.Neighbors, 10}} {
		if *v.value == 0 {
			*v.value = v.usual
		}
		if *v.value < 1 {
			return s, fmt.Errorf("mds: %s is %d, want at least 1", v.name, *v.value)
		}
	}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-5
	}
	if !(s.Tolerance > 0 && s.Tolerance < 1) {
		return s, fmt.Errorf("mds: tolerance is %g, want 0 < tolerance < 1", s.Tolerance)
	}
	return s, nil
}

// Result is a map.
type Result struct {
	// Places (n x d) has the positions of all rows. The mean of the landmarks is 0.
	Places vec.Matrix[float64]
	// Landmarks (ascending) are the rows that were scaled together.
	Landmarks []int32
	// Stress is Kruskal's stress-1 of the landmarks: 0 if the map has exactly their distances, 0.2
	// for a poor map, at most 1.
	Stress float64
	// Iterations is the number of steps of majorisation.
	Iterations int
}

// Euclidean places the rows of x (n x dim) on a map of d dimensions whose distances approximate the
// distances of the rows. It rejects values that are not finite, no rows, and d below 1 as bad
// input.
func Euclidean(ctx context.Context, x vec.Matrix[float32], d int, s Settings) (*Result, error) {
	s, err := check(x, d, s)
	if err != nil {
		return nil, err
	}
	return place(ctx, newStraight(x, placing.Sample(x.Rows, s.Landmarks, s.Seed), s.Threads), d, s)
}

// Geodesic is Euclidean for the lengths of shortest paths in the graph of nearest neighbours. nb
// has the neighbour lists of the rows of x, at least s.Neighbors long or of all other rows. The
// components of the graph are joined by their shortest bridges. It allocates the lengths from each
// landmark to all rows as float32. Errors are as for Euclidean; lists that are too short or of
// other rows are errors too.
func Geodesic(ctx context.Context, x vec.Matrix[float32], nb *knn.Neighbors, d int, s Settings) (*Result, error) {
	s, err := check(x, d, s)
	if err != nil {
		return nil, err
	}
	if x.Rows == 1 { // without neighbours
		return place(ctx, newStraight(x, []int32{0}, s.Threads), d, s)
	}
	w, err := newPaths(ctx, x, nb, s)
	if err != nil {
		return nil, err
	}
	return place(ctx, w, d, s)
}

// Along is Euclidean for the lengths of shortest paths in a connected graph.
func Along(ctx context.Context, p *graph.Paths, d int, s Settings) (*Result, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	if d < 1 || p.Len() < 1 {
		return nil, models.BadInputf("mds: a map of %d dimensions of %d points: want at least 1", d, p.Len())
	}
	w, err := newAlong(ctx, p, placing.Sample(p.Len(), s.Landmarks, s.Seed), s.Threads)
	if err != nil {
		return nil, fmt.Errorf("mds: %w", err)
	}
	return place(ctx, w, d, s)
}

// check fills in the settings and returns an error if there is nothing to place.
func check(x vec.Matrix[float32], d int, s Settings) (Settings, error) {
	s, err := s.withDefaults()
	switch {
	case err != nil:
		return s, err
	case d < 1:
		return s, models.BadInputf("mds: a map of %d dimensions: want at least 1", d)
	case x.Rows < 1 || x.Cols < 1:
		return s, models.BadInputf("mds: %d rows of %d columns", x.Rows, x.Cols)
	}
	if err := models.CheckRows(x, nil); err != nil {
		return s, fmt.Errorf("mds: %w", err)
	}
	return s, nil
}

// place scales the landmarks and places the other rows relative to them.
func place(ctx context.Context, w ways, d int, s Settings) (*Result, error) {
	c, stress, taken, err := scale(ctx, w, d, s)
	if err != nil {
		return nil, err
	}
	r := &Result{Places: vec.New[float64](w.rows(), d), Landmarks: w.landmarks(), Stress: stress, Iterations: taken}
	if err := c.follow(ctx, w, r.Places, s.Near); err != nil {
		return nil, fmt.Errorf("mds: %w", err)
	}
	return r, nil
}

// scale places the landmarks. It also returns their stress-1 and the number of steps.
func scale(ctx context.Context, w ways, d int, s Settings) (c *configuration, stress float64, taken int, err error) {
	delta := w.between()
	start, err := classical(ctx, delta, d, s)
	if err == nil {
		c = newConfiguration(start, s.Threads)
		stress, taken, err = c.majorise(ctx, delta, s.Steps, s.Tolerance)
	}
	if err != nil {
		return nil, 0, 0, fmt.Errorf("mds: %w", err)
	}
	return c, stress, taken, nil
}

// leastExtent is the smallest variance of a starting coordinate, as a share of the first
// coordinate's. Below it the coordinate is only rounding error and is set to 0, where it stays.
const leastExtent = 1e-10

// classical returns the starting positions, by classical scaling of the distances.
func classical(ctx context.Context, delta vec.Matrix[float64], d int, s Settings) (vec.Matrix[float64], error) {
	m := delta.Rows
	squares := vec.New[float64](m, m)
	for i, v := range delta.Data {
		squares.Data[i] = v * v
	}
	q := min(d, m)
	p, err := pca.Scaling(ctx, squares, q, pca.Settings{Threads: s.Threads, Seed: s.Seed})
	if err != nil {
		return p, err
	}
	out, first := vec.New[float64](m, d), 0.0
	for c := range q {
		var variance float64
		for i := range m {
			variance += p.Row(i)[c] * p.Row(i)[c]
		}
		first = max(first, variance)
		if !(variance > leastExtent*first) {
			continue
		}
		for i := range m {
			out.Row(i)[c] = p.Row(i)[c]
		}
	}
	return out, nil
}
