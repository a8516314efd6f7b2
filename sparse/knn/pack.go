package knn

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/simd"
	"unfold/internal/simd/tile"
	"unfold/internal/vec"
)

// The bound on the rounding of q_ij (see the package comment). Let u = 2^-24,
// N_i = |z_i|^2 and m the dimension.
//
//   - z_i is rounded to float32 with relative error u an element: the product
//     z_i z_j moves by at most (2u + u^2) |z_i||z_j| <= 1.1 u (N_i + N_j).
//   - tile.Scan rounds the starting value once and then the sum once for every
//     fused product (or once more for every product, where there is no fused
//     operation). No term is rounded more than m+1 times, so that the sum errs
//     by at most g (N_i/2 + N_j/2 + |z_i||z_j|) <= g (N_i + N_j), where
//     g = (m+1) u / (1 - (m+1) u) (Higham, Accuracy and Stability, section
//     3.1); each of the two starts was itself rounded, by at most u N_i and
//     u N_j: they are rounded upwards, which is the safe side.
//   - After a prefix of p <= m-2 columns tile.Scan compares the partial sum plus two tails: the
//     halves of |z_i|^2 and |z_j|^2 beyond the prefix, rounded upwards. Up to rounding, that is
//     minus half the squared distance within the prefix, which is not below q_ij. It takes p+3 <=
//     m+1 roundings of terms that add up to no more than those above.
//   - The error of values computed in float64 (z, N, the exact distance) is less than 2^-30 (N_i +
//     N_j) for m <= maxDim.
//   - Underflow costs at most m 2^-110 as |z_ik| < 2^30.
//
// Together |error| <= s_i + s_j with s_i = (m+8) 1.02 u N_i + m 2^-110.
const (
	unit    = 1.0 / (1 << 24)
	maxDim  = 1 << 18
	maxNorm = 1 << 60 // bound on N_i, so that |z_ik| < 2^30
)

// packed has rows in the format of package tile. The start of a row is s_i - |z_i|^2/2, rounded up.
//
// Columns are ordered by decreasing variance, so that tile.Scan can often stop after the first of
// them, the prefix. It then uses the bound for the prefix alone, with more than enough slack, since
// distances only grow with further columns.
type packed struct {
	*tile.Panels
	order   []int32 // the row at every position; nil if all are at their own
	columns []int   // the column of every dimension
	centre  []float64
	scale   float64 // a, a power of two
	level   simd.Level
	chunk   int // number of panels in the first chunk of a search
}

// pack centres, scales and packs the rows of x, whose values have been checked, in the given order;
// nil keeps their own.
func pack[T vec.Float](x vec.Matrix[T], order []int32, threads int) *packed {
	p, prefix := scaled(x, threads)
	p.order, p.Panels = order, tile.NewPanels(x.Rows, x.Cols, prefix)
	par.Ranges(threads, x.Rows, 16*tile.Width, func(_, from, to int) {
		z := make([]float32, p.Dim)
		for i := from; i < to; i++ {
			start, tail := load(p, z, x.Row(p.row(i)))
			p.Set(i, z, start, tail)
		}
	})
	return p
}

// scaled returns the centre, the scale and the order of columns for the rows of x, without panels,
// and the length of the prefix.
func scaled[T vec.Float](x vec.Matrix[T], threads int) (p *packed, prefix int) {
	p = &packed{centre: centre(x), level: simd.Best(), chunk: chunkPanels(x.Cols)}
	p.scale = scaleOf(x, p.centre, threads)
	p.columns, prefix = byVariance(x, p.centre, p.scale)
	return p, prefix
}

// row returns the number of the row at position i.
func (p *packed) row(i int) int {
	if p.order == nil {
		return i
	}
	return int(p.order[i])
}

// load writes z of a row to z and returns its start and its tail, rounded upwards. A row outside
// the range of the bound gets the largest start, so that no pair of it is skipped.
func load[T vec.Float](p *packed, z []float32, row []T) (start, tail float32) {
	var norm, rest float64
	for k, c := range p.columns {
		s := (float64(row[c]) - p.centre[c]) * p.scale
		z[k] = float32(s)
		norm += s * s
		if k >= p.Prefix {
			rest += s * s
		}
	}
	if !(norm < maxNorm) || p.Dim > maxDim {
		clear(z)
		return math.MaxFloat32, 0
	}
	m := float64(p.Dim)
	slack := (m+8)*1.02*unit*norm + m*0x1p-110
	return -down(norm/2 - slack), -down(-rest / 2)
}

// down rounds to float32 towards minus infinity.
func down(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// lowest is the threshold of a list that is not full. Every q_ij reaches it, except those of the
// padding in the last panel.
const lowest = -math.MaxFloat32

// threshold returns the value that q_ij must reach for j to possibly enter a list whose last
// squared distance is dist2.
func (p *packed) threshold(dist2 float64) float32 {
	q := -dist2 * p.scale * p.scale / 2
	// The margin covers the rounding to float32, denormal or not.
	return max(lowest, float32(q*(1+0x1p-22)-0x1p-149))
}

// stripPanels returns the number of panels that are compared at a time: at most as many as fit in
// the second-level cache, and few enough that thresholds can rise between strips.
func stripPanels(dim int) int {
	const bytes = 192 << 10
	return max(1, min(20, bytes/(4*tile.Width*dim)))
}
