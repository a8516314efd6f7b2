package ingest

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// maxWhitened is the maximum number of elements for the metric mahalanobis: its matrices have the
// square of that many numbers.
const maxWhitened = 1024

// leastShare is the least share of the largest eigenvalue of the correlations that is not a rounding
// error. Directions below it do not count.
const leastShare = 1e-9

// whitening maps rows to rows whose Euclidean distance is that of Mahalanobis (1936),
//
//	z = P^(-1/2) D^(-1) (x - mean)
//
// with the standard deviations D and the correlations P of the learnt rows. Of all such maps it is
// the one whose elements correlate most with the columns (the cor-max transformation of Garthwaite
// and Koch 2016), so that squared elements are the contributions of columns.
type whitening struct {
	Mean      []float64 `json:"mean"`
	Deviation []float64 `json:"deviation"` // 0 for a column without variance
	// Root is P^(-1/2), the inverse without the directions of rounding errors: n rows of n numbers.
	Root []float64 `json:"root"`

	// inverse is that of Root, which only decoding needs; nil if it cannot be computed.
	once    sync.Once
	inverse *mat.Dense
}

// whitenable returns an error for a column that the metric mahalanobis does not take.
func (c *columnFit) whitenable(m Metric, o table.Origin) error {
	if m.whitens() && c.kind != table.Number && c.kind != table.Bool {
		return o.BadColumn(c.spec.Name, "the metric %s takes numbers and booleans", m).Suggest("leave the column out")
	}
	return nil
}

// covariance adds rows to the sums from which a whitening is computed.
type covariance struct {
	rows float64
	// pilot is subtracted from all rows, so that sums of squares do not cancel.
	pilot, sum []float64
	products   *mat.SymDense
	piece      mat.SymDense
}

// add adds rows before the metric. Rows with missing values are left out, even if their means are
// inserted later, because these would weaken correlations.
func (c *covariance) add(rows vec.Matrix[float64]) {
	n := rows.Cols
	data := make([]float64, 0, len(rows.Data))
	for i := range rows.Rows {
		row := rows.Row(i)
		if !vec.Finite(row) {
			continue
		}
		if c.pilot == nil {
			c.pilot, c.sum, c.products = append([]float64(nil), row...), make([]float64, n), mat.NewSymDense(n, nil)
		}
		for k, v := range row {
			data = append(data, v-c.pilot[k])
			c.sum[k] += v - c.pilot[k]
		}
	}
	if len(data) == 0 {
		return
	}
	c.rows += float64(len(data) / n)
	c.piece.Reset()
	c.piece.SymOuterK(1, mat.NewDense(len(data)/n, n, data).T())
	c.products.AddSym(c.products, &c.piece)
}

// setWhitening sets the map of the metric mahalanobis. It leaves out columns that turned out to
// identify rows.
func (f *Fitter) setWhitening(e *Encoder) error {
	if !e.metric.whitens() || e.inner > maxWhitened {
		return nil
	}
	kept, known := make([]int, 0, e.inner), f.index()
	for _, c := range e.columns {
		kept = append(kept, known[c.Name])
	}
	for k := range e.inner {
		if e.vector != "" {
			kept = append(kept, k)
		}
	}
	var err error
	e.white, err = f.behind.covariance.whitening(kept, f.origin)
	e.precise = true
	return err
}

// whitening returns the map that the given elements of the rows determine.
func (c *covariance) whitening(kept []int, o table.Origin) (*whitening, error) {
	n := len(kept)
	if int(c.rows) <= n {
		return nil, o.Bad("the metric %s needs more rows than values of a row; there are %d rows of %d values", Mahalanobis, int(c.rows), n)
	}
	w := &whitening{Mean: make([]float64, n), Deviation: make([]float64, n), Root: make([]float64, n*n)}
	for k, at := range kept {
		mean := c.sum[at] / c.rows
		w.Mean[k] = c.pilot[at] + mean
		square := c.products.At(at, at)
		// Rounding gives a constant column a sum of squares of about 1e-16 of its square.
		if around := square - mean*c.sum[at]; around > 1e-14*square {
			w.Deviation[k] = math.Sqrt(around / (c.rows - 1))
		}
	}
	p := mat.NewSymDense(n, nil)
	for k, at := range kept {
		for l, other := range kept[:k+1] {
			if d := w.Deviation[k] * w.Deviation[l]; d != 0 {
				p.SetSym(k, l, (c.products.At(at, other)-c.sum[at]/c.rows*c.sum[other])/(c.rows-1)/d)
			}
		}
	}
	root, ok := power(p, -0.5)
	if !ok {
		return nil, o.Bad("the correlations of the columns have no eigenvalues in floating point").Suggest("leave columns out that are nearly sums of others")
	}
	for k := range n {
		for l := range n {
			if w.Deviation[k] != 0 && w.Deviation[l] != 0 { // else it is 0 up to rounding
				w.Root[k*n+l] = root.At(k, l)
			}
		}
	}
	return w, nil
}

// power returns a symmetric matrix to the power e, without the directions whose eigenvalues are 0 up
// to rounding.
func power(a *mat.SymDense, e float64) (*mat.Dense, bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, false
	}
	values := eigen.Values(nil)
	var vectors, scaled, out mat.Dense
	eigen.VectorsTo(&vectors)
	scaled.CloneFrom(&vectors)
	for l, v := range values {
		factor := 0.0
		if v > leastShare*values[len(values)-1] {
			factor = math.Pow(v, e)
		}
		for k := range values {
			scaled.Set(k, l, factor*scaled.At(k, l))
		}
	}
	out.Mul(&scaled, vectors.T())
	return &out, true
}

// whiten writes the whitened rows of from to x, which may share their memory.
func whiten[T vec.Float](w *whitening, x, from vec.Matrix[T]) {
	n := len(w.Mean)
	centred := make([]float64, n)
	for i := range from.Rows {
		for k, v := range from.Row(i) {
			centred[k] = 0
			if d := w.Deviation[k]; d != 0 {
				centred[k] = (float64(v) - w.Mean[k]) / d
			}
		}
		row := x.Row(i)
		for k := range row {
			row[k] = T(vec.Dot(w.Root[k*n:][:n], centred))
		}
	}
}

// undo sets row to the row that is whitened as x.
func (w *whitening) undo(row, x []float64) {
	w.once.Do(w.invert)
	for k := range row {
		row[k] = w.Mean[k]
		if w.inverse != nil {
			row[k] += w.Deviation[k] * vec.Dot(w.inverse.RawRowView(k), x)
		}
	}
}

// invert computes inverse.
func (w *whitening) invert() {
	n := len(w.Mean)
	root := mat.NewSymDense(n, nil)
	for k := range n {
		for l := range k + 1 {
			root.SetSym(k, l, w.Root[k*n+l])
		}
	}
	if inverse, ok := power(root, -1); ok {
		w.inverse = inverse
	}
}

// validate returns an error if the map is not one of rows of n elements.
func (w *whitening) validate(n int) error {
	if len(w.Mean) != n || len(w.Deviation) != n || len(w.Root) != n*n || n > maxWhitened || !vec.Finite(w.Mean) || !vec.Finite(w.Deviation) || !vec.Finite(w.Root) {
		return fmt.Errorf("its matrix of the metric %s is not one of %d elements", Mahalanobis, n)
	}
	return nil
}
