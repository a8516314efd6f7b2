package baseline

import (
	"context"
	"fmt"
	"slices"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
	"unfold/sparse/spectral"
)

// patch is the term of one point in the sum (4) or (8): a quadratic cost of the positions of k
// points. Equal positions cost nothing, so it is the Laplacian of a graph with weights of either
// sign. Off the diagonal these are the elements of F F' (k x r), up to a sign that all patches
// share.
type patch struct {
	points []int32
	f      vec.Matrix[float64]
}

// patches returns those of all m points.
func patches(ctx context.Context, m, threads int, of func(i int) (patch, error)) ([]patch, error) {
	const piece = 64
	all, failed := make([]patch, m), make([]error, par.Pieces(m, piece))
	par.Ranges(threads, m, piece, func(t, from, to int) {
		for i := from; i < to && failed[t] == nil && ctx.Err() == nil; i++ {
			all[i], failed[t] = of(i)
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return all, ctx.Err()
}

// place is the row of a point in a patch.
type place struct{ patch, row int32 }

// weights returns the graph weights (m x m) whose Laplacian Lap(W) is the sum of the patches: sign
// times the elements of F F'. Elements are summed in the order of the patches. Rows are computed
// one by one, because all terms as triplets (sparse.FromTriplets) would take several times the
// memory.
func weights(all []patch, sign float64, threads int) *sparse.CSR {
	m := len(all)
	start := make([]int, m+1)
	for _, p := range all {
		for _, i := range p.points {
			start[i+1]++
		}
	}
	for i := range m {
		start[i+1] += start[i]
	}
	at, next := make([]place, start[m]), slices.Clone(start[:m])
	for e, p := range all {
		for a, i := range p.points {
			at[next[i]] = place{int32(e), int32(a)}
			next[i]++
		}
	}
	const piece = 256
	parts := make([]*sparse.CSR, par.Pieces(m, piece))
	var rows par.Lender[row]
	par.Ranges(threads, m, piece, func(t, from, to int) {
		w := rows.Get()
		defer rows.Put(w)
		part := &sparse.CSR{N: to - from, M: m, Start: make([]int, 1, to-from+1)}
		for i := from; i < to; i++ {
			w.sum(all, at[start[i]:start[i+1]], sign, m)
			for _, j := range w.columns {
				if int(j) != i {
					part.Index, part.Data = append(part.Index, j), append(part.Data, w.value[j])
				}
			}
			part.Start = append(part.Start, len(part.Index))
		}
		parts[t] = part
	})
	return sparse.Stack(parts...)
}

// row is a workspace for a row of the weights: its columns, ascending, and values for all columns.
type row struct {
	columns []int32
	value   []float64
	has     []bool
}

// sum computes the row of a point from the patches that contain it.
func (r *row) sum(all []patch, at []place, sign float64, m int) {
	if r.value == nil {
		r.value, r.has = make([]float64, m), make([]bool, m)
	}
	for _, j := range r.columns {
		r.value[j], r.has[j] = 0, false
	}
	r.columns = r.columns[:0]
	for _, p := range at {
		of := all[p.patch]
		own := of.f.Row(int(p.row))
		for b, j := range of.points {
			if !r.has[j] {
				r.has[j] = true
				r.columns = append(r.columns, j)
			}
			v := 0.0
			for c, o := range of.f.Row(b) {
				v += own[c] * o
			}
			r.value[j] += sign * v
		}
	}
	slices.Sort(r.columns)
}

// least returns the positions (4) or (8), m x d: the d unit eigenvectors with the lowest
// eigenvalues of a sum of costs, without the constant one.
func least(ctx context.Context, w *sparse.CSR, s Settings) (vec.Matrix[float64], error) {
	r, err := spectral.Lowest(ctx, w, s.Dims, spectral.Settings{Exact: spectral.Whole, Tolerance: eigenTolerance, Seed: s.Seed, Threads: s.Threads})
	switch {
	case err != nil:
		return vec.Matrix[float64]{}, err
	case !r.Converged:
		return r.Vectors, fmt.Errorf("the eigenvectors have a residual of %.2g after %d iterations, want %g; give more neighbours or another seed", r.Residual, r.Iterations, eigenTolerance)
	}
	return r.Vectors, nil
}
