package gplvm

import (
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/classic/kernel"
)

// Model is the full GP-LVM. The outputs y_d, the columns of Y, are independent Gaussian processes
// of the places X with the same kernel:
//
//	L = -D N/2 log 2 pi - D/2 log |K| - 1/2 tr(K^-1 Y Y')   (eq 6),
//
// Each output is evaluated over the rows in which it is observed (section 6), and places have the
// prior N(0, I). A Model is not safe for concurrent use.
type Model struct {
	kernel   *kernel.Kernel
	y        vec.Matrix[float64] // centred; 0 where missing
	missing  []bool              // like y.Data; nil if no value is missing
	mean     []float64
	patterns []pattern
	threads  int
	w        vec.Matrix[float64] // N x N: K, then dL/dK; allocated when needed
	k        vec.Matrix[float64] // N x N, if values are missing: K
	jitter   float64
	last     last
	low      lowRank
}

// last is the state of the last evaluation without a gradient. Computing the gradient continues
// from there, because an optimiser first asks for the value and then for the gradient.
type last struct {
	theta, x       []float64
	ok, low        bool
	logLik, jitter float64
}

// pattern is a set of rows with the outputs that are observed in exactly these rows.
type pattern struct {
	rows    []int32 // nil: all
	outputs []int32
	y       vec.Matrix[float64] // rows x outputs
	solved  vec.Matrix[float64] // scratch of that shape
}

// New returns the model of the rows of y (N x D), where NaN is a missing value. It centres the
// columns by the means of observed values. It returns an error, with the row or column, for an
// infinite value, a row or column without observed values, and a constant column.
func New(k *kernel.Kernel, y vec.Matrix[float64], threads int) (*Model, error) {
	m := &Model{kernel: k, y: y.Clone(), mean: make([]float64, y.Cols), threads: threads}
	if err := m.centre(); err != nil {
		return nil, err
	}
	m.group()
	return m, nil
}

// Len returns the number N of points.
func (m *Model) Len() int { return m.y.Rows }

// Dim returns the number D of outputs.
func (m *Model) Dim() int { return m.y.Cols }

// Mean returns the means that were subtracted from the columns.
func (m *Model) Mean() []float64 { return m.mean }

func (m *Model) centre() error {
	seen := make([]int, m.y.Cols)
	low, high := make([]float64, m.y.Cols), make([]float64, m.y.Cols)
	for i := range m.y.Rows {
		observed := 0
		for j, v := range m.y.Row(i) {
			if math.IsInf(v, 0) {
				return fmt.Errorf("row %d, column %d: the value is %g", i, j, v)
			}
			if math.IsNaN(v) {
				continue
			}
			if seen[j] == 0 {
				low[j], high[j] = v, v
			}
			low[j], high[j] = min(low[j], v), max(high[j], v)
			observed++
			seen[j]++
			m.mean[j] += v
		}
		if observed == 0 {
			return fmt.Errorf("row %d: all values are missing", i)
		}
	}
	for j, n := range seen {
		switch {
		case n == 0:
			return fmt.Errorf("column %d: no value is observed", j)
		case low[j] == high[j]:
			return fmt.Errorf("column %d: all values are %g; leave it out, or project with pca", j, low[j])
		}
		m.mean[j] /= float64(n)
	}
	return nil
}

// group subtracts the means and groups the outputs by their observed rows.
func (m *Model) group() {
	where := map[string]int{}
	for j := range m.y.Cols {
		rows, key := []int32{}, make([]byte, m.y.Rows)
		for i := range m.y.Rows {
			if v := m.y.Row(i)[j]; !math.IsNaN(v) {
				key[i] = 1
				rows = append(rows, int32(i))
				m.y.Row(i)[j] = v - m.mean[j]
			} else {
				m.y.Row(i)[j] = 0
				if m.missing == nil {
					m.missing = make([]bool, len(m.y.Data))
				}
				m.missing[i*m.y.Cols+j] = true
			}
		}
		p, ok := where[string(key)]
		if !ok {
			p = len(m.patterns)
			where[string(key)] = p
			if len(rows) == m.y.Rows {
				rows = nil
			}
			m.patterns = append(m.patterns, pattern{rows: rows})
		}
		m.patterns[p].outputs = append(m.patterns[p].outputs, int32(j))
	}
	for c := range m.patterns {
		p := &m.patterns[c]
		p.y = vec.New[float64](p.len(m.y.Rows), len(p.outputs))
		p.solved = vec.New[float64](p.y.Rows, p.y.Cols)
		for i := range p.y.Rows {
			for c, j := range p.outputs {
				p.y.Row(i)[c] = m.y.Row(p.row(i))[j]
			}
		}
	}
}

// Observed sets dst to row i of New's input, NaN where missing.
func (m *Model) Observed(dst []float64, i int) {
	for j, v := range m.y.Row(i) {
		dst[j] = v + m.mean[j]
		if m.missing != nil && m.missing[i*m.y.Cols+j] {
			dst[j] = math.NaN()
		}
	}
}

func (p *pattern) len(n int) int {
	if p.rows == nil {
		return n
	}
	return len(p.rows)
}

func (p *pattern) row(i int) int {
	if p.rows == nil {
		return i
	}
	return int(p.rows[i])
}

// Value is the log-likelihood at given parameters and places, and its gradient.
type Value struct {
	LogLik, LogPrior float64
	// Theta is the derivative of LogLik by the kernel's parameters, X that of LogLik + LogPrior by
	// the places. Both are set only if requested.
	Theta []float64
	X     vec.Matrix[float64]
	// Jitter is the value that was added to the diagonal of K.
	Jitter float64
}

// Total returns the log-likelihood with the prior of the places.
func (v *Value) Total() float64 { return v.LogLik + v.LogPrior }

// logPrior returns log N(x | 0, I) of the coordinates of places.
func logPrior(x []float64) float64 {
	return -0.5*vec.SquaredNorm(x) - float64(len(x))/2*math.Log(2*math.Pi)
}

// Evaluate computes the likelihood at theta and x (N x q). It also computes the gradient if v.X has
// the shape of x and v.Theta that of theta.
func (m *Model) Evaluate(v *Value, theta []float64, x vec.Matrix[float64]) error {
	gradient := v.X.Rows == m.y.Rows
	m.room()
	v.LogLik, v.Jitter = 0, 0
	v.LogPrior = logPrior(x.Data)
	var err error
	if len(m.patterns) == 1 && m.patterns[0].rows == nil {
		err = m.whole(v, theta, x, gradient)
	} else {
		err = m.parts(v, theta, x, gradient)
	}
	if err != nil || !gradient {
		return err
	}
	clear(v.Theta)
	for i, s := range x.Data {
		v.X.Data[i] = -s
	}
	m.kernel.GradientLower(v.Theta, v.X, m.w, theta, x, m.threads)
	return nil
}

// room allocates the N x N matrix.
func (m *Model) room() {
	if m.w.Rows == 0 {
		m.w = vec.New[float64](m.y.Rows, m.y.Rows)
	}
}

// whole evaluates a model without missing values.
func (m *Model) whole(v *Value, theta []float64, x vec.Matrix[float64], gradient bool) error {
	l := &m.last
	if !l.ok || !slices.Equal(l.theta, theta) || !slices.Equal(l.x, x.Data) {
		l.ok = false
		if err := m.begin(v, theta, x); err != nil {
			return err
		}
		l.logLik, l.jitter = v.LogLik, v.Jitter
		l.theta, l.x = append(l.theta[:0], theta...), append(l.x[:0], x.Data...)
	}
	v.LogLik, v.Jitter = l.logLik, l.jitter
	l.ok = !gradient // the gradient overwrites it
	switch p := &m.patterns[0]; {
	case gradient && l.low:
		m.low.derivative(m.w, p.solved, m.threads)
	case gradient:
		m.derivative(p, m.w)
	}
	return nil
}

// begin computes the likelihood of a model without missing values, as far as its gradient shares
// it. K, its inverse and dL/dK successively use the lower triangle of w.
func (m *Model) begin(v *Value, theta []float64, x vec.Matrix[float64]) error {
	p, points := &m.patterns[0], kernel.NewPoints(x)
	if m.last.low = m.low.due(m.kernel, theta, x.Rows) && m.low.factor(m.kernel, theta, points, m.threads); m.last.low {
		copy(p.solved.Data, p.y.Data)
		logDet, square := m.low.solve(p.solved, m.threads)
		if !math.IsNaN(logDet) {
			v.LogLik = likelihood(x.Rows, p.y.Cols, logDet, square)
			return nil
		}
		m.last.low = false
	}
	m.kernel.Lower(m.w, theta, points, m.threads)
	copy(p.solved.Data, p.y.Data)
	if spd.FactorSolve(m.w, p.solved, m.threads) == nil {
		v.LogLik = likelihood(x.Rows, p.y.Cols, spd.LogDet(m.w), vec.SquaredNorm(p.solved.Data))
		return nil
	}
	m.kernel.Matrix(m.w, theta, x, m.threads)
	if err := m.factor(v, m.w); err != nil {
		return err
	}
	m.value(v, p, m.w)
	return nil
}

// parts evaluates a model with missing values. w becomes the sum of the patterns' derivatives.
// Patterns that downdate does not cover are evaluated one by one.
func (m *Model) parts(v *Value, theta []float64, x vec.Matrix[float64], gradient bool) error {
	if m.k.Rows == 0 {
		m.k = vec.New[float64](m.y.Rows, m.y.Rows)
	}
	m.kernel.Matrix(m.k, theta, x, m.threads)
	clear(m.w.Data)
	downdated := m.downdate(v, gradient)
	for c := range m.patterns {
		p := &m.patterns[c]
		if downdated && p.downdated(m.y.Rows) {
			continue
		}
		n := p.len(m.y.Rows)
		k := vec.New[float64](n, n)
		for i := range n {
			for j := range n {
				k.Row(i)[j] = m.k.Row(p.row(i))[p.row(j)]
			}
		}
		if err := m.factor(v, k); err != nil {
			return err
		}
		m.value(v, p, k)
		if !gradient {
			continue
		}
		m.derivative(p, k)
		for i := range n {
			for j := range i + 1 {
				m.w.Row(p.row(i))[p.row(j)] += k.Row(i)[j]
			}
		}
	}
	return nil
}

// factor factors a matrix whose two triangles are both set.
func (m *Model) factor(v *Value, k vec.Matrix[float64]) error {
	jitter, err := spd.FactorJitter(k, m.threads)
	if err != nil {
		return fmt.Errorf("the kernel matrix of %d points: %w", k.Rows, err)
	}
	v.Jitter = max(v.Jitter, jitter)
	return nil
}

// likelihood returns (6) for n points and d outputs.
func likelihood(n, d int, logDet, square float64) float64 {
	return -0.5 * (float64(d)*(float64(n)*math.Log(2*math.Pi)+logDet) + square)
}

// value adds the likelihood of the outputs of a pattern, given the factor of their K.
func (m *Model) value(v *Value, p *pattern, k vec.Matrix[float64]) {
	copy(p.solved.Data, p.y.Data)
	spd.HalfSolve(k, p.solved, m.threads)
	v.LogLik += likelihood(k.Rows, len(p.outputs), spd.LogDet(k), vec.SquaredNorm(p.solved.Data))
}

// derivative replaces the factor, after value, by the lower triangle of
//
//	dL/dK = 1/2 (K^-1 Y Y' K^-1 - D K^-1)   (eq 10, with the missing factor 1/2).
func (m *Model) derivative(p *pattern, k vec.Matrix[float64]) {
	n, d, a := k.Rows, len(p.outputs), p.solved
	spd.InvertSolve(k, a, m.threads) // K^-1 Y
	g := gemm.Implementation{Threads: m.threads}
	g.Dsyrk(gonum.Lower, gonum.NoTrans, n, d, 0.5, a.Data, d, -0.5*float64(d), k.Data, n)
}
