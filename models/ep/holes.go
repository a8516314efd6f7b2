package ep

import (
	"fmt"
	"math"
	"slices"

	gonum "gonum.org/v1/gonum/blas"

	"unfold/internal/par"
	"unfold/internal/simd/gemm"
	"unfold/internal/simd/spd"
	"unfold/internal/vec"
	"unfold/models/psi"
)

// Values of Data may be missing. The columns are independent processes, so the bound of the observed
// values is the sum over the columns of the bound of Titsias and Lawrence over the rows in which a
// column is observed. With O_d these rows, A_d = Kuu + beta sum_{n in O_d} Psi2n and b_d = beta
// sum_{n in O_d} Psi1_n y_nd, column d adds
//
//	1/2 |O_d| (log beta/2 pi - beta psi0) - beta/2 sum y_nd^2
//	+ 1/2 log |Kuu| - 1/2 log |A_d| + 1/2 b_d'A_d^-1 b_d + beta/2 tr(Kuu^-1 sum_{n in O_d} Psi2n).
//
// Columns that are observed in the same rows share A_d. The sums over the rows are products of
// matrices with the lower triangles of all Psi2n, O(n m^2) for each such group.

// holes are the groups of columns that are observed in the same rows.
type holes struct {
	// seen is 1 where a group is observed, n x groups, and rows is the number of those rows.
	seen vec.Matrix[float64]
	rows []float64
	// columns are the columns of each group, ascending.
	columns [][]int
	// y has the values, 0 where they are missing.
	y vec.Matrix[float64]
}

// holesOf returns the groups of columns of y, or nil if no value is missing.
func holesOf(y vec.Matrix[float64]) *holes {
	if !slices.ContainsFunc(y.Data, math.IsNaN) {
		return nil
	}
	h := &holes{y: y.Clone()}
	group := map[string]int{}
	for c := range y.Cols {
		key := make([]byte, y.Rows)
		for n := range y.Rows {
			if v := y.Row(n)[c]; v == v {
				key[n] = 1
			} else {
				h.y.Row(n)[c] = 0
			}
		}
		g, known := group[string(key)]
		if !known {
			g = len(h.columns)
			group[string(key)] = g
			h.columns, h.rows = append(h.columns, nil), append(h.rows, 0)
		}
		h.columns[g] = append(h.columns[g], c)
	}
	h.seen = vec.New[float64](y.Rows, len(h.columns))
	for g, columns := range h.columns {
		for n := range y.Rows {
			if v := y.Row(n)[columns[0]]; v == v {
				h.seen.Row(n)[g] = 1
				h.rows[g]++
			}
		}
	}
	return h
}

// posterior is q(u) of the columns of Data with missing values.
type posterior struct {
	*holes
	each vec.Matrix[float64] // lower triangles of Psi2n, n x m(m+1)/2
	// second are the sums of Psi2n over the rows of each group, times beta, and reach the A_d^-1.
	second, reach []vec.Matrix[float64]
	logDet        []float64 // log |A_d|
	// b and weights are beta Psi1'Y and A_d^-1 b_d, m x D.
	b, weights vec.Matrix[float64]
}

// posteriorOf returns q(u) of the data's columns under the process p of their inputs.
func (d *Data) posteriorOf(p *Process, h *holes) (*posterior, error) {
	n, m, outputs, groups := d.Y.Rows, d.Z.Rows, d.Y.Cols, len(h.columns)
	pairs := m * (m + 1) / 2
	q := &posterior{holes: h, each: vec.New[float64](n, pairs), second: make([]vec.Matrix[float64], groups), reach: make([]vec.Matrix[float64], groups),
		logDet: make([]float64, groups), b: vec.New[float64](m, outputs), weights: vec.New[float64](m, outputs)}
	p.Kernel.Each(q.each, p.In, d.Z, p.threads)
	blas := gemm.Implementation{Threads: p.threads}
	sums := vec.New[float64](groups, pairs)
	blas.Dgemm(gonum.Trans, gonum.NoTrans, groups, pairs, n, d.Precision, h.seen.Data, groups, q.each.Data, pairs, 0, sums.Data, pairs)
	blas.Dgemm(gonum.Trans, gonum.NoTrans, m, outputs, n, d.Precision, p.Psi.Data, m, h.y.Data, outputs, 0, q.b.Data, outputs)
	failed := make([]error, groups)
	one := *p
	one.threads = 1
	par.Do(p.threads, groups, func(g int) {
		q.second[g] = vec.New[float64](m, m)
		whole(q.second[g], sums.Row(g))
		a := q.second[g].Clone()
		if failed[g] = one.factorWith(a); failed[g] != nil {
			return
		}
		q.logDet[g] = spd.LogDet(a)
		spd.Invert(a, 1)
		q.reach[g] = a
		for _, c := range h.columns[g] {
			for i := range m {
				sum := 0.0
				for j, v := range a.Row(i) {
					sum += v * q.b.Row(j)[c]
				}
				q.weights.Row(i)[c] = sum
			}
		}
	})
	for _, err := range failed {
		if err != nil {
			return nil, fmt.Errorf("the bound of %d inducing inputs: %w", m, err)
		}
	}
	return q, nil
}

// whole sets a symmetric matrix by its lower triangle.
func whole(dst vec.Matrix[float64], lower []float64) {
	at := 0
	for a := range dst.Rows {
		for b := range a + 1 {
			dst.Row(a)[b], dst.Row(b)[a] = lower[at], lower[at]
			at++
		}
	}
}

// observedBound is the bound of data with missing values, without the divergence. It adds the
// derivatives to g, and that by the precision to precision, if they are not nil.
func (d *Data) observedBound(p *Process, h *holes, g *psi.Gradient, precision *float64) (float64, error) {
	q, err := d.posteriorOf(p, h)
	if err != nil {
		return 0, err
	}
	beta, prior := d.Precision, spd.LogDet(p.factor)
	value := (vec.Dot(q.b.Data, q.weights.Data) - beta*vec.SquaredNorm(h.y.Data)) / 2
	for k, columns := range h.columns {
		value += float64(len(columns)) / 2 * (prior - q.logDet[k] + vec.Dot(p.inverse.Data, q.second[k].Data) +
			h.rows[k]*(math.Log(beta)-math.Log(2*math.Pi)-beta*p.Kernel.Variance))
	}
	if g != nil {
		d.observedGradient(p, q, g, precision)
	}
	return value, nil
}

// observedGradient: dPsi1_n = beta sum_d y_nd w_d, w_d = A_d^-1 b_d; dPsi2n = beta times the sum over
// the groups that row n is in of s = 1/2 (D Kuu^-1 - D A^-1 - W W'), for the D columns of a group;
// dKuu the sum of all s, less D/2 Kuu^-1 (beta sum Psi2n) Kuu^-1.
func (d *Data) observedGradient(p *Process, q *posterior, g *psi.Gradient, precision *float64) {
	n, m, outputs, groups := d.Y.Rows, d.Z.Rows, d.Y.Cols, len(q.columns)
	pairs, beta, blas := m*(m+1)/2, d.Precision, gemm.Implementation{Threads: p.threads}
	slopes, dK, second := vec.New[float64](groups, pairs), vec.New[float64](m, m), vec.New[float64](m, m)
	for k, columns := range q.columns {
		many := float64(len(columns))
		s := p.inverse.Clone()
		vec.Axpy(-1, q.reach[k].Data, s.Data)
		vec.Scale(many/2, s.Data)
		for a := range m {
			for b := range m {
				for _, c := range columns {
					s.Row(a)[b] -= q.weights.Row(a)[c] * q.weights.Row(b)[c] / 2
				}
			}
		}
		at := 0
		for a := range m {
			at += copy(slopes.Row(k)[at:], s.Row(a)[:a+1])
		}
		vec.Axpy(1, s.Data, dK.Data)
		vec.Axpy(many, q.second[k].Data, second.Data)
		g.Variance -= many / 2 * beta * q.rows[k]
		*precision += many/2*q.rows[k]*(1/beta-p.Kernel.Variance) + vec.Dot(s.Data, q.second[k].Data)/beta
	}
	dPsi := vec.New[float64](n, m)
	blas.Dgemm(gonum.NoTrans, gonum.Trans, n, m, outputs, beta, q.y.Data, outputs, q.weights.Data, outputs, 0, dPsi.Data, m)
	*precision += vec.Dot(dPsi.Data, p.Psi.Data)/beta - vec.SquaredNorm(q.y.Data)/2
	left, right := vec.New[float64](m, m), vec.New[float64](m, m)
	p.mul(left, p.inverse, second)
	p.mul(right, left, p.inverse)
	vec.Axpy(-0.5, right.Data, dK.Data)
	weights := q.each // not needed any more
	blas.Dgemm(gonum.NoTrans, gonum.NoTrans, n, pairs, groups, beta, q.seen.Data, groups, slopes.Data, pairs, 0, weights.Data, pairs)
	p.Kernel.MatrixGradient(g, dK, d.Z)
	p.Kernel.FirstGradient(g, dPsi, p.In, d.Z, p.threads)
	p.Kernel.EachGradient(g, weights, p.In, d.Z, p.threads)
}

// observed returns the processes of data with missing values. Spread is the mean over the columns.
func (d *Data) observed(p *Process, h *holes) (*Observed, error) {
	q, err := d.posteriorOf(p, h)
	if err != nil {
		return nil, err
	}
	o := &Observed{Kernel: d.Kernel.Clone(), Z: d.Z.Clone(), Weights: q.weights, Spread: p.inverse.Clone(), Precision: d.Precision}
	for k, columns := range h.columns {
		vec.Axpy(-float64(len(columns))/float64(d.Y.Cols), q.reach[k].Data, o.Spread.Data)
	}
	o.Prepare()
	return o, nil
}
