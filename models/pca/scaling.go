package pca

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
)

// scalingTolerance is the default residual for eigenvectors of distances.
const scalingTolerance = 1e-6

// Scaling is classical scaling (Torgerson 1952) of the squared distances a (n x n), which it
// overwrites. It returns the q leading eigenvectors of -1/2 J a J, J = 1 - 11'/n, times the roots
// of their eigenvalues. The result, n x q, has uncorrelated columns of decreasing variance and mean
// 0; a column whose eigenvalue is not positive is 0. q must be within 1..n. Settings.Tolerance is
// 1e-6 by default.
func Scaling(ctx context.Context, a vec.Matrix[float64], q int, s Settings) (vec.Matrix[float64], error) {
	n := a.Rows
	if s.Tolerance == 0 {
		s.Tolerance = scalingTolerance
	}
	doublyCentre(a)
	out := vec.New[float64](n, q)
	var p *PCA
	var err error
	// The dense solver is used where the spaces of the iteration would not fit.
	if direct(n, q) && (n <= maxDense || (depth+1)*carried(q) > n) {
		p, err = dense(&covariance{gram: mat.NewSymDense(n, a.Data)}, q)
	} else {
		c := &covariance{x: vec.Matrix[float32]{Cols: n}, full: mat.NewDense(n, n, a.Data), threads: s.Threads}
		p, err = krylov(ctx, c, q, c.threads, s)
	}
	if err != nil {
		return out, fmt.Errorf("scaling: %w", err)
	}
	for c := range q {
		// The sign is chosen as in PCA: the entry of largest magnitude is positive.
		v, largest := p.Components.Row(c), float32(0)
		for _, e := range v {
			if math.Abs(float64(e)) > math.Abs(float64(largest)) {
				largest = e
			}
		}
		length := math.Copysign(math.Sqrt(max(0, p.Variance[c])), float64(largest))
		for i, e := range v {
			out.Row(i)[c] = length * float64(e)
		}
	}
	return out, nil
}

// doublyCentre replaces a by -1/2 J a J, symmetric bit for bit.
func doublyCentre(a vec.Matrix[float64]) {
	n := a.Rows
	means, all := make([]float64, n), 0.0
	for i := range n {
		for _, v := range a.Row(i) {
			means[i] += v / float64(n)
		}
		all += means[i] / float64(n)
	}
	for i := range n {
		row := a.Row(i)
		for j, v := range row {
			row[j] = -0.5 * (v - means[i] - means[j] + all)
		}
	}
	// The lengths of a path in both directions may differ by rounding.
	for i := range n {
		for j := range i {
			v := 0.5 * (a.Row(i)[j] + a.Row(j)[i])
			a.Row(i)[j], a.Row(j)[i] = v, v
		}
	}
}
