package unfold

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
)

// Places are the places of n rows, in their order.
type Places struct {
	// Embedding are the coordinates, n x Dims; empty if n is 0.
	Embedding *mat.Dense
	// Sigma is the uncertainty of each row's place as a length, in units of the map.
	Sigma []float64
	// NoveltyLocal and NoveltyGlobal are percentiles in [0,1]: the share of the points that are
	// less novel than the row. Local novelty compares the density at the row with that at its
	// neighbours (the local outlier factor). Global novelty compares the row's distance to its
	// neighbours with that of the points to theirs.
	NoveltyLocal, NoveltyGlobal []float64
}

// Result is the result of a fit. Row i belongs to row i of Fit's input.
type Result struct {
	Places
	// Point is the number of each row's point. Equal rows have the same.
	Point []int
	// Unlearnt marks rows that were placed but not learnt: those beyond the sample of LLLVM and
	// GPLVM, or outside the largest part of the graph. It is nil if there are none.
	Unlearnt []bool
	// Components is the number of connected parts of the neighbour graph. Recall is the share of
	// true neighbours that the search found.
	Components int
	Recall     float64
	// Iterations is the number of iterations of learning. Converged is true if learning ended
	// before its last step.
	Iterations int
	Converged  bool
	// Objective is the maximised objective after the last step: a log-likelihood, or a bound on it.
	Objective float64
	// Warnings are warnings about the options at this number of points, a sentence each, for
	// instance that Student.Weight is too heavy.
	Warnings []string
	// Seconds is the duration of the fit.
	Seconds float64
}

// resultOf converts the result of package fit.
func resultOf(r *fit.Result) *Result {
	out := &Result{
		Places: newPlaces(r.Placed.Mu.Rows, r.Placed.Mu.Cols), Point: make([]int, len(r.Row)), Unlearnt: r.Unlearnt,
		Components: r.Report.Components, Recall: r.Report.Search.Recall,
		Iterations: r.Report.Iterations, Converged: r.Report.Converged, Objective: r.Report.Loglik, Warnings: r.Warnings,
	}
	out.set(0, r.Placed)
	for i, p := range r.Row {
		out.Point[i] = int(p)
	}
	return out
}

// Result returns the result of Fit, nil for a map that was opened. Updates of the map do not change
// it. It is read-only.
func (m *Map) Result() *Result { return m.result }

// Points are the points of a map.
type Points struct {
	// ID are their numbers, ascending: 0, 1, ... after a fit.
	ID []int
	// Count is the number of equal rows of each point.
	Count []int
	// Embedding are the places at the last Refresh or after the fit, n x Dims, and Sigma their
	// uncertainties.
	Embedding *mat.Dense
	Sigma     []float64
}

// Points returns a copy of the points at the last Refresh or after the fit.
func (m *Map) Points() *Points {
	v := m.now.Load()
	s := v.snap
	n := s.Mu.Rows
	p := &Points{ID: make([]int, n), Count: make([]int, n), Embedding: mat.NewDense(n, s.Mu.Cols, nil), Sigma: make([]float64, n)}
	for i, sigma2 := range s.Published2() {
		p.ID[i], p.Count[i], p.Sigma[i] = v.number(i), int(s.Count[i]), math.Sqrt(sigma2)
		p.Embedding.SetRow(i, s.Mu.Row(i))
	}
	return p
}

// Place returns the places of the rows of x (n x Dim). The map does not change. A row that equals a
// point gets its place. The errors are those of Fit. A *RowError refers to the rows of x.
func (m *Map) Place(ctx context.Context, x mat.Matrix) (*Places, error) {
	v := m.now.Load()
	from, err := v.source(x)
	if err != nil {
		return nil, err
	}
	out := newPlaces(from.rows, v.snap.Mu.Cols)
	err = from.each(ctx, func(at int, rows vec.Matrix[float32]) error {
		placed, err := v.place(ctx, rows)
		if err == nil {
			out.set(at, placed)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// LogLik returns the log-likelihood of each row of x (n x Dim) under the model, in nats, given the
// row's place: the lower, the less the row is like those that the map was learnt from. For GPLVM it
// is the density of the row's values (after PCA), of those that are not missing; for Student and
// Saul that of the lengths of its edges to its neighbours. Values of different maps do not compare.
// Other kinds have none: an error. Errors are else those of Place.
func (m *Map) LogLik(ctx context.Context, x mat.Matrix) ([]float64, error) {
	v := m.now.Load()
	p, ok := v.placer.(models.Likely)
	if !ok {
		return nil, public(models.BadInputf("models of kind %s have no likelihood of new rows; those of kinds %s, %s and %s have", v.snap.Kind, Student, Saul, GPLVM), 0)
	}
	from, err := v.source(x)
	if err != nil {
		return nil, err
	}
	out := make([]float64, from.rows)
	err = from.each(ctx, func(at int, rows vec.Matrix[float32]) error {
		placed, err := v.place(ctx, rows)
		if err != nil {
			return err
		}
		each, err := p.LogLik(ctx, rows, placed)
		for i, l := range each {
			out[at+i] = float64(l)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// place places rows. They may have missing values if the model can do without them.
func (v *view) place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	if lenient, ok := v.placer.(models.Lenient); ok {
		return lenient.PlaceMissing(ctx, x)
	}
	return v.placer.Place(ctx, x)
}

// Decoded are vectors at n positions of a map, in their order.
type Decoded struct {
	// X are the vectors, n x Dim; empty if n is 0.
	X *mat.Dense
	// Error is the predicted root mean squared error of an element of each vector. It is large where
	// the map is empty.
	Error []float64
}

// Decode returns the vectors at the rows of at (n x Dims), positions on the map, which do not
// change it. Errors are those of Fit; a *RowError counts the rows of at. Vectors are as Place takes
// them. A map of a graph has none, which is bad input.
func (m *Map) Decode(ctx context.Context, at mat.Matrix) (*Decoded, error) {
	v := m.now.Load()
	from, err := sourceOf(at)
	if err != nil {
		return nil, public(err, 0)
	}
	decoder, err := models.DecoderOf(v.placer, v.snap.Kind)
	if err != nil {
		return nil, public(err, 0)
	}
	if from.rows > 0 && from.cols != v.snap.Mu.Cols {
		return nil, public(models.BadInputf("decoding: positions of %d coordinates on a map of %d", from.cols, v.snap.Mu.Cols), 0)
	}
	out := &Decoded{X: new(mat.Dense), Error: make([]float64, from.rows)}
	if from.rows > 0 {
		out.X = mat.NewDense(from.rows, v.snap.Dim, nil)
	}
	err = from.each(ctx, func(first int, rows vec.Matrix[float32]) error {
		d, err := decoder.Decode(ctx, rows)
		if err != nil {
			return err
		}
		for i := range d.X.Rows {
			for c, x := range d.X.Row(i) {
				out.X.Set(first+i, c, float64(x)+v.shift(c))
			}
			out.Error[first+i] = float64(d.Sigma[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// source is sourceOf for vectors of the map.
func (v *view) source(x mat.Matrix) (source, error) {
	from, err := sourceOf(x)
	if err == nil && from.rows > 0 {
		if err = v.snap.CheckDim(from.cols); err == nil {
			from = from.shifted(v.snap.Shift)
		}
	}
	return from, public(err, 0)
}

// shift returns the number that is subtracted from element j of vectors.
func (v *view) shift(j int) float64 {
	if v.snap.Shift == nil {
		return 0
	}
	return v.snap.Shift[j]
}

// newPlaces allocates the places of n rows.
func newPlaces(n, dims int) Places {
	p := Places{Embedding: new(mat.Dense), Sigma: make([]float64, n), NoveltyLocal: make([]float64, n), NoveltyGlobal: make([]float64, n)}
	if n > 0 {
		p.Embedding = mat.NewDense(n, dims, nil)
	}
	return p
}

// set writes the places of rows from row at on.
func (p *Places) set(at int, placed models.Placed) {
	for i := range placed.Mu.Rows {
		for c, v := range placed.Mu.Row(i) {
			p.Embedding.Set(at+i, c, float64(v))
		}
		p.Sigma[at+i] = float64(placed.Sigma[i])
		p.NoveltyLocal[at+i], p.NoveltyGlobal[at+i] = float64(placed.NoveltyLocal[i]), float64(placed.NoveltyGlobal[i])
	}
}
