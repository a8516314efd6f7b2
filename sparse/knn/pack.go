package knn

import (
	"math"
	"slices"

	"unfold/sparse/par"
	"unfold/sparse/vec"
)

// The bound on the rounding of q_ij (see the package comment). Let u = 2^-24,
// N_i = |z_i|^2 and m the dimension.
//
//   - z_i is rounded to float32 with relative error u an element: the product
//     z_i z_j moves by at most (2u + u^2) |z_i||z_j| <= 1.1 u (N_i + N_j).
//   - The sum of m products and the starting value, in any order, with or
//     without fused operations, errs by at most g (N_i/2 + N_j/2 + |z_i||z_j|)
//     <= g (N_i + N_j), g = (m+1) u / (1 - (m+1) u) (Higham, Accuracy and
//     Stability, section 3.1); the starting value itself by u (N_i + N_j) / 2.
//   - What is computed in float64 (z, N, the exact distance) errs by less than
//     2^-30 (N_i + N_j) for m <= maxDim.
//   - Underflow costs at most m 2^-110 as |z_ik| < 2^30.
//
// Together |error| <= s_i + s_j with s_i = (m+8) 1.02 u N_i + m 2^-110.
const (
	unit    = 1.0 / (1 << 24)
	maxDim  = 1 << 18
	maxNorm = 1 << 60 // bound on N_i, so that |z_ik| < 2^30
)

// Panels are cut so that what is multiplied at once, 24 kB, stays in the
// first-level cache.
const (
	panelCols = 192 // points a panel
	panelDims = 32  // dimensions of it that are multiplied at once
)

// packed holds rows as the tiles need them. Panel p is a dim x panelCols
// matrix whose columns are z of the points p*panelCols, ...; the last one is
// filled up with zeros.
type packed struct {
	n, dim int
	centre []float64
	scale  float64   // a, a power of two
	panels []float32 // panel after panel
	half   []float32 // |z_i|^2/2 - s_i, rounded down
}

// pack centres, scales and packs x, whose values have been checked.
func pack[T vec.Float](x vec.Matrix[T], threads int) *packed {
	p := &packed{n: x.Rows, dim: x.Cols, centre: centre(x)}
	p.scale = scaleOf(x, p.centre, threads)
	pieces := par.Pieces(p.n, panelCols)
	p.panels = make([]float32, pieces*panelCols*p.dim)
	p.half = make([]float32, p.n)
	par.Do(threads, par.Pieces(pieces, 16), func(task int) {
		row := make([]float32, p.dim)
		for t := task * 16; t < min(pieces, task*16+16); t++ {
			panel := p.panel(t)
			for c := range min(panelCols, p.n-t*panelCols) {
				i := t*panelCols + c
				p.half[i] = load(p, row, x.Row(i))
				for k, v := range row {
					panel[k*panelCols+c] = v
				}
			}
		}
	})
	return p
}

// panel returns panel t, dim x panelCols.
func (p *packed) panel(t int) []float32 {
	size := p.dim * panelCols
	return p.panels[t*size : (t+1)*size : (t+1)*size]
}

// load writes z of a row to dst and returns |z|^2/2 - s, rounded down. A row
// that the bound does not cover gets -Inf, with which no pair is dropped.
func load[T vec.Float](p *packed, dst []float32, row []T) (half float32) {
	var norm float64
	for k, v := range row {
		z := (float64(v) - p.centre[k]) * p.scale
		dst[k] = float32(z)
		norm += z * z
	}
	if !(norm < maxNorm) || p.dim > maxDim {
		clear(dst)
		return float32(math.Inf(-1))
	}
	m := float64(p.dim)
	slack := (m+8)*1.02*unit*norm + m*0x1p-110
	return down(norm/2 - slack)
}

// down rounds to float32 towards minus infinity.
func down(v float64) float32 {
	f := float32(v)
	if float64(f) > v {
		f = math.Nextafter32(f, float32(math.Inf(-1)))
	}
	return f
}

// threshold returns the number that q_ij must reach for j to be able to enter
// a list whose last squared distance is dist2.
func (p *packed) threshold(dist2 float64) float32 {
	return down(-dist2 * p.scale * p.scale / 2)
}

// centre returns the median of every column over at most 1001 rows, evenly
// spread. Any centre is right; the median keeps a few far rows from raising
// everyone's norm, and with it the bound.
func centre[T vec.Float](x vec.Matrix[T]) []float64 {
	c := make([]float64, x.Cols)
	count := min(x.Rows, 1001)
	if count == 0 {
		return c
	}
	sample := make([]float64, count)
	for k := range c {
		for s := range sample {
			sample[s] = float64(x.Data[s*x.Rows/count*x.Cols+k])
		}
		slices.Sort(sample)
		c[k] = sample[count/2]
	}
	return c
}

// scaleOf returns the power of two that brings the largest |x_ik - c_k| to
// 1/2..1, so that float32 neither overflows nor underflows.
func scaleOf[T vec.Float](x vec.Matrix[T], centre []float64, threads int) float64 {
	const size = 4096
	largest := make([]float64, par.Pieces(x.Rows, size))
	par.Ranges(threads, x.Rows, size, func(piece, from, to int) {
		var most float64
		for i := from; i < to; i++ {
			for k, v := range x.Row(i) {
				most = max(most, math.Abs(float64(v)-centre[k]))
			}
		}
		largest[piece] = most
	})
	var most float64
	for _, v := range largest {
		most = max(most, v)
	}
	if most == 0 {
		return 1
	}
	_, exp := math.Frexp(most)
	// The square of the scale must be a number as well; 2^400 is far beyond
	// any data, and smaller differences fall under the bound's last term.
	return math.Ldexp(1, min(-exp, 400))
}
