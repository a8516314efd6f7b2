package gplvm

import (
	"math"

	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// Selection is the informative vector machine (4.1; N. Lawrence, M. Seeger and R. Herbrich, 2003):
// it greedily adds the row that reduces the entropy of the posterior most to an active set. The
// posterior is updated by assumed density filtering, one row at a time. f_d of row n has the
// posterior mean Mean_nd and variance Variance_nd. If the noise treats all outputs alike, there is
// one column of variances.
type Selection struct {
	// Order lists the active rows in the order of selection. Gain is the reduction of entropy by
	// each, in nats over all outputs.
	Order []int32
	Gain  []float64
	// LogZ is the sum of ln Z (eq 17) of the active rows' values, each given the previous ones. It
	// is the approximation of their log-likelihood by assumed density filtering, which is exact for
	// Gaussian noise.
	LogZ float64
	// Mean and G are N x D; Variance and Nu are N x C, C = 1 or D.
	Mean, Variance, G, Nu vec.Matrix[float64]
	// M and Beta are the site means and precisions of active rows, N x D and N x C; 0 for others.
	M, Beta vec.Matrix[float64]

	s    *Sparse
	x    *kernel.Points
	room *kernel.Room
	// roots are, for each covariance, the vectors sqrt(nu) s of the included rows: posterior
	// covariance = K - M'M.
	roots  []vec.Matrix[float64]
	active []bool
	gains  []float64
}

// Sparse is the data of the sparse GP-LVM: outputs with their noise, and a kernel.
type Sparse struct {
	kernel  *kernel.Kernel
	noise   Noise
	y       vec.Matrix[float64] // NaN where missing
	bias    []float64
	columns int // number of covariances: 1 or D
	threads int
}

// NewSparse returns the sparse model of the rows of y (N x D), where NaN is a missing value. It
// retains y.
func NewSparse(k *kernel.Kernel, noise Noise, y vec.Matrix[float64], threads int) *Sparse {
	s := &Sparse{kernel: k, noise: noise, y: y, bias: biases(noise, y), columns: y.Cols, threads: threads}
	missing := false
	for _, v := range y.Data {
		missing = missing || math.IsNaN(v)
	}
	if noise.Shared() && !missing {
		s.columns = 1
	}
	return s
}

// Select selects an active set of d rows at theta and x.
func (s *Sparse) Select(theta []float64, x vec.Matrix[float64], d int) *Selection {
	q := s.selection(theta, x, d)
	for len(q.Order) < min(d, x.Rows) {
		q.include(theta, q.best())
	}
	return q
}

// Include is Select for given rows, in their order.
func (s *Sparse) Include(theta []float64, x vec.Matrix[float64], rows []int32) *Selection {
	q := s.selection(theta, x, len(rows))
	for _, i := range rows {
		q.include(theta, int(i))
	}
	return q
}

// selection returns a selection without active rows and with memory for d.
func (s *Sparse) selection(theta []float64, x vec.Matrix[float64], d int) *Selection {
	n := x.Rows
	points := kernel.NewPoints(x)
	q := &Selection{s: s, x: points, room: kernel.NewRoom(points), Mean: vec.New[float64](n, s.y.Cols), G: vec.New[float64](n, s.y.Cols), M: vec.New[float64](n, s.y.Cols),
		Variance: vec.New[float64](n, s.columns), Nu: vec.New[float64](n, s.columns), Beta: vec.New[float64](n, s.columns),
		active: make([]bool, n), gains: make([]float64, n)}
	for range s.columns {
		q.roots = append(q.roots, vec.New[float64](d, n))
	}
	for i := range n {
		self := s.kernel.Self(theta, x.Row(i))
		for c := range q.Variance.Row(i) {
			q.Variance.Row(i)[c] = self
		}
		q.update(i)
	}
	return q
}

// update computes g, nu and the entropy gain of row i.
func (q *Selection) update(i int) {
	s, gain := q.s, 0.0
	if n, ok := s.noise.(Gaussian); ok && s.columns == 1 {
		q.gains[i] = q.alike(i, n)
		return
	}
	for j, y := range s.y.Row(i) {
		c := j % s.columns
		if math.IsNaN(y) {
			q.G.Row(i)[j], q.Nu.Row(i)[c] = 0, 0
			continue
		}
		_, q.G.Row(i)[j], q.Nu.Row(i)[c] = s.noise.LogZ(y, s.bias[j], q.Mean.Row(i)[j], q.Variance.Row(i)[c])
		gain -= 0.5 * math.Log1p(-q.Variance.Row(i)[c]*q.Nu.Row(i)[c])
	}
	q.gains[i] = gain
}

// alike is update for outputs with the same variance and without missing values.
func (q *Selection) alike(i int, n Gaussian) (gain float64) {
	variance, g := q.Variance.Row(i)[0], q.G.Row(i)
	nu := 1 / (variance + n.Variance)
	q.Nu.Row(i)[0] = nu
	mean, bias := q.Mean.Row(i), q.s.bias
	for j, y := range q.s.y.Row(i) {
		g[j] = (y - bias[j] - mean[j]) * nu
	}
	return -0.5 * float64(len(g)) * math.Log1p(-variance*nu)
}

// best returns the inactive row with the largest gain. Among gains within 1e-12 of it, whose order
// depends on rounding, it returns the first.
func (q *Selection) best() int {
	most := math.Inf(-1)
	for i, g := range q.gains {
		if !q.active[i] {
			most = max(most, g)
		}
	}
	for i, g := range q.gains {
		if !q.active[i] && g >= most-1e-12*math.Abs(most) {
			return i
		}
	}
	for i := range q.gains { // all gains are NaN
		if !q.active[i] {
			return i
		}
	}
	return -1
}

// include makes row i active.
func (q *Selection) include(theta []float64, i int) {
	s, n, t := q.s, q.x.Len(), len(q.Order)
	q.Order, q.Gain = append(q.Order, int32(i)), append(q.Gain, q.gains[i])
	q.active[i] = true
	for j, y := range s.y.Row(i) {
		c := j % s.columns
		if !math.IsNaN(y) {
			logZ, _, _ := s.noise.LogZ(y, s.bias[j], q.Mean.Row(i)[j], q.Variance.Row(i)[c])
			q.LogZ += logZ
			q.M.Row(i)[j], q.Beta.Row(i)[c] = s.noise.Site(y, s.bias[j], q.Mean.Row(i)[j], q.Variance.Row(i)[c], q.G.Row(i)[j], q.Nu.Row(i)[c])
		}
	}
	column := make([]float64, n)
	s.kernel.CrossRow(column, theta, q.x.Rows.Row(i), q.x, q.room)
	column[i] += s.kernel.Variance(theta)
	g := append([]float64(nil), q.G.Row(i)...)
	par.Do(s.threads, s.columns, func(c int) {
		nu := q.Nu.Row(i)[c]
		if nu == 0 {
			return
		}
		// s = column i of the posterior covariance.
		cov := append([]float64(nil), column...)
		for r := range t {
			row := q.roots[c].Row(r)
			vec.Axpy(-row[i], row, cov)
		}
		root := q.roots[c].Row(t)
		for p, v := range cov {
			root[p] = math.Sqrt(nu) * v
			q.Variance.Row(p)[c] -= nu * v * v
			mean := q.Mean.Row(p)
			if s.columns == 1 {
				vec.Axpy(v, g, mean)
			} else {
				mean[c] += g[c] * v
			}
		}
	})
	par.Ranges(s.threads, n, 256, func(_, from, to int) {
		for p := from; p < to; p++ {
			q.update(p)
		}
	})
}
