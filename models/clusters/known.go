package clusters

import (
	"cmp"
	"context"
	"slices"

	"unfold/internal/par"
	"unfold/models"
	"unfold/sparse"
)

// FindKnown finds the clusters of n points with some known distances: the entries of d (n x n). A
// distance may be known in one direction or in both; the smaller value counts. The diagonal is
// ignored. An unknown distance is infinite, so the known ones have to connect all points, and each
// point needs MinSamples of them. The distance in the settings is ignored. It takes O(m log m) time
// and O(m) memory for m entries. Errors are those of FindDistances.
func FindKnown(ctx context.Context, d *sparse.Rows, s Settings) (*Clusters, error) {
	s, err := s.Of(d.N()).Filled()
	if err != nil {
		return nil, err
	}
	n := d.N()
	if n < 2 || d.M() != n {
		return nil, models.BadInputf("the distances are %d x %d; give those of all rows from each other, n x n with n of at least 2", n, d.M())
	}
	if err := checkKnown(d); err != nil {
		return nil, err
	}
	edges := knownEdges(d)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	core2, inner2, err := knownCores(n, edges, min(s.MinSamples, n-1), s.Threads)
	if err != nil {
		return nil, err
	}
	for k, e := range edges {
		edges[k].Dist2 = max(core2[e.I], core2[e.J], e.far2)
		if s.Ties != Apart {
			edges[k].far2 = 0
		}
	}
	tree := nearestFirst(n, edges, nil)
	if len(tree) < n-1 {
		return nil, models.BadInputf("the known distances do not connect all points: there are %d groups without a known distance between them; give more distances", n-len(tree))
	}
	s.Lengths = false // the values here are squares of distances
	return found(core2, inner2, tree, s), nil
}

// checkKnown returns an error for distances that are not finite or negative.
func checkKnown(d *sparse.Rows) error {
	for i := range d.N() {
		index, data := d.Row(i)
		for p, v := range data {
			if !(v >= 0) || v-v != 0 {
				return models.BadInputf("row %d, column %d is %v: distances are finite and not negative", i, index[p], v)
			}
		}
	}
	return nil
}

// knownEdges returns the edges of a matrix of distances, each pair once, with squared distances.
func knownEdges(d *sparse.Rows) []tied {
	edges := make([]tied, 0, len(d.Values()))
	for i := range d.N() {
		index, data := d.Row(i)
		for p, j := range index {
			if j != i {
				edges = append(edges, spoke(int32(i), int32(j), 0, data[p]*data[p]))
			}
		}
	}
	slices.SortFunc(edges, func(e, f tied) int {
		return cmp.Or(cmp.Compare(e.I, f.I), cmp.Compare(e.J, f.J), cmp.Compare(e.far2, f.far2))
	})
	return slices.CompactFunc(edges, func(e, f tied) bool { return e.I == f.I && e.J == f.J })
}

// knownCores returns the squared distances of each point's m-th nearest point and of the one before
// it, 0 if m is 1.
func knownCores(n int, edges []tied, m, threads int) (core2, inner2 []float64, err error) {
	start := make([]int, n+1)
	for _, e := range edges {
		start[e.I+1]++
		start[e.J+1]++
	}
	for i := range n {
		if start[i+1] < m {
			return nil, nil, models.BadInputf("row %d has %d known distances from others, and min_samples is %d: give more distances, or lower min_samples", i, start[i+1], m)
		}
		start[i+1] += start[i]
	}
	all, next := make([]float64, start[n]), slices.Clone(start)
	for _, e := range edges {
		for _, i := range [2]int32{e.I, e.J} {
			all[next[i]] = e.far2
			next[i]++
		}
	}
	core2, inner2 = make([]float64, n), make([]float64, n)
	par.Ranges(threads, n, predictedTogether, func(_, from, to int) {
		for i := from; i < to; i++ {
			others := all[start[i]:start[i+1]]
			slices.Sort(others)
			if core2[i] = others[m-1]; m > 1 {
				inner2[i] = others[m-2]
			}
		}
	})
	return core2, inner2, nil
}
